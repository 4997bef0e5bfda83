import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { open } from 'lmdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { slotsIn } from '../../packages/gateway/src/budget/slot-file.ts';
import { openEmbedded } from '../../packages/gateway/src/compose/embedded.ts';
import { damageOf } from '../../packages/gateway/src/stores/lmdb-check.ts';
import { makeFolder } from '../kit/folder.ts';
import { rounds } from '../kit/rounds.ts';
import { newPayment, SETTLED } from '../payments/forge-records.ts';
import { compileGateway, endPrograms, startProgram } from '../process/program.ts';
import { Openings } from './openings.ts';

const PAGE = 4096;
const SETTLED_PAYMENTS = 40;
const NOBODY = 65_534;

const parent = makeFolder();
let openings: Openings;
let healthy: Buffer;
let secret: string;
let folders = 0;

/** A folder that nobody has used. */
function newFolder(): string {
  const folder = join(parent, String(folders++));
  mkdirSync(folder);
  return folder;
}

const fileIn = (folder: string): string => join(folder, 'gateway.lmdb');

beforeAll(async () => {
  await compileGateway();
  openings = new Openings();
  const folder = newFolder();
  const store = await openEmbedded(folder);
  secret = store.secret;
  for (let serial = 0; serial < SETTLED_PAYMENTS; serial++) {
    const payment = newPayment();
    await store.payments.reserve(payment);
    await store.payments.settling(payment.key, payment.owner, { answer: `"${'x'.repeat(serial * 997)}"` });
    await store.payments.resolve(payment.key, SETTLED);
  }
  await store.close();
  healthy = readFileSync(fileIn(folder));
}, 120_000);
afterAll(async () => {
  await openings.close();
  await endPrograms();
  rmSync(parent, { recursive: true, force: true });
});

/** A folder whose store is this one. */
function folderWith(bytes: Buffer): string {
  const folder = newFolder();
  writeFileSync(fileIn(folder), bytes);
  return folder;
}

const start = (folder: string) => startProgram({ PORT: '0', DATA_DIR: folder, TOKENS_API_KEY: 'key-of-the-upstream' });

/** Starts a gateway there, and ends it when it serves. */
const expectToServe = async (folder: string): Promise<void> =>
  expect(await openings.open(folder)).toEqual({ status: 200 });

async function secretIn(folder: string): Promise<string> {
  const store = await openEmbedded(folder);
  await store.close();
  return store.secret;
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

describe.concurrent('a gateway whose store is damaged', { timeout: 120_000 }, () => {
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
    [
      'another version of it',
      () => overwritten(0, Buffer.concat([healthy.subarray(0, 28), Buffer.from([1, 0, 0, 0])])),
    ],
  ])('V16 does not start with %s, says so in a sentence, and leaves the file as it is', async (_, damage) => {
    const bytes = damage();
    const folder = folderWith(bytes);
    const faults = [expect.stringMatching(/^DATA_DIR: gateway\.lmdb in \S+ is damaged \(.*\): restore .*\.$/)];
    expect(await openings.open(folder)).toEqual({ faults });
    expect(readFileSync(fileIn(folder)).equals(bytes)).toBe(true);
  });

  it('V16 ends its process with that sentence, and starts anew when the damaged file has been moved away', async () => {
    const folder = folderWith(overwritten(1 / 3, Buffer.alloc(third())));
    const program = start(folder);
    expect(await program.ended).toBe(1);
    expect(program.stdout()).toBe('');
    expect(program.stderr()).toMatch(
      /^asset-gateway: DATA_DIR: gateway\.lmdb in \S+ is damaged \(.*\): restore .*\.\n$/,
    );
    expect(program.stderr()).toContain(folder);
    renameSync(fileIn(folder), `${fileIn(folder)}.damaged`);
    await expectToServe(folder);
    expect(await secretIn(folder)).not.toBe(secret);
  });
});

it('V16 does not start with slots that it has not written, says so in a sentence, and does when they have been moved away', async () => {
  const folder = folderWith(healthy);
  const slots = slotsIn(folder);
  const noise = randomBytes(1_024);
  writeFileSync(slots, noise);
  const faults = [
    expect.stringMatching(/^DATA_DIR: slots\.jsonl in \S+ is damaged \(line 1 is no slot\): move it away, .*\.$/),
  ];
  expect(await openings.open(folder)).toEqual({ faults });
  expect(readFileSync(slots).equals(noise)).toBe(true);
  rmSync(slots);
  await expectToServe(folder);
  expect(await secretIn(folder)).toBe(secret);
});

it.runIf(process.getuid?.() === 0)(
  'a gateway that may not read its store says so in a sentence',
  async () => {
    const folder = folderWith(healthy);
    for (const [path, mode] of [
      [parent, 0o755],
      [folder, 0o777],
      [fileIn(folder), 0o600],
    ] as const)
      chmodSync(path, mode);
    const variables = { PORT: '0', DATA_DIR: folder, TOKENS_API_KEY: 'key-of-the-upstream' };
    const program = startProgram(variables, { uid: NOBODY, gid: NOBODY });
    expect(await program.ended).toBe(1);
    expect(program.stderr()).toMatch(/^asset-gateway: DATA_DIR: a file in \S+ cannot be opened \(EACCES\b.*\)\.\n$/);
  },
  120_000,
);

describe.concurrent('a gateway whose store is whole', { timeout: 120_000 }, () => {
  it.each([0, 1, 100, 8_272, 1_000_000])('V16 starts with %i bytes of noise for a lock file', async (size) => {
    const folder = folderWith(healthy);
    writeFileSync(`${fileIn(folder)}-lock`, randomBytes(size));
    await expectToServe(folder);
    expect(await secretIn(folder)).toBe(secret);
  });

  it('V16 starts when something follows the last page', async () => {
    const folder = folderWith(Buffer.concat([healthy, randomBytes(5_000)]));
    await expectToServe(folder);
    expect(await secretIn(folder)).toBe(secret);
  });

  it.each([0, PAGE, 20_000])('V16 starts anew after a first start that left %i bytes', async (size) => {
    const folder = newFolder();
    writeFileSync(join(folder, 'gateway.new.lmdb'), randomBytes(size));
    writeFileSync(join(folder, 'gateway.new.lmdb-lock'), randomBytes(size));
    await expectToServe(folder);
    expect(existsSync(join(folder, 'gateway.new.lmdb'))).toBe(false);
  });

  it('V16 starts after first starts that were killed at any time', async () => {
    for (let round = 0; round < rounds(40); round++) {
      const folder = newFolder();
      const { child, ended } = start(folder);
      await pause(200 + Math.random() * 1_000);
      child.kill('SIGKILL');
      await ended;
      await expectToServe(folder);
    }
  }, 1_200_000);
});

/** Where lmdb notes a commit in a page that is not known to be on the disk, and since when the machine had been running. */
const [UNFLUSHED_AT, UNFLUSHED, BOOT_AT] = [52, 0x1000, 160] as const;

/** The file of a machine whose power failed during the last commit: none of its pages has come to the disk. */
async function afterPowerCut(): Promise<Buffer> {
  const folder = folderWith(healthy);
  const root = open({ path: fileIn(folder), maxDbs: 20 });
  const table = root.openDB({ name: 'settings' });
  const states: Buffer[] = [];
  for (const value of ['before', 'after']) {
    await table.put('power', value);
    await table.flushed;
    states.push(readFileSync(fileIn(folder)));
  }
  await root.close();
  const [before, after] = states as [Buffer, Buffer];
  for (let at = 2 * PAGE; at < after.length; at += PAGE) {
    if (!before.subarray(at, at + PAGE).equals(after.subarray(at, at + PAGE))) after.fill(0, at, at + PAGE);
  }
  before.copy(after, PAGE / 2, PAGE / 2, PAGE);
  for (const at of [0, PAGE]) after.writeUInt16LE(after.readUInt16LE(at + UNFLUSHED_AT) | UNFLUSHED, at + UNFLUSHED_AT);
  return after;
}

describe('the check of a store', () => {
  it.runIf(process.platform === 'linux')('V16 goes back with lmdb to what was flushed before a power cut', async () => {
    const torn = await afterPowerCut();
    const folder = folderWith(torn);
    expect(damageOf(fileIn(folder))).toMatch(/^page \d+ is another one$/);
    for (const at of [0, PAGE]) torn.writeBigInt64LE(torn.readBigInt64LE(at + BOOT_AT) ^ 1n, at + BOOT_AT);
    writeFileSync(fileIn(folder), torn);
    expect(damageOf(fileIn(folder))).toBeUndefined();
    await expectToServe(folder);
    const root = open({ path: fileIn(folder), maxDbs: 20 });
    expect(root.openDB({ name: 'settings' }).get('power')).toBe('before');
    await root.close();
    expect(await secretIn(folder)).toBe(secret);
  });

  it('V16 finds nothing in one that is killed while it writes, again and again', async () => {
    const folder = newFolder();
    for (let round = 0; round < rounds(160); round++) {
      const writer = spawn(process.execPath, ['tests/stores/busy-store.mjs', folder], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(writer.stdout, 'data');
      await pause(Math.random() * 200);
      writer.kill('SIGKILL');
      await once(writer, 'close');
      expect(damageOf(fileIn(folder))).toBeUndefined();
    }
  }, 1_200_000);

  it('V16 finds all that would end the process that uses it', () => {
    for (let round = 0; round < rounds(160); round++) {
      const [at, size] = [Math.floor(Math.random() * healthy.length), 1 + Math.floor(Math.random() * 600)];
      const bytes = Buffer.from(healthy);
      randomBytes(size).copy(bytes, Math.random() < 0.5 ? at : at - (at % PAGE));
      const folder = folderWith(bytes);
      if (damageOf(fileIn(folder)) !== undefined) continue;
      const words = ['tests/stores/busy-store.mjs', folder, '50'];
      expect(spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 60_000 })).toMatchObject({
        signal: null,
        status: 0,
      });
    }
  }, 1_200_000);
});

describe('the file with the secret', () => {
  it("is nobody else's, whatever the folder's mode and that of a copy", async () => {
    const folder = newFolder();
    chmodSync(folder, 0o777);
    const modeOf = () => statSync(fileIn(folder)).mode & 0o777;
    const before = process.umask(0);
    try {
      expect((await secretIn(folder)).length).toBeGreaterThanOrEqual(32);
      expect(modeOf()).toBe(0o600);
      chmodSync(fileIn(folder), 0o666);
      await secretIn(folder);
      expect(modeOf()).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });
});
