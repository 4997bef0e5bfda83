import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Environment } from '../../packages/gateway/src/config/config.ts';
import { USAGE } from '../../packages/gateway/src/sales/options.ts';
import { SqliteDatabase, sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { type Command, node, type Outcome, startCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { askPostgres, openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { until } from '../payments/fault-buyer.ts';
import { buyOnce, newSale } from '../payments/sale.ts';
import { runSales as run } from './kit.ts';

const MAIN = 'packages/gateway/bin/main.js';
const SECRET = 'a-secret-of-these-nodes-that-is-long';

/** The command in its own process, with a gateway's variables. */
const startSales = (variables: Environment, ...words: string[]): Command =>
  startCommand(node(MAIN, 'sales', ...words), { env: variables as NodeJS.ProcessEnv });
const runProgram = (variables: Environment, ...words: string[]): Promise<Outcome> =>
  startSales(variables, ...words).ended;

describe('the command, with a gateway that runs on SQLite', () => {
  const dataDir = makeFolder();
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
  const gateway = inSuite(() => startSellingGateway({}, { dataDir }));
  let variables: Environment;
  beforeAll(async () => {
    variables = { ...gateway.solana.variables, DATA_DIR: dataDir };
    await buyOnce(gateway);
  });

  it('prints sales as a table, as CSV and as JSON', { timeout: 60_000 }, async () => {
    const person = await runProgram(variables);
    expect(person).toMatchObject({ code: 0, stderr: '' });
    expect(person.stdout).toMatch(/^cluster +route +settlements .*\nmainnet +wallet\.mainnet\.helius\.balances +1 /);
    const spreadsheet = await run(variables, '--csv', '--by', 'day');
    expect(spreadsheet.stdout).toMatch(
      /^cluster,day,settlements,.*\r\nmainnet,\d{4}-\d\d-\d\d,1,0,0,0,\d+,0,0,\d+,,\r\n$/,
    );
    const [program] = JSON.parse((await run(variables, '--json', '--by', 'wallet', '--since', '1h')).stdout);
    expect(program).toMatchObject({ cluster: 'mainnet', settlements: 1 });
  });

  it('verify --repair names DATA_DIR', async () => {
    const { code, stderr } = await runProgram(variables, 'verify', '--repair');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^asset-gateway: DATA_DIR: process \d+ .* serves from/)]);
  });

  it('unresolved lists payments with an unknown outcome, which verify does not count as faults', {
    timeout: 60_000,
  }, async () => {
    const sale = await newSale(gateway);
    const refuse = { getSignatureStatuses: { code: -32_000, message: 'not now' } };
    Object.assign(sale.faults, { dropAfterBroadcast: true, refuse });
    expect((await sale.ask()).status).toBe(503);
    const [open, ...others] = JSON.parse((await run(variables, 'unresolved', '--json')).stdout);
    const of = { route: 'wallet.mainnet.helius.balances', wallet: sale.buyer.address };
    expect([open, others]).toMatchObject([{ state: 'unresolved', ...of }, []]);
    const ageMs = Date.now() - Date.parse(open.since);
    expect(ageMs).toBeGreaterThan(0);
    expect((await run(variables, 'verify')).stderr).toBe('1 entries, 2 transfers, 0 discrepancies\n');
    sale.faults.reset();
    expect((await sale.decided(sale.payment, 30_000)).status).toBe(200);
    expect((await run(variables, 'unresolved', '--csv')).stdout.split('\r\n')).toHaveLength(2);
    expect((await run(variables, 'verify')).stderr).toBe('2 entries, 2 transfers, 0 discrepancies\n');
  });
});

postgresSuite('the command, with a gateway that runs on PostgreSQL', () => {
  const database = inSuite(openPostgresDatabase);

  it('reads with a role that may only select from the host that answers, and verify --repair works while it runs', {
    timeout: 60_000,
  }, async () => {
    const unused = { TOKENS_API_KEY: 'a-key', DATABASE_URL: database.url };
    const faults = ['DATABASE_URL: no gateway has used this database yet.'];
    await expect(run(unused)).rejects.toMatchObject({ faults });
    const shared = { DATABASE_URL: database.url, GATEWAY_SECRET: 'a secret of at least thirty-two letters' };
    const gateway = await startSellingGateway(shared);
    await buyOnce(gateway);
    const variables = { ...gateway.solana.variables, ...shared };
    // A role that may only select, and several hosts.
    const role = `reader_${new URL(database.url).pathname.slice(1)}`;
    const grant = `grant select on all tables in schema public to ${role}`;
    await askPostgres(database.url, `create role ${role} login; ${grant}`);
    const asReader = { ...unused, DATABASE_URL: database.url.replace(/\/\/.*@/, `//${role}@127.0.0.1:1,`) };
    expect(JSON.parse((await run(asReader, '--json')).stdout)).toMatchObject([{ settlements: 1 }]);
    expect((await run(asReader, 'unresolved')).code).toBe(0);
    await askPostgres(database.url, `drop owned by ${role}; drop role ${role}`);
    await askPostgres(database.url, 'delete from journal_entries');
    const found = await run(variables, 'verify', '--json');
    expect([found.code, JSON.parse(found.stdout)]).toMatchObject([1, [{ fault: 'transfer without entry' }]]);
    const agreed = '1 entries, 1 transfers, 0 discrepancies\n';
    const noSecret = { ...variables, GATEWAY_SECRET: '' };
    await expect(run(noSecret, 'verify', '--repair')).rejects.toMatchObject({
      faults: [expect.stringMatching(/^GATEWAY_SECRET/)],
    });
    expect((await run(variables, 'verify', '--repair')).stderr).toBe(`1 entries appended\n${agreed}`);
    expect((await run(variables, 'verify')).stderr).toBe(agreed);
    await gateway.stop();
  });
});

describe('the command', () => {
  const folder = makeFolder();
  const paid = { TOKENS_API_KEY: 'a-key' };
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('says how it is used', async () => {
    expect(await run({}, '--help')).toEqual({ code: 0, stdout: USAGE, stderr: '' });
  });

  it('names unknown words', async () => {
    const { code, stdout, stderr } = await run({}, '--colour');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Usage: asset-gateway sales .*Unknown option '--colour'/s);
  });

  it('needs the variables of a gateway, a database that one has used, and for verify a chain', async () => {
    const unset = await runProgram({});
    expect([unset.code, unset.stderr]).toEqual([1, expect.stringContaining('asset-gateway: Nothing to serve')]);
    const none = run({ ...paid, DATA_DIR: `${folder}/none` });
    await expect(none).rejects.toMatchObject({ faults: [expect.stringContaining('no gateway has served from')] });
    const unsold = run({ ...paid, REDIS_URL: 'redis://127.0.0.1:1', GATEWAY_SECRET: SECRET });
    await expect(unsold).rejects.toMatchObject({ faults: [expect.stringContaining('DATABASE_URL is required')] });
    const away = run({ ...paid, DATABASE_URL: 'postgres://127.0.0.1:1/gateway' });
    const silent = { faults: [expect.stringMatching(/^DATABASE_URL: .*does not answer/)] };
    await expect(away).rejects.toMatchObject(silent);
    const awayToo = run({ ...paid, DATABASE_URL: 'postgres://127.0.0.1:1/gateway' }, 'verify', '--repair');
    await expect(awayToo).rejects.toMatchObject(silent);
    await new SqliteDatabase(sqliteIn(folder), { now: Date.now }).close();
    const empty = await run({ ...paid, DATA_DIR: folder });
    expect([empty.code, empty.stdout]).toEqual([0, expect.stringMatching(/^cluster +route [^\n]*\n$/)]);
    expect(await run({ ...paid, DATA_DIR: folder }, 'unresolved')).toMatchObject({ code: 0, stderr: '' });
    const chainless = run({ ...paid, DATA_DIR: folder }, 'verify');
    await expect(chainless).rejects.toMatchObject({ faults: [expect.stringContaining('no chain to compare with')] });
  });

  it('--follow writes each entry when it is appended', { timeout: 60_000 }, async () => {
    const gateway = await startSellingGateway({}, { dataDir: folder });
    await buyOnce(gateway);
    const variables = { ...gateway.solana.variables, DATA_DIR: folder };
    const following = startSales(variables, '--follow', '--json', '--since', '1h');
    const lines = () =>
      following
        .stdout()
        .trimEnd()
        .split('\n')
        .filter((line) => line !== '');
    await until(() => lines().length === 1, 20_000);
    await buyOnce(gateway);
    await until(() => lines().length === 2, 20_000);
    following.child.kill('SIGTERM');
    await following.ended;
    const entries = lines().map((line) => JSON.parse(line));
    expect(entries.map(({ kind }) => kind)).toEqual(['settlement', 'settlement']);
    const [, transfer] = gateway.solana.mainnet.transfers;
    expect(entries[1]).toMatchObject({ transaction: transfer?.signature, wallet: transfer?.from });
    expect(entries[1].request_id).not.toBe('');
    await gateway.stop();
  });
});
