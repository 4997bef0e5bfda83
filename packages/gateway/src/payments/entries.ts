import { clusterOfNetwork } from '@asset-gateway/protocol';
import type { JournalEntry } from '../stores/sql/journal.ts';
import type { Step } from './machine.ts';
import { amountOf, FAILED_ON_CHAIN, type PaymentRecord } from './record.ts';

function entryOf(record: PaymentRecord, kind: 'settlement' | 'refusal'): JournalEntry {
  const { key, network, payer: wallet, route, requestId, signature: transaction = '' } = record;
  const isOnChain = kind === 'settlement' || record.reason === FAILED_ON_CHAIN;
  const feeLamports = isOnChain ? record.feeLamports : 0;
  return {
    kind,
    key,
    cluster: clusterOfNetwork(network),
    wallet,
    micros: amountOf(record),
    feeLamports,
    transaction,
    route,
    requestId,
  };
}

/**
 * What the journal says of a step: each payment that has settled, the credit that it brought, and each payment that was refused after
 * its verification. The fee of a grant is that of its settlement.
 */
export function entriesOf({ before, after }: Step): readonly JournalEntry[] {
  const { record } = after;
  if (!record || record.progress === before.record?.progress) return [];
  if (record.progress === 'refused') return [entryOf(record, 'refusal')];
  if (record.progress !== 'settled') return [];
  const settlement = entryOf(record, 'settlement');
  const { creditMicros = 0 } = record;
  return creditMicros === 0
    ? [settlement]
    : [settlement, { ...settlement, kind: 'grant', micros: creditMicros, feeLamports: 0 }];
}
