import type { PaidConfig } from '../config/paid.ts';
import { CoveredPayments } from '../credit/covered-payments.ts';
import type { PayeeChain } from '../sales/audit.ts';
import { CoveredWatch, type CoveredWatchParts } from '../sales/covered-watch.ts';
import type { Money } from './money.ts';
import { payeesOf } from './sales.ts';

/** What covered payments are watched from. */
export interface CoveredParts extends Pick<CoveredWatchParts, 'pace'> {
  readonly paid: PaidConfig;
  readonly money: Money;
}

/** Watches payments that credit has covered. Its chains are opened when there is something to look for. */
export function watchCovered({ paid, money, pace }: CoveredParts): { close(): Promise<void> } {
  let opened: Promise<PayeeChain[]> | undefined;
  const payees = () => {
    opened ??= payeesOf(paid);
    return opened;
  };
  const { database, payments } = money;
  const covered = new CoveredPayments(database);
  const findPayment = (key: string) => payments.find(key);
  const watch = new CoveredWatch({ covered, database, findPayment, payees, pace });
  return {
    async close() {
      const ended = watch.close();
      for (const { chain } of (await opened) ?? []) await chain.close();
      await ended;
    },
  };
}
