import type { PaidConfig } from '../config/paid.ts';
import { CoveredPayments } from '../credit/covered-payments.ts';
import { lateGrants } from '../credit/grants.ts';
import type { PaymentDocuments } from '../payments/store/port.ts';
import type { PayeeChain } from '../sales/audit.ts';
import { CoveredWatch, type CoveredWatchParts } from '../sales/covered-watch.ts';
import { payeesOf } from './sales.ts';

/** What covered payments are watched from. */
export interface CoveredParts extends Pick<CoveredWatchParts, 'pace'> {
  readonly paid: PaidConfig;
  readonly documents: PaymentDocuments;
}

/** Watches payments that credit has covered. Its chains are opened when there is something to look for. */
export function watchCovered({ paid, documents, pace }: CoveredParts): { close(): Promise<void> } {
  let opened: Promise<PayeeChain[]> | undefined;
  const payees = () => {
    opened ??= payeesOf(paid);
    return opened;
  };
  const grantOf = lateGrants([], () => documents.now());
  const covered = new CoveredPayments(documents);
  const watch = new CoveredWatch({ covered, documents, payees, grantOf, pace });
  return {
    async close() {
      const ended = watch.close();
      for (const { chain } of (await opened) ?? []) await chain.close();
      await ended;
    },
  };
}
