import { spawnSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import Connection from 'libsql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openLocal } from '../../packages/gateway/src/compose/local.ts';
import { sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { makeFolder } from '../kit/folder.ts';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { ask, newBuyer, newPath } from '../payments/fault-buyer.ts';
import { startProgram } from '../process/program.ts';

const HEALTH = '/v1/x402/tokens/health';
const PAGE = Buffer.alloc(4096);

/** A small disk. */
interface Disk {
  readonly folder: string;
  /** Takes all the room that is left. */
  fill(): void;
  empty(): void;
  unmount(): void;
}

function mountDisk(): Disk | undefined {
  const folder = makeFolder();
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs', folder]);
  if (status !== 0) {
    rmSync(folder, { recursive: true });
    return undefined;
  }
  const ballast = join(folder, 'ballast');
  return {
    folder,
    fill() {
      const file = openSync(ballast, 'a');
      while (statfsSync(folder).bavail > 0) writeSync(file, PAGE);
      closeSync(file);
    },
    empty: () => rmSync(ballast, { force: true }),
    unmount() {
      spawnSync('umount', ['--lazy', folder]);
      rmSync(folder, { recursive: true });
    },
  };
}

const startOn = (folder: string) =>
  startProgram({ PORT: '0', DATA_DIR: folder, TOKENS_API_KEY: 'key-of-the-upstream' });

const probe = mountDisk();
probe?.unmount();

describe.skipIf(!probe)('R8 a gateway whose disk is full', { timeout: 60_000 }, () => {
  let disk: Disk;
  beforeEach(() => {
    disk = mountDisk() as Disk;
  });
  afterEach(() => disk.unmount());

  it('R8 serves nothing, charges nothing, and serves again when there is room', async () => {
    const limit = { TOKENS_RATE_LIMIT_PER_MINUTE: '1000' };
    const gateway = await startTestGateway(limit, { dataDir: disk.folder, paid: true });
    const [signInUrl, paidUrl] = [gateway.url + HEALTH, gateway.url + newPath()];
    const mainnet = gateway.solana?.mainnet;
    if (!mainnet) throw new Error('nothing is sold');
    const header = await signedHeader(signInUrl);
    const payment = await (await newBuyer(mainnet)).pay(paidUrl);
    disk.fill();
    const signedIn = await fetch(signInUrl, { headers: { 'SIGN-IN-WITH-X': header } });
    expect([signedIn.status, (await signedIn.json()) as object]).toMatchObject([503, { error: 'state_unavailable' }]);
    const paid = await ask(paidUrl, payment);
    expect([paid.status, paid.code]).toEqual([503, 'state_unavailable']);
    expect(paid.text).toContain('"state":"unused"');
    expect(gateway.upstream.arrivals).toHaveLength(0);
    expect(mainnet.transfers).toHaveLength(0);
    expect(gateway.logLines.join('')).toContain('disk is full');
    disk.empty();
    expect((await fetch(signInUrl, { headers: { 'SIGN-IN-WITH-X': header } })).status).toBe(200);
    expect((await askSigned(signInUrl)).headers.get('ratelimit')).toContain('r=998');
    expect((await ask(paidUrl, payment)).status).toBe(200);
    await expectBooksInOrder(disk, mainnet.transfers);
    expect(mainnet.transfers).toHaveLength(1);
    await gateway.stop();
  });

  it('R8 does not start, says so in a sentence, and starts when there is room', async () => {
    const start = () => startOn(disk.folder);
    const expectRefused = async () => {
      disk.fill();
      const refused = start();
      expect(await refused.ended).toBe(1);
      expect(refused.stderr()).toMatch(/^asset-gateway: DATA_DIR: .*\.\n$/);
      disk.empty();
    };
    await expectRefused();
    const program = start();
    expect((await fetch(`${await program.url}/healthz`)).status).toBe(200);
    program.child.kill('SIGKILL');
    await program.ended;
    await expectRefused();
  });
});

const MIB = 1024 * 1024;
/** Fewer, larger answers without ROUNDS=full. */
const ANSWER_BYTES = isFull ? 10_240 : 40_960;
/** Together with the 70 MiB that a gateway takes anyway, more than 200 MB. */
const ANSWERS_MIB = isFull ? 250 : 150;
const ANSWERS = (ANSWERS_MIB * MIB) / ANSWER_BYTES;
const RECORDS = 40_000;

const NUMBERS = (count: number) =>
  `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`;

describe('a full store', () => {
  let folder: string;
  beforeEach(async () => {
    folder = makeFolder();
    await (await openLocal({ dataDir: folder })).close();
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function write(...statements: readonly string[]): void {
    const connection = new Connection(sqliteIn(folder));
    for (const sql of statements) connection.exec(sql);
    connection.close();
  }

  const title = `V19 starts in less than 200 MB with ${ANSWERS_MIB} MiB of answers and the payments of a busy day`;
  (process.platform === 'linux' ? it : it.skip)(title, { timeout: 120_000 }, async () => {
    const long = `hex(zeroblob(500)), '{"x":"' || hex(zeroblob(300)) || '"}'`;
    write(
      `${NUMBERS(ANSWERS)} insert into answers (key, until_ms, bytes, answer)
        select 'key ' || n, ${Date.now() + 600_000}, ${ANSWER_BYTES}, hex(zeroblob(${ANSWER_BYTES / 2})) from numbers`,
      `${NUMBERS(RECORDS)} insert into wallets (id, cluster, address) select n, 'mainnet', 'wallet ' || n from numbers`,
      `${NUMBERS(RECORDS)} insert into payments (key, wallet_id, request_hash, source, price_usd, micro_usdc, credit_micro_usdc,
        transaction_base64, requirement, owner, route, request_id, state, signature, forget_at_ms, fee_lamports)
        select 'key ' || n, n, 'request ' || n, 'source', '0.000005', 5, 0, ${long}, 'owner', 'route', 'id', 'settled',
        'signature ' || n, ${Date.now() + 86_400_000}, 5000 from numbers`,
    );
    const program = startOn(folder);
    await program.url;
    const status = readFileSync(`/proc/${program.child.pid}/status`, 'latin1');
    program.child.kill('SIGKILL');
    await program.ended;
    const peakMib = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
    expect(peakMib).toBeLessThan(200);
  });

  it("V19 a database's log does not grow as long as writing goes on", async () => {
    const { database, close } = await openLocal({ dataDir: folder });
    const [text, log] = ['x'.repeat(MIB), `${sqliteIn(folder)}-wal`];
    const sql = `insert into answers (key, until_ms, bytes, answer) select $1, 1, 1, $2 where {in time} returning number as id`;
    const write = (key: number) =>
      database.write({ condition: { sql, values: [`key ${key}`, text] }, isDurable: true });
    for (let key = 0; key < 80; key++) await write(key);
    const before = statSync(log).size;
    for (let key = 80; key < 200; key++) await write(key);
    // A busy machine restarts it later.
    expect(statSync(log).size - before).toBeLessThan(60 * MIB);
    expect(await database.read({ sql: 'select count(*) as count from answers' })).toEqual([{ count: 200 }]);
    await close();
    expect(statSync(log, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  }, 60_000);
});
