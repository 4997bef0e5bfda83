import { readFileSync, rmSync, statSync } from 'node:fs';
import { open } from 'lmdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openArchive } from '../../packages/gateway/src/compose/sales.ts';
import { type Environment, readConfig } from '../../packages/gateway/src/config/config.ts';
import type { JournalEntry } from '../../packages/gateway/src/payments/store/journal.ts';
import type { JournalKey } from '../../packages/gateway/src/payments/store/journal-table.ts';
import { sales } from '../../packages/gateway/src/sales/command.ts';
import { USAGE } from '../../packages/gateway/src/sales/usage.ts';
import { type Command, node, type Outcome, runCommand, startCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { testInCi } from '../kit/optional.ts';
import { redisSuite, startRedis } from '../kit/redis.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, askUntilDecided, newBuyer, newPath, until } from '../payments/fault-buyer.ts';
import { compileGateway } from '../process/program.ts';
import { entryOf } from './entries.ts';

const MAIN = 'packages/gateway/bin/main.js';
const SECRET = 'a-secret-of-these-nodes-that-is-long';

beforeAll(compileGateway, 120_000);

type Run = (variables: Environment, ...words: string[]) => Promise<Outcome>;

/** The command in a process of its own, with a gateway's variables. */
const startSales = (variables: Environment, ...words: string[]): Command =>
  startCommand(node(MAIN, 'sales', ...words), { env: variables as NodeJS.ProcessEnv });
const runProgram: Run = (variables, ...words) => startSales(variables, ...words).ended;

class Written {
  text = '';
  write(text: string): void {
    this.text += text;
  }
}

/** The command in this process: where only its outcome is looked at, most of the time would go into starting another one. */
const run: Run = async (variables, ...words) => {
  const [stdout, stderr] = [new Written(), new Written()];
  const open = async (toRepair: boolean) => openArchive(readConfig(variables), toRepair);
  const code = await sales(words, { stdout, stderr }, open);
  return { code, stdout: stdout.text, stderr: stderr.text };
};

async function buy({ url, solana }: SellingGateway): Promise<void> {
  const path = url + newPath();
  expect((await ask(path, await (await newBuyer(solana.mainnet)).pay(path))).status).toBe(200);
}

interface Scene {
  readonly gateway: SellingGateway;
  readonly variables: Environment;
  close(): Promise<void>;
}

/** A suite for a gateway that is serving. */
function suite(run: Run, start: () => Promise<Scene>): void {
  let gateway: SellingGateway;
  let variables: Environment;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ gateway, variables, close } = await start());
    await buy(gateway);
  }, 120_000);
  afterAll(() => close());

  it('says what was sold, to a person, a spreadsheet and a program', { timeout: 60_000 }, async () => {
    const person = await run(variables);
    expect(person).toMatchObject({ code: 0, stderr: '' });
    expect(person.stdout).toMatch(/^cluster +route +settlements .*\nmainnet +wallet\.mainnet\.helius\.balances +1 /);
    const spreadsheet = await run(variables, '--csv', '--by', 'day');
    expect(spreadsheet.stdout).toMatch(
      /^cluster,day,settlements,.*\r\nmainnet,\d{4}-\d\d-\d\d,1,0,0,0,\d+,0,0,\d+,,\r\n$/,
    );
    const [program] = JSON.parse((await run(variables, '--json', '--by', 'wallet', '--since', '1h')).stdout);
    expect(program).toMatchObject({ cluster: 'mainnet', settlements: 1 });
  });

  it('--follow writes each entry as it is appended', { timeout: 60_000 }, async () => {
    const following = startSales(variables, '--follow', '--json', '--since', '1h');
    const lines = () =>
      following
        .stdout()
        .trimEnd()
        .split('\n')
        .filter((line) => line !== '');
    await until(() => lines().length === 1, 20_000);
    await buy(gateway);
    await until(() => lines().length === 2, 20_000);
    following.child.kill('SIGTERM');
    await following.ended;
    const entries = lines().map((line) => JSON.parse(line));
    expect(entries.map(({ kind }) => kind)).toEqual(['settlement', 'settlement']);
    const [, transfer] = gateway.solana.mainnet.transfers;
    expect(entries[1]).toMatchObject({ transaction: transfer?.signature, wallet: transfer?.from });
    expect(entries[1].request_id).not.toBe('');
  });

  it('verify finds the journal and the chain at one', { timeout: 60_000 }, async () => {
    const { code, stdout, stderr } = await run(variables, 'verify');
    expect([code, stdout, stderr]).toEqual([0, '', '2 entries, 2 transfers, 0 discrepancies\n']);
  });

  it('unresolved lists what may have moved money, and verify waits for it', { timeout: 60_000 }, async () => {
    const { faults } = gateway.solana.mainnet;
    const refuse = { getSignatureStatuses: { code: -32_000, message: 'not now' } };
    Object.assign(faults, { dropAfterBroadcast: true, refuse });
    const path = gateway.url + newPath();
    const buyer = await newBuyer(gateway.solana.mainnet);
    const payment = await buyer.pay(path);
    expect((await ask(path, payment)).status).toBe(503);
    const [open, ...others] = JSON.parse((await run(variables, 'unresolved', '--json')).stdout);
    expect([open, others]).toMatchObject([
      { state: 'unresolved', route: 'wallet.mainnet.helius.balances', wallet: buyer.address },
      [],
    ]);
    const ageMs = Date.now() - Date.parse(open.since);
    expect(ageMs).toBeGreaterThan(0);
    expect((await run(variables, 'verify')).stderr).toBe('2 entries, 3 transfers, 0 discrepancies\n');
    faults.reset();
    expect((await askUntilDecided(path, payment, 30_000)).status).toBe(200);
    expect((await run(variables, 'unresolved', '--csv')).stdout.split('\r\n')).toHaveLength(2);
    expect((await run(variables, 'verify')).stderr).toBe('3 entries, 3 transfers, 0 discrepancies\n');
  });
}

describe('the command beside a gateway with a folder', () => {
  suite(runProgram, async () => {
    const folder = makeFolder();
    const gateway = await startSellingGateway({}, { dataDir: folder });
    return {
      gateway,
      variables: { ...gateway.solana.variables, DATA_DIR: folder },
      async close() {
        await gateway.stop();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  });
});

redisSuite('the command beside a gateway on Redis', () => {
  suite(run, async () => {
    const redis = await startRedis();
    const shared = { REDIS_URL: redis.url, GATEWAY_SECRET: SECRET };
    const gateway = await startSellingGateway(shared);
    return {
      gateway,
      variables: { ...gateway.solana.variables, ...shared },
      async close() {
        await gateway.stop();
        await redis.stop();
      },
    };
  });
});

describe('the command', () => {
  const folder = makeFolder();
  const paid = { TOKENS_API_KEY: 'a-key' };
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('says how it is used, as the docs do', async () => {
    expect(await run({}, '--help')).toEqual({ code: 0, stdout: USAGE, stderr: '' });
    expect(readFileSync('docs/sales.md', 'utf8')).toContain(`\`\`\`\n${USAGE}\`\`\``);
  });

  it('names words that it does not understand', async () => {
    const { code, stdout, stderr } = await run({}, '--colour');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^Usage: asset-gateway sales .*Unknown option '--colour'/s);
  });

  it('needs what a gateway needs, a folder in which one has served, and for verify a chain', async () => {
    const unset = await runProgram({});
    expect([unset.code, unset.stderr]).toEqual([1, expect.stringContaining('asset-gateway: Nothing to serve')]);
    const none = run({ ...paid, DATA_DIR: `${folder}/none` });
    await expect(none).rejects.toMatchObject({ faults: [expect.stringContaining('no gateway has served from')] });
    const away = run({ ...paid, REDIS_URL: 'redis://127.0.0.1:1', GATEWAY_SECRET: SECRET });
    await expect(away).rejects.toMatchObject({ faults: ['REDIS_URL: Redis does not answer.'] });
    await open({ path: `${folder}/gateway.lmdb` }).close();
    const empty = await run({ ...paid, DATA_DIR: folder });
    expect([empty.code, empty.stdout]).toEqual([0, expect.stringMatching(/^cluster +route [^\n]*\n$/)]);
    expect(await run({ ...paid, DATA_DIR: folder }, 'unresolved')).toMatchObject({ code: 0, stderr: '' });
    const chainless = run({ ...paid, DATA_DIR: folder }, 'verify');
    await expect(chainless).rejects.toMatchObject({ faults: [expect.stringContaining('no chain to compare with')] });
  });

  testInCi(
    'groups 100,000 entries in less than five seconds of a processor, while another process appends',
    {
      timeout: 120_000,
    },
    async () => {
      const many = makeFolder();
      const root = open({ path: `${many}/gateway.lmdb`, maxDbs: 20 });
      const journal = root.openDB<JournalEntry, JournalKey>({ name: 'journal' });
      const startMs = Date.now() - 86_400_000;
      const entry = (index: number): [JournalKey, JournalEntry] => {
        const wallet = `wallet ${index % 1_000}`.padEnd(44, '-');
        const [id, route] = [`${entryOf().id}${index}`, `route.of.the.table.${index % 41}`];
        return [[startMs + index, index, 'test'], entryOf({ id, wallet, route, requestId: 'r'.repeat(32) })];
      };
      root.transactionSync(() => {
        for (let index = 0; index < 100_000; index++) journal.putSync(...entry(index));
      });
      await root.flushed;
      const bytes = Math.round(statSync(`${many}/gateway.lmdb`).size / 100_000);
      let appended = 100_000;
      const appending = setInterval(() => void journal.put(...entry(appended++)), 1);
      const words = ['--import', './tests/sales/processor-time.mjs', MAIN, 'sales', '--by', 'wallet', '--json'];
      const startedAt = performance.now();
      const { code, stdout, stderr } = await runCommand([process.execPath, ...words], {
        env: { ...paid, DATA_DIR: many },
      });
      const seconds = (performance.now() - startedAt) / 1_000;
      clearInterval(appending);
      await root.close();
      rmSync(many, { recursive: true, force: true });
      const groups = JSON.parse(stdout) as { settlements: number }[];
      const total = groups.reduce((sum, { settlements }) => sum + settlements, 0);
      expect([code, groups.length]).toEqual([0, 1_000]);
      expect(total).toBeGreaterThanOrEqual(100_000);
      const { processorSeconds } = JSON.parse(stderr) as { processorSeconds: number };
      process.stdout.write(
        `grouped ${total} entries in ${seconds.toFixed(2)} s, ${processorSeconds} s of a processor, ${bytes} bytes each\n`,
      );
      // Processor time holds still where the machine is busy with something else.
      expect(processorSeconds).toBeLessThan(5);
    },
  );
});
