import { cpSync, rmSync } from 'node:fs';
import type { Environment } from '@asset-gateway/gateway';
import { NETWORKS } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { open } from 'lmdb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openArchive } from '../../packages/gateway/src/compose/sales.ts';
import { readConfig } from '../../packages/gateway/src/config/config.ts';
import type { JournalEntry } from '../../packages/gateway/src/payments/store/journal.ts';
import type { JournalKey } from '../../packages/gateway/src/payments/store/journal-table.ts';
import { sales } from '../../packages/gateway/src/sales/command.ts';
import type { Discrepancy } from '../../packages/gateway/src/sales/verify.ts';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { makeFolder } from '../kit/folder.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, type Buyer, newBuyer, newPath } from '../payments/fault-buyer.ts';
import { sendGift } from './gift.ts';

type Solana = Awaited<ReturnType<typeof startSolanaSandbox>>;

let solana: Solana;
let buyer: Buyer;
const folder = makeFolder();
beforeAll(async () => {
  solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
  buyer = await newBuyer(solana.mainnet);
  const gateway = await startSellingGateway({}, { dataDir: folder, solana });
  for (let count = 0; count < 4; count++) {
    const path = gateway.url + newPath();
    expect((await ask(path, await buyer.pay(path))).status).toBe(200);
  }
  await gateway.stop();
}, 120_000);
afterAll(async () => {
  await solana.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Outcome {
  readonly code: number;
  readonly found: readonly Discrepancy[];
  readonly report: string;
}

const run = (dataDir: string, ...words: string[]): Promise<Outcome> => runWith({}, dataDir, ...words);

async function runWith(variables: Environment, dataDir: string, ...words: string[]): Promise<Outcome> {
  const [out, report]: [string[], string[]] = [[], []];
  const output = {
    stdout: { write: (text: string) => out.push(text) },
    stderr: { write: (text: string) => report.push(text) },
  };
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, ...solana.variables, ...variables });
  const code = await sales(['verify', '--json', ...words], output, (toRepair) => openArchive(config, toRepair));
  return { code, found: JSON.parse(out.join('')), report: report.join('') };
}

interface Ledger {
  readonly entries: readonly { readonly key: JournalKey; readonly value: JournalEntry }[];
  put(key: JournalKey, entry: JournalEntry): void;
  remove(key: JournalKey): void;
  putDocument(name: string, value: unknown): void;
}

/** The account of a wallet in a folder. */
async function accountIn(dataDir: string, name: string): Promise<unknown> {
  const root = open({ path: `${dataDir}/gateway.lmdb`, maxDbs: 20 });
  const kept = root.openDB<{ readonly value: unknown }, string>({ name: 'documents' }).get(name);
  await root.close();
  return kept?.value;
}

/** Lets something happen to a journal, and answers what was in it before. */
async function change(dataDir: string, happen: (ledger: Ledger) => void): Promise<Ledger['entries']> {
  const root = open({ path: `${dataDir}/gateway.lmdb`, maxDbs: 20 });
  const journal = root.openDB<JournalEntry, JournalKey>({ name: 'journal' });
  const documents = root.openDB({ name: 'documents' });
  const entries = Array.from(journal.getRange());
  happen({
    entries,
    put: (key, entry) => void journal.put(key, entry),
    remove: (key) => void journal.remove(key),
    putDocument: (name, value) => void documents.put(name, { value }),
  });
  await root.flushed;
  await root.close();
  return entries;
}

function copyOf(dataDir: string): string {
  const copy = makeFolder();
  cpSync(`${dataDir}/gateway.lmdb`, `${copy}/gateway.lmdb`);
  return copy;
}

/** What is found in a copy to which something has happened. */
async function afterwards(happen: (ledger: Ledger) => void, ...words: string[]): Promise<Outcome> {
  const copy = copyOf(folder);
  await change(copy, happen);
  const outcome = await run(copy, ...words);
  rmSync(copy, { recursive: true, force: true });
  return outcome;
}

/** Changes the first entry. */
const changing = (change: (entry: JournalEntry) => Partial<JournalEntry>) => (ledger: Ledger) => {
  const [first] = ledger.entries;
  if (!first) throw new Error('nothing was sold');
  ledger.put(first.key, { ...first.value, ...change(first.value) });
};

/** Adds one to the first entry. */
const adding = (change: (entry: JournalEntry) => Partial<JournalEntry>) => (ledger: Ledger) => {
  const [first] = ledger.entries;
  if (!first) throw new Error('nothing was sold');
  ledger.put([first.key[0], 1_000_000, 'added'], { ...first.value, ...change(first.value) });
};

const removing = ({ entries, remove }: Ledger) => {
  const [first] = entries;
  if (first) remove(first.key);
};

const NOWHERE = bs58.encode(Buffer.alloc(64, 7));
const SEEDED: Readonly<Record<string, readonly [(ledger: Ledger) => void, faults: readonly string[]]>> = {
  'a transfer without entry': [removing, ['transfer without entry']],
  'an entry without transfer': [adding(() => ({ id: 'other', transaction: NOWHERE })), ['entry without transfer']],
  'an amount that differs': [changing(({ micros }) => ({ micros: micros + 1 })), ['amount differs']],
  'a wallet that differs': [changing(() => ({ wallet: 'somebody' })), ['wallet differs']],
  'a network that differs': [changing(() => ({ network: NETWORKS.devnet })), ['network differs']],
  'a fee that differs': [changing(({ feeLamports }) => ({ feeLamports: feeLamports - 1 })), ['fee differs']],
  'a payment that is counted twice': [adding(() => ({})), ['counted twice']],
  'a transaction that is counted for two payments': [adding(() => ({ id: 'other' })), ['transaction counted twice']],
  'a refusal of what was paid': [changing(() => ({ kind: 'refusal' })), ['refused but paid']],
  'a settlement that names no transaction': [
    adding(() => ({ id: 'other', transaction: '' })),
    ['settlement without transaction'],
  ],
  'a grant that nothing was paid for': [
    (ledger) => {
      adding(({ micros }) => ({ kind: 'grant', id: 'other', micros }))(ledger);
      const [first] = ledger.entries;
      const spentMicros = 0;
      const { micros: grantedMicros = 0, network, wallet } = first?.value ?? {};
      ledger.putDocument(`account:${network}:${wallet}`, { grantedMicros, spentMicros });
    },
    ['granted without settlement'],
  ],
  'a grant of more than was paid': [
    (ledger) => {
      adding(({ micros }) => ({ kind: 'grant', micros: micros + 1 }))(ledger);
      const { micros = 0, network, wallet } = ledger.entries[0]?.value ?? {};
      ledger.putDocument(`account:${network}:${wallet}`, { grantedMicros: micros + 1, spentMicros: 0 });
    },
    ['granted beyond settlement'],
  ],
  'a balance that is not what was granted and spent': [
    (ledger) => {
      adding(() => ({ kind: 'grant' }))(ledger);
      const { micros = 0, network, wallet } = ledger.entries[0]?.value ?? {};
      ledger.putDocument(`account:${network}:${wallet}`, { grantedMicros: micros, spentMicros: 1 });
    },
    ['balance differs'],
  ],
};

describe('sales verify', () => {
  it('finds nothing where the journal and the chain agree', async () => {
    const { code, found, report } = await run(folder);
    expect([code, found]).toEqual([0, []]);
    expect(report).toBe('4 entries, 4 transfers, 0 discrepancies\n');
  });

  it.each(Object.entries(SEEDED))('finds %s, and nothing else', async (_, [happen, faults]) => {
    const { code, found } = await afterwards(happen);
    expect(found.map(({ fault }) => fault)).toEqual(faults);
    expect(code).toBe(1);
  });

  it('compares what was sold since a time only', async () => {
    const { found, report } = await afterwards(removing, '--since', '0m');
    expect([found, report]).toEqual([[], '0 entries, 0 transfers, 0 discrepancies\n']);
  });

  it('takes nothing for missing whose entry may have been let go of', async () => {
    const { found, report } = await runWith({ SALES_KEEP_DAYS: '1' }, folder, '--since', 'all');
    expect(found).toEqual([]);
    expect(report).toContain('0 entries, 0 transfers');
  });

  it('--repair appends what is missing, once, with everything that the chain knows of it', async () => {
    const copy = copyOf(folder);
    const before = await change(copy, removing);
    const { code, found, report } = await run(copy, '--repair');
    expect([code, found]).toEqual([0, []]);
    expect(report).toContain('1 entries appended');
    const after = (await change(copy, () => undefined)).map(({ value }) => value);
    expect(after).toHaveLength(before.length);
    const unknown = { route: '', requestId: '', node: '', isRepair: true };
    expect(after).toContainEqual({ ...before[0]?.value, ...unknown });
    expect((await run(copy, '--repair')).report).toContain('0 entries appended');
    rmSync(copy, { recursive: true, force: true });
  });

  it('--repair grants what was paid for credit, once', async () => {
    const copy = copyOf(folder);
    await change(copy, removing);
    const [removed] = await change(folder, () => undefined);
    const { micros = 0, wallet = '', network = '' } = removed?.value ?? {};
    const credit = { CREDIT: 'on', CREDIT_BUNDLE_USD: String(micros / 1_000_000) };
    const first = await runWith(credit, copy, '--repair');
    expect([first.code, first.found]).toEqual([0, []]);
    expect((await runWith(credit, copy, '--repair')).report).toContain('0 entries appended');
    const kinds = (await change(copy, () => undefined)).filter(({ value }) => value.isRepair).map(({ value }) => value);
    expect(kinds.map(({ kind, micros }) => [kind, micros])).toEqual([
      ['settlement', micros],
      ['grant', micros],
    ]);
    expect(await accountIn(copy, `account:${network}:${wallet}`)).toMatchObject({
      grantedMicros: micros,
      spentMicros: 0,
    });
    rmSync(copy, { recursive: true, force: true });
  });

  it('--repair grants what a payment has moved that credit had covered', async () => {
    const copy = copyOf(folder);
    const [removed] = await change(folder, () => undefined);
    if (!removed) throw new Error('nothing was sold');
    const { micros, wallet, network } = removed.value;
    const name = `account:${network}:${wallet}`;
    await change(copy, (ledger) => {
      removing(ledger);
      ledger.put([...removed.key], { ...removed.value, kind: 'debit', transaction: '', feeLamports: 0 });
      ledger.putDocument(name, { grantedMicros: micros, spentMicros: micros, holds: [], owed: [], movements: [] });
    });
    await runWith({ CREDIT: 'on' }, copy, '--repair');
    await runWith({ CREDIT: 'on' }, copy, '--repair');
    expect(await accountIn(copy, name)).toMatchObject({ grantedMicros: 2 * micros, spentMicros: micros });
    rmSync(copy, { recursive: true, force: true });
  });

  it('--repair takes what somebody has sent who bought nothing for no sale', async () => {
    const copy = copyOf(folder);
    await sendGift(solana, buyer, 5);
    const { code, found, report } = await run(copy, '--repair');
    expect([code, found.map(({ fault, found }) => [fault, found])]).toEqual([1, [['transfer without entry', 5]]]);
    expect(report).toContain('0 entries appended');
    rmSync(copy, { recursive: true, force: true });
  });
});
