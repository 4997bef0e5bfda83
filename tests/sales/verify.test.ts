import { cpSync, rmSync } from 'node:fs';
import type { Environment } from '@asset-gateway/gateway';
import bs58 from 'bs58';
import Connection from 'libsql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Discrepancy } from '../../packages/gateway/src/sales/audit.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { startChains, startSellingGateway } from '../kit/test-gateway.ts';
import { type Buyer, newBuyer } from '../payments/fault-buyer.ts';
import { newSale } from '../payments/sale.ts';
import { runSales, sendGift } from './kit.ts';

type Row = Readonly<Record<string, unknown>>;

const fileIn = (folder: string): string => `${folder}/gateway.db`;

function using<T>(folder: string, task: (connection: Connection.Database) => T): T {
  const connection = new Connection(fileIn(folder));
  try {
    return task(connection);
  } finally {
    connection.close();
  }
}

const read = (folder: string, sql: string): Row[] =>
  using(folder, (connection) => connection.prepare(sql).all() as Row[]);

interface Outcome {
  readonly code: number;
  readonly found: readonly Discrepancy[];
  readonly report: string;
}

const NOWHERE = bs58.encode(Buffer.alloc(64, 7));
const FIRST = '(select min(id) from journal_entries)';
const COLUMNS = 'at, kind, cluster, wallet_id, route, micro_usdc, fee_lamports, signature, request_id, node, key';
const REMOVE = `delete from journal_entries where id = ${FIRST}`;
const change = (what: string) => `update journal_entries set ${what} where id = ${FIRST}`;

/** Adds a copy of the first entry, with some columns changed. */
function add(changes: Readonly<Record<string, string>>): string {
  const values = COLUMNS.split(', ').map((name) => changes[name] ?? name);
  return `insert into journal_entries (${COLUMNS}) select ${values.join(', ')} from journal_entries where id = ${FIRST}`;
}

/** Changes the wallet of the first entry. `price` is the amount of that entry. */
const changeWallet = (what: string) => `update wallets set ${what.replaceAll(
  'price',
  `(
  select micro_usdc from journal_entries where id = ${FIRST})`,
)}
  where id = (select wallet_id from journal_entries where id = ${FIRST})`;
const moveTo = (cluster: string, address: string) => [
  `insert into wallets (cluster, address) select ${cluster}, ${address} from wallets where id = (
    select wallet_id from journal_entries where id = ${FIRST})`,
  change('wallet_id = (select max(id) from wallets)'),
];

const SEEDED: Readonly<Record<string, readonly [statements: readonly string[], fault: string]>> = {
  'a transfer without entry': [[REMOVE], 'transfer without entry'],
  'an entry without transfer': [[add({ signature: `'${NOWHERE}'`, key: `'other'` })], 'entry without transfer'],
  'a different amount': [[change('micro_usdc = micro_usdc + 1')], 'amount differs'],
  'a different wallet': [moveTo('cluster', `'somebody'`), 'wallet differs'],
  'a different network': [[...moveTo(`'devnet'`, 'address'), change(`cluster = 'devnet'`)], 'network differs'],
  'a different fee': [[change('fee_lamports = fee_lamports - 1')], 'fee differs'],
  'a refusal of a payment that was made': [[change(`kind = 'refusal'`)], 'refused but paid'],
  'a grant that nothing was paid for': [
    [add({ kind: `'grant'`, signature: `'${NOWHERE}'`, key: `'other'` }), changeWallet('granted_micro_usdc = price')],
    'granted without settlement',
  ],
  'a grant of more than was paid': [
    [add({ kind: `'grant'`, micro_usdc: 'micro_usdc + 1' }), changeWallet('granted_micro_usdc = price + 1')],
    'granted beyond settlement',
  ],
  'a balance that differs from the journal': [
    [add({ kind: `'grant'` }), changeWallet('granted_micro_usdc = price, spent_micro_usdc = 1')],
    'balance differs',
  ],
};

describe('sales verify', () => {
  const ENTRIES = `select kind, cluster, wallet_id, route, micro_usdc, fee_lamports, signature, request_id, key, is_repair
    from journal_entries order by signature, id`;
  const solana = inSuite(() => startChains());
  const original = makeFolder();
  let buyer: Buyer;
  beforeAll(async () => {
    buyer = await newBuyer(solana.mainnet);
    const gateway = await startSellingGateway({}, { solana, dataDir: original });
    for (let count = 0; count < 4; count++) {
      expect((await (await newSale(gateway, buyer)).ask()).status).toBe(200);
    }
    await gateway.stop();
  }, 120_000);
  afterAll(() => rmSync(original, { recursive: true, force: true }));

  async function run(DATA_DIR: string, words: readonly string[] = [], variables: Environment = {}): Promise<Outcome> {
    const all = { PORT: '0', ...solana.variables, DATA_DIR, ...variables };
    const { code, stdout, stderr } = await runSales(all, 'verify', '--json', ...words);
    return { code, found: JSON.parse(stdout), report: stderr };
  }

  /** Does something with a copy that these statements have changed. */
  async function afterwards<T>(statements: readonly string[], look: (copy: string) => Promise<T>): Promise<T> {
    const copy = makeFolder();
    cpSync(original, copy, { recursive: true });
    using(copy, (connection) => connection.exec(statements.join(';')));
    return look(copy).finally(() => rmSync(copy, { recursive: true, force: true }));
  }

  it('finds nothing if the journal and the chain agree', async () => {
    const { code, found, report } = await run(original);
    expect([code, found]).toEqual([0, []]);
    expect(report).toBe('4 entries, 4 transfers, 0 discrepancies\n');
  });

  it.each(Object.entries(SEEDED))('finds %s, and nothing else', async (_, [statements, fault]) => {
    const { code, found } = await afterwards(statements, run);
    expect(found.map((each) => each.fault)).toEqual([fault]);
    expect(code).toBe(1);
  });

  it('P24 names each payment that a reorganisation of the chain has dropped, and changes no entry', async () => {
    // A chain without the payments is what remains if it drops the blocks that had them.
    const fork = await startChains();
    const before = read(original, ENTRIES);
    const { code, found } = await run(original, ['--repair'], { SOLANA_MAINNET_RPC_URL: fork.mainnet.url });
    expect(new Set(found.map(({ fault }) => fault))).toEqual(new Set(['entry without transfer']));
    expect(found.map(({ transaction }) => transaction).sort()).toEqual(before.map(({ signature }) => signature));
    expect([before.length, code]).toEqual([4, 1]);
    expect(read(original, ENTRIES)).toEqual(before);
  });

  it('compares only sales since a time', async () => {
    const { found, report } = await afterwards([REMOVE], (copy) => run(copy, ['--since', '0m']));
    expect([found, report]).toEqual([[], '0 entries, 0 transfers, 0 discrepancies\n']);
  });

  it('X17 misses no entry from before the journal is complete, and repairs nothing there, an hour of clocks included', async () => {
    const completeSince = (ms: number) => `update books set complete_since = '${new Date(ms).toISOString()}'`;
    for (const agoMs of [0, 50 * 60_000])
      await afterwards([REMOVE, completeSince(Date.now() - agoMs)], async (copy) => {
        const { code, found, report } = await run(copy, ['--since', 'all', '--repair']);
        expect([code, found]).toEqual([0, []]);
        expect(report).toBe('0 entries appended\n0 entries, 0 transfers, 0 discrepancies\n');
      });
    await afterwards([REMOVE, completeSince(Date.now() - 2 * 3_600_000)], async (copy) => {
      expect((await run(copy)).found.map(({ fault }) => fault)).toEqual(['transfer without entry']);
    });
  });

  const BALANCES = 'select wallet, granted_micro_usdc, spent_micro_usdc from credit_balances';

  it('--repair appends a missing entry once, with everything that the chain shows', async () => {
    const before = read(original, ENTRIES);
    const [removed] = read(original, `select signature from journal_entries where id = ${FIRST}`);
    await afterwards([REMOVE], async (copy) => {
      const { code, found, report } = await run(copy, ['--repair']);
      expect([code, found]).toEqual([0, []]);
      expect(report).toContain('1 entries appended');
      const unknown = { route: '', request_id: '', is_repair: 1 };
      expect(read(copy, ENTRIES)).toEqual(
        before.map((entry) => (entry.signature === removed?.signature ? { ...entry, ...unknown } : entry)),
      );
      expect((await run(copy, ['--repair'])).report).toContain('0 entries appended');
    });
  });

  it('X7 --repair grants no credit for a call that cost as much as a bundle', async () => {
    const [removed] = read(original, `select * from journal where id = ${FIRST}`);
    const micros = Number(removed?.micro_usdc);
    const credit = { CREDIT: 'on', CREDIT_BUNDLE_USD: String(micros / 1_000_000) };
    await afterwards([REMOVE], async (copy) => {
      const first = await run(copy, ['--repair'], credit);
      expect([first.code, first.found]).toEqual([0, []]);
      const repaired = read(copy, 'select kind, micro_usdc from journal_entries where is_repair = 1');
      expect(repaired).toEqual([{ kind: 'settlement', micro_usdc: micros }]);
      expect(read(copy, BALANCES)).toEqual([]);
    });
  });

  it('--repair grants the transfer of a payment that credit had covered', async () => {
    const [removed] = read(original, `select micro_usdc from journal_entries where id = ${FIRST}`);
    const micros = Number(removed?.micro_usdc);
    const covered = [
      changeWallet('granted_micro_usdc = price, spent_micro_usdc = price'),
      add({ kind: `'debit'`, signature: 'null', fee_lamports: '0' }),
      REMOVE,
    ];
    await afterwards(covered, async (copy) => {
      for (let time = 0; time < 2; time++) await run(copy, ['--repair'], { CREDIT: 'on' });
      const [balance] = read(copy, BALANCES);
      expect([balance?.granted_micro_usdc, balance?.spent_micro_usdc]).toEqual([2 * micros, micros]);
    });
  });

  it('--repair does not count a gift as a sale', async () => {
    await afterwards([], async (copy) => {
      await sendGift(solana, buyer, 5);
      const { code, found, report } = await run(copy, ['--repair']);
      expect([code, found.map((each) => [each.fault, each.found])]).toEqual([1, [['transfer without entry', 5]]]);
      expect(report).toContain('0 entries appended');
    });
  });
});
