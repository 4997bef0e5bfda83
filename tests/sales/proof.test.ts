import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { Environment } from '@asset-gateway/gateway';
import Connection from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Discrepancy } from '../../packages/gateway/src/sales/audit.ts';
import { buyCredit, CREDIT, paymentOf } from '../credit/gateway.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { startChains, startSellingGateway } from '../kit/test-gateway.ts';
import { callOf, sendPaid } from '../payments/calls.ts';
import { newBuyer } from '../payments/fault-buyer.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { runSales, sendGift } from './kit.ts';

const CALL = callOf('rpc.mainnet.helius.getBalance');
const [PRICE, BUNDLE] = [5, 50_000];
const [OURS, THEIRS, NEXT] = ['our', 'their', 'next'].map((whose) => `${whose} secret of thirty-two letters`);

type Rows = Readonly<Record<string, unknown>>[];

/** A database of money whose journal and balances are lost, as after a restored backup, while the chain has every transfer. */
describe('X7 sales verify, after the journal was lost,', () => {
  const solana = inSuite(() => startChains());
  const folder = makeFolder();
  const using = <T>(task: (connection: Connection.Database) => T): T => {
    const connection = new Connection(`${folder}/gateway.db`);
    try {
      return task(connection);
    } finally {
      connection.close();
    }
  };
  const lose = () =>
    using((connection) =>
      connection.exec('delete from journal_entries; delete from payments; delete from debits; delete from wallets'),
    );
  const balances = () =>
    using((connection) => {
      const rows = connection.prepare('select wallet, balance_micro_usdc as micros from credit_balances').all() as Rows;
      return new Map(rows.map(({ wallet, micros }) => [wallet, micros]));
    });

  async function run(words: readonly string[], variables: Environment = {}) {
    const all = { PORT: '0', ...solana.variables, DATA_DIR: folder, GATEWAY_SECRET: `${NEXT},${OURS}`, ...variables };
    const { code, stdout, stderr } = await runSales(all, 'verify', ...words);
    return { code, stdout, stderr };
  }

  /** The commands for transfers without an entry, by amount. */
  async function commands(): Promise<string[][]> {
    const found: Discrepancy[] = JSON.parse((await run(['--json'])).stdout);
    return found.map(({ found: micros, command = '', transaction }) => [
      String(micros),
      command.replace(transaction, 'SIGNATURE'),
    ]);
  }

  const wallets: Record<'bundle' | 'credit' | 'call' | 'other', Wallet> = {} as never;
  let old: string;
  beforeAll(async () => {
    for (const name of ['bundle', 'credit', 'call', 'other'] as const) wallets[name] = await openWallet(solana);
    const ours = { ...CREDIT, GATEWAY_SECRET: OURS ?? '' };
    const gateway = await startSellingGateway(ours, { solana, dataDir: folder });
    const pay = async (wallet: Wallet, amount: number, at = gateway) =>
      expect((await sendPaid(at, CALL, await paymentOf(at, CALL, wallet, amount))).status).toBe(200);
    await pay(wallets.bundle, BUNDLE);
    await pay(wallets.call, PRICE);
    expect((await buyCredit(gateway, wallets.credit, 250_000)).status).toBe(200);
    await gateway.stop();
    const other = await startSellingGateway({ ...CREDIT, GATEWAY_SECRET: THEIRS ?? '' }, { solana });
    await pay(wallets.other, BUNDLE, other);
    await other.stop();
    const buyer = await newBuyer(solana.mainnet);
    old = buyer.address;
    await sendGift(solana, buyer, BUNDLE, randomBytes(24).toString('base64url'));
    lose();
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('says of each transfer whether a memo proves it, and names the command that books it', async () => {
    expect((await commands()).toSorted()).toEqual([
      [String(250_000), 'asset-gateway sales verify --repair'],
      [String(PRICE), 'asset-gateway sales verify --repair'],
      [String(BUNDLE), 'asset-gateway sales verify --grant SIGNATURE'],
      [String(BUNDLE), 'asset-gateway sales verify --grant SIGNATURE'],
      [String(BUNDLE), 'asset-gateway sales verify --repair'],
    ]);
    expect((await run([])).stdout).toMatch(/asset-gateway sales verify --grant [1-9A-Za-z]{80,}\n/);
    expect(balances()).toEqual(new Map());
  });

  it('grants with --repair the credit that its own memos prove, of rotated secrets too, once, and nothing else', async () => {
    const granted = new Map([
      [wallets.bundle.address, BUNDLE - PRICE],
      [wallets.credit.address, 250_000],
    ]);
    const results = await Promise.allSettled([run(['--repair', '--json']), run(['--repair', '--json'])]);
    expect(results.some(({ status }) => status === 'fulfilled')).toBe(true);
    expect(balances()).toEqual(granted);
    expect((await run(['--repair', '--json'], { CREDIT: 'on' })).stderr).toContain('0 entries appended');
    expect(balances()).toEqual(granted);
    expect(await commands()).toHaveLength(2);
  });

  it('grants the named transfers with --grant, once, and only those younger than the journal', async () => {
    const [gift] = solana.mainnet.transfers.filter(({ from }) => from === old);
    const grant = (...words: string[]) => run(['--grant', gift?.signature ?? '', ...words]);
    using((connection) => connection.exec(`update books set complete_since = '${new Date().toISOString()}'`));
    expect(await grant()).toMatchObject({ code: 1, stderr: expect.stringContaining('add --since all') });
    expect(balances().has(old)).toBe(false);
    const done = await grant('--since', 'all');
    expect([done.code, done.stderr]).toEqual([0, `granted 0.05 USD to ${old} on mainnet\n`]);
    expect(balances().get(old)).toBe(BUNDLE);
    expect(await grant('--since', 'all')).toMatchObject({ code: 1, stderr: expect.stringContaining('has its entry') });
    const none = { code: 1, stderr: expect.stringContaining('no transfer') };
    expect(await run(['--grant', '1'.repeat(64)])).toMatchObject(none);
    expect(balances().get(old)).toBe(BUNDLE);
  });
});
