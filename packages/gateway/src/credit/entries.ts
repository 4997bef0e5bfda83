import type { JournalEntry } from '../payments/store/journal.ts';
import type { NewDebit } from './debit.ts';

type Movement = Pick<NewDebit, 'id' | 'network' | 'wallet' | 'micros' | 'route' | 'requestId'>;

/** What the journal says of a movement. The fee of a grant is that of its settlement, which has an entry of its own; a debit has none. */
export function entryOf(
  kind: 'grant' | 'debit',
  { id, network, wallet, micros, route, requestId }: Movement,
  written: Pick<JournalEntry, 'transaction' | 'node'>,
): JournalEntry {
  return { kind, id, network, wallet, micros, route, requestId, feeLamports: 0, ...written };
}
