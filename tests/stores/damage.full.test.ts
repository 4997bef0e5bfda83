import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import Connection from 'libsql';
import { beforeAll, describe, expect, it } from 'vitest';
import { openLocal } from '../../packages/gateway/src/compose/local.ts';
import { openMoney } from '../../packages/gateway/src/compose/money.ts';
import { sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import type { SolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { node, startCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { JOURNAL_KEEP_MS, newPayment, settle } from '../kit/ledger.ts';
import { roundsOnEach } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { ask, newBuyer, newPath } from '../payments/fault-buyer.ts';
import { startProgram } from '../process/program.ts';

const PAGE = 4096;
const SETTLED_PAYMENTS = 40;
const NOBODY = '65534';
const isRoot = process.getuid?.() === 0;
const CANNOT_BE_USED = /^DATA_DIR: gateway\.db in \S+ cannot be opened or written \(.*\)\.$/;
const DAMAGED = /^DATA_DIR: gateway\.db in \S+ is damaged \(.*\): restore .*\.$/;

/** Starts gateways in a process of their own, one after the other. A crash ends that process. */
function startOpenings(env: NodeJS.ProcessEnv = {}) {
  const { child, stdout } = startCommand(node('tests/stores/openings.mjs'), { env, stdin: 'pipe' });
  const lines = () => stdout().split('\n');
  let count = 0;
  return {
    /** Starts a gateway on this folder and stops it: its faults, or the status of `/healthz`. */
    async open(folder: string): Promise<unknown> {
      child.stdin?.write(`${folder}\n`);
      const end = () => child.exitCode ?? child.signalCode;
      await expect.poll(() => [end(), lines().length], { timeout: 60_000 }).toEqual([null, count + 2]);
      return JSON.parse(lines()[count++] ?? '');
    },
  };
}

const parent = makeFolder();
const openings = startOpenings();
let healthy: Buffer;
let secret: string;
let folders = 0;

function newFolder(): string {
  const folder = join(parent, String(folders++));
  mkdirSync(folder);
  return folder;
}

beforeAll(async () => {
  const folder = newFolder();
  const local = await openLocal({ dataDir: folder });
  secret = local.secret;
  const money = openMoney(local.database, JOURNAL_KEEP_MS);
  for (let serial = 0; serial < SETTLED_PAYMENTS; serial++) {
    await settle(money, newPayment(), `"${'x'.repeat(serial * 997)}"`);
  }
  await money.close();
  await local.close();
  healthy = readFileSync(sqliteIn(folder));
}, 120_000);

/** A folder whose database is this one. */
function folderWith(bytes: Buffer): string {
  const folder = newFolder();
  writeFileSync(sqliteIn(folder), bytes);
  return folder;
}

const start = (folder: string) => startProgram({ PORT: '0', DATA_DIR: folder, TOKENS_API_KEY: 'key-of-the-upstream' });

/** Starts a gateway there, and stops it when it serves. */
const expectToServe = async (folder: string): Promise<void> =>
  expect(await openings.open(folder)).toEqual({ status: 200 });

async function secretIn(folder: string): Promise<string> {
  const local = await openLocal({ dataDir: folder });
  await local.close();
  return local.secret;
}

function inDatabase(file: string, sql: string): void {
  const connection = new Connection(file);
  connection.exec(sql);
  connection.close();
}

/** A gateway does not start on the folder, and leaves this file of it as it is. */
async function expectRefusal(folder: string, file: string, reason: RegExp): Promise<void> {
  const before = readFileSync(file);
  expect(await openings.open(folder)).toEqual({ faults: [expect.stringMatching(reason)] });
  expect(readFileSync(file).equals(before)).toBe(true);
}

/** The healthy file with something written over it, from this share of it on. */
function overwritten(share: number, bytes: Buffer): Buffer {
  const copy = Buffer.from(healthy);
  bytes.copy(copy, Math.floor((copy.length * share) / PAGE) * PAGE);
  return copy;
}

function overwrittenSecret(): Buffer {
  const copy = Buffer.from(healthy);
  for (let at = copy.indexOf(secret); at >= 0; at = copy.indexOf(secret)) randomBytes(secret.length).copy(copy, at);
  return copy;
}

const third = () => Math.floor(healthy.length / 3 / PAGE) * PAGE;

describe('a gateway whose database is damaged', { timeout: 120_000 }, () => {
  it.each<[string, () => Buffer]>([
    ['cut off to nothing', () => Buffer.alloc(0)],
    ['cut off in its first page', () => healthy.subarray(0, 100)],
    ['cut off to one page', () => healthy.subarray(0, PAGE)],
    ['cut off to half', () => healthy.subarray(0, healthy.length / 2)],
    ['cut off by its last page', () => healthy.subarray(0, -PAGE)],
    ['zeros in the middle', () => overwritten(1 / 3, Buffer.alloc(third()))],
    ['zeros from end to end', () => Buffer.alloc(healthy.length)],
    ['noise over its head', () => overwritten(0, randomBytes(2 * PAGE))],
    ['noise in the middle', () => overwritten(1 / 3, randomBytes(third()))],
    ['noise from end to end', () => randomBytes(healthy.length)],
    ['noise in place of its secret', overwrittenSecret],
    ['a text', () => Buffer.from('This is no database.\n'.repeat(1_000))],
  ])('V16 does not start with %s, says so in a sentence, and leaves the file as it is', async (_, damage) => {
    const folder = folderWith(damage());
    await expectRefusal(folder, sqliteIn(folder), DAMAGED);
  });

  it.each<[string, (file: string) => string, RegExp]>([
    [
      'a database of a later version',
      (file) => {
        inDatabase(file, 'insert into schema_changes values (1000, 999)');
        return file;
      },
      /^DATA_DIR: gateway\.db in \S+ is of a later version \(.*\): start that version/,
    ],
    [
      'a log without its database',
      (file) => {
        renameSync(file, `${file}-wal`);
        return `${file}-wal`;
      },
      DAMAGED,
    ],
    ...[100, 8_192, 1_000_000].map((size): [string, (file: string) => string, RegExp] => [
      `${size} bytes of noise for a lock file`,
      (file) => {
        writeFileSync(`${file}.lock`, randomBytes(size));
        return `${file}.lock`;
      },
      /^DATA_DIR: gateway\.db\.lock in \S+ is damaged \(.*\): delete it .*\.$/,
    ]),
  ])('V16 does not start with %s, says so in a sentence, and leaves it as it is', async (_, change, reason) => {
    const folder = folderWith(healthy);
    await expectRefusal(folder, change(sqliteIn(folder)), reason);
  });

  it('V16 ends its process with that sentence, and starts once the damaged file has been moved away', async () => {
    const folder = folderWith(overwritten(1 / 3, Buffer.alloc(third())));
    const program = start(folder);
    expect(await program.ended).toBe(1);
    expect(program.stdout()).toBe('');
    expect(program.stderr()).toMatch(/^asset-gateway: DATA_DIR: gateway\.db in \S+ is damaged \(.*\): restore .*\.\n$/);
    expect(program.stderr()).toContain(folder);
    for (const name of readdirSync(folder))
      if (name.startsWith('gateway.db')) renameSync(join(folder, name), join(folder, `was.${name}`));
    await expectToServe(folder);
    expect(await secretIn(folder)).not.toBe(secret);
  });

  it.each<[string, (file: string) => void]>([
    ['overwritten', (file) => writeFileSync(file, randomBytes(healthy.length), { flag: 'r+' })],
    ['cut off', (file) => truncateSync(file, PAGE)],
  ])('V16 keeps running when its file is %s, and refuses payments', async (_, damage) => {
    const folder = folderWith(healthy);
    const gateway = await startTestGateway({}, { dataDir: folder, paid: true });
    const buyer = await newBuyer((gateway.solana as SolanaSandbox).mainnet);
    const url = gateway.url + newPath();
    damage(sqliteIn(folder));
    expect(await ask(url, await buyer.pay(url))).toMatchObject({ status: 503, code: 'state_unavailable' });
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    expect(gateway.solana?.mainnet.transfers).toEqual([]);
    await gateway.stop();
  });
});

describe('a gateway that may not use its database', () => {
  it('V16 waits for another process that locks the file, and says that it is locked after a second', async () => {
    const folder = folderWith(healthy);
    const other = new Connection(sqliteIn(folder));
    other.exec('pragma locking_mode = exclusive; begin exclusive');
    expect(await openings.open(folder)).toEqual({ faults: [expect.stringMatching(CANNOT_BE_USED)] });
    const opening = openings.open(folder);
    await pause(200);
    other.exec('rollback');
    other.close();
    expect(await opening).toEqual({ status: 200 });
  });

  it.runIf(isRoot)('says so in a sentence where it or its folder belongs to another user', async () => {
    const [owned, unwritable] = [folderWith(healthy), folderWith(healthy)];
    chmodSync(parent, 0o755);
    chmodSync(owned, 0o777);
    chmodSync(unwritable, 0o755);
    chmodSync(sqliteIn(owned), 0o600);
    const asNobody = startOpenings({ AS_USER: NOBODY });
    expect(await asNobody.open(owned)).toEqual({ faults: [expect.stringMatching(CANNOT_BE_USED)] });
    const refused = /^DATA_DIR: the folder \S+ cannot be created or written\.$/;
    expect(await asNobody.open(unwritable)).toEqual({ faults: [expect.stringMatching(refused)] });
  });

  it('says so in a sentence if the file is read-only, and does not change it', async ({ skip }) => {
    const file = sqliteIn(folderWith(healthy));
    if (!isRoot || spawnSync('mount', ['--bind', '-o', 'ro', file, file]).status !== 0)
      return skip('this user may not mount');
    try {
      await expectRefusal(dirname(file), file, CANNOT_BE_USED);
    } finally {
      // The process that opens gateways may still have the file.
      spawnSync('umount', ['--lazy', file]);
    }
  });
});

it('a gateway whose folder holds data of an earlier version says so, and does not change it', async () => {
  const folder = newFolder();
  const earlier = ['gateway.lmdb', 'slots.jsonl'].map((name) => join(folder, name));
  for (const path of earlier) writeFileSync(path, 'of an earlier version');
  const gateway = await startTestGateway({}, { dataDir: folder });
  expect(gateway.logLines.join('')).toContain(
    'data of an earlier version (gateway.lmdb, slots.jsonl), which stays unchanged',
  );
  await gateway.stop();
  for (const path of earlier) expect(readFileSync(path, 'utf8')).toBe('of an earlier version');
});

describe('a gateway whose database is whole', { timeout: 120_000 }, () => {
  it('V16 starts when something follows the last page', async () => {
    const folder = folderWith(Buffer.concat([healthy, randomBytes(5_000)]));
    await expectToServe(folder);
    expect(await secretIn(folder)).toBe(secret);
  });

  it.each([0, PAGE, 20_000])('V16 starts after a first start that left %i bytes', async (size) => {
    const folder = newFolder();
    for (const name of ['new', 'new-journal']) writeFileSync(`${sqliteIn(folder)}.${name}`, randomBytes(size));
    await expectToServe(folder);
    expect(readdirSync(folder).filter((name) => name.includes('new'))).toEqual([]);
  });

  it('V16 starts after first starts that were killed at any time', async () => {
    for (let round = 0; round < roundsOnEach(40); round++) {
      const folder = newFolder();
      const { child, ended } = start(folder);
      await pause(200 + Math.random() * 1_000);
      child.kill('SIGKILL');
      await ended;
      await expectToServe(folder);
    }
  }, 1_200_000);

  it('V16 is in order when it is killed while it writes, again and again', async () => {
    const folder = newFolder();
    for (let round = 0; round < roundsOnEach(160); round++) {
      const { child, ended } = startCommand(node('tests/stores/busy-store.mjs', folder));
      await once(child.stdout as Readable, 'data');
      await pause(Math.random() * 200);
      child.kill('SIGKILL');
      await ended;
      await expectBooksInOrder({ folder });
    }
  }, 1_200_000);
});

it('V16 damage that the check does not find ends no process', async () => {
  for (let round = 0; round < roundsOnEach(160); round++) {
    const [at, size] = [Math.floor(Math.random() * healthy.length), 1 + Math.floor(Math.random() * 600)];
    const bytes = Buffer.from(healthy);
    randomBytes(size).copy(bytes, Math.random() < 0.5 ? at : at - (at % PAGE));
    const words = ['tests/stores/busy-store.mjs', folderWith(bytes), '50'];
    const { signal, status } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000 });
    expect({ at, size, signal, status }).toEqual({ at, size, signal: null, status: 0 });
  }
}, 1_200_000);

it('the files of a database are private, with any modes of the folder and of a copy', async () => {
  const folder = newFolder();
  chmodSync(folder, 0o777);
  const modes = () =>
    Object.fromEntries(
      readdirSync(folder).map((name) => [name, (statSync(join(folder, name)).mode & 0o777).toString(8)]),
    );
  const before = process.umask(0);
  try {
    expect((await secretIn(folder)).length).toBeGreaterThanOrEqual(32);
    expect(modes()).toMatchObject({ 'gateway.db': '600', 'gateway.db.lock': '600' });
    chmodSync(sqliteIn(folder), 0o666);
    await secretIn(folder);
    expect(modes()).toMatchObject({ 'gateway.db': '600' });
  } finally {
    process.umask(before);
  }
});
