import { readFileSync, rmSync, statSync } from 'node:fs';
import Connection from 'libsql';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLocal } from '../../packages/gateway/src/compose/local.ts';
import { sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { makeFolder } from '../kit/folder.ts';
import { suiteInCi } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { compileGateway, endPrograms, startProgram } from '../process/program.ts';

const MIB = 1024 * 1024;
/** Fewer, larger answers without ROUNDS=full. */
const ANSWER_BYTES = isFull ? 10_240 : 40_960;
/** Together with the 70 MiB that a gateway takes anyway, more than 200 MB. */
const ANSWERS_MIB = isFull ? 250 : 150;
const ANSWERS = (ANSWERS_MIB * MIB) / ANSWER_BYTES;
const RECORDS = 40_000;

const NUMBERS = (count: number) =>
  `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count})`;

let folder: string;
beforeAll(compileGateway, 120_000);
beforeEach(async () => {
  folder = makeFolder();
  await (await openLocal({ dataDir: folder })).close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
afterAll(endPrograms);

function write(...statements: readonly string[]): void {
  const connection = new Connection(sqliteIn(folder));
  for (const sql of statements) connection.exec(sql);
  connection.close();
}

/** The most memory that a gateway has had when it serves, in MiB. */
async function peakAtStart(): Promise<number> {
  const program = startProgram({ PORT: '0', DATA_DIR: folder, TOKENS_API_KEY: 'key-of-the-upstream' });
  await program.url;
  const status = readFileSync(`/proc/${program.child.pid}/status`, 'latin1');
  program.child.kill('SIGKILL');
  await program.ended;
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}

(process.platform === 'linux' ? suiteInCi : describe.skip)('the start with a full store', { timeout: 120_000 }, () => {
  it(`V19 takes less than 200 MB with ${ANSWERS_MIB} MiB of answers and the payments of a busy day`, async () => {
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
    expect(await peakAtStart()).toBeLessThan(200);
  });
});

it('V19 the log of a database does not grow for as long as it is written to', async () => {
  const { database, close } = await openLocal({ dataDir: folder });
  const [text, log] = ['x'.repeat(MIB), `${sqliteIn(folder)}-wal`];
  const sql = `insert into answers (key, until_ms, bytes, answer) select $1, 1, 1, $2 where {in time} returning number as id`;
  const write = (key: number) => database.write({ guard: { sql, values: [`key ${key}`, text] }, isDurable: true });
  for (let key = 0; key < 80; key++) await write(key);
  const before = statSync(log).size;
  for (let key = 80; key < 120; key++) await write(key);
  expect(statSync(log).size - before).toBeLessThan(20 * MIB);
  expect(await database.read({ sql: 'select count(*) as count from answers' })).toEqual([{ count: 120 }]);
  await close();
  expect(statSync(log, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
}, 60_000);
