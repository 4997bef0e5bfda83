import { NETWORKS } from '@asset-gateway/protocol';
import type { ReadEntry } from '../../packages/gateway/src/sales/books.ts';
import { append, type Database, type JournalEntry } from '../../packages/gateway/src/stores/sql/database.ts';

let serial = 0;

/** An entry of a settlement with its own payment and transaction. */
export function entryOf(change: Partial<JournalEntry> = {}): JournalEntry {
  const number = String(++serial).padStart(8, '0');
  return {
    kind: 'settlement',
    key: `${NETWORKS.mainnet}:entry-${number}`,
    cluster: 'mainnet',
    wallet: 'FKT3g5Vj8JqAAsMT2oxeiSAzhS6T2vgLPT5mL9wsMuEX',
    micros: 480,
    feeLamports: 10_001,
    transaction: `transaction-${number}`,
    route: 'rpc.mainnet.helius.getBalance',
    requestId: `r-${number}`,
    ...change,
  };
}

/** An entry as it is read. */
export const readEntryOf = (change: Partial<ReadEntry> = {}): ReadEntry => ({
  ...entryOf(change),
  id: 1,
  at: '2026-11-20T00:00:00.000Z',
  atMs: Date.parse('2026-11-20T00:00:00Z'),
  node: '00112233',
  ...change,
});

const WALLET = `insert into wallets (cluster, address) select $1, $2 where {in time}
  on conflict (cluster, address) do update set address = excluded.address returning id`;

/** Appends an entry, as a step does that has changed its wallet. */
export async function appendEntry(database: Database, entry: JournalEntry, atMs = database.now()): Promise<void> {
  const guard = { sql: WALLET, values: [entry.cluster, entry.wallet] };
  await database.write({ guard, changes: [append(entry, atMs)] });
}
