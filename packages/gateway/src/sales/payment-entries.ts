import type { Companion } from '../payments/companion.ts';
import { amountOf, FAILED_ON_CHAIN, type PaymentRecord } from '../payments/record.ts';
import type { JournalEntry } from '../payments/store/journal.ts';

function entryOf(record: PaymentRecord, kind: 'settlement' | 'refusal', node: string): JournalEntry {
  const { key: id, network, payer: wallet, route = '', requestId = '' } = record;
  const isOnChain = kind === 'settlement' || record.reason === FAILED_ON_CHAIN;
  const micros = amountOf(record);
  const feeLamports = isOnChain ? (record.feeLamports ?? 0) : 0;
  const transaction = record.signature ?? '';
  return { kind, id, network, wallet, micros, feeLamports, transaction, route, requestId, node };
}

/** What the journal says of payments: each that has settled, and each that was refused after its verification. */
export const paymentEntries: Companion = {
  entriesOf({ before, after }, node) {
    const { record } = after;
    if (!record || record.progress === before.record?.progress) return [];
    if (record.progress === 'settled') return [entryOf(record, 'settlement', node)];
    return record.progress === 'refused' ? [entryOf(record, 'refusal', node)] : [];
  },
};
