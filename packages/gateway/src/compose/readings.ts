import type { Readings } from '../metrics/readings.ts';
import type { PaymentStore } from '../stores/payments.ts';
import type { Store } from '../stores/ports.ts';
import type { Lane, Lanes } from './lanes.ts';
import { whyNotReady } from './readiness.ts';
import type { Shop } from './shop.ts';

/** What is read from. */
export interface Sources {
  readonly store: Store;
  readonly lanes: Lanes;
  readonly payments: PaymentStore | undefined;
  readonly shop: Shop | undefined;
  readonly isStopping: () => boolean;
}

/** A store that cannot be reached must not keep the other metrics from being given out. */
const countOpen = (payments: PaymentStore): Promise<number | undefined> =>
  payments.open().then(
    ({ length }) => length,
    () => undefined,
  );

/** What the metrics look up in a house that is put together. */
export function readingsOf({ store, lanes, payments, shop, isStopping }: Sources): Readings {
  const read = ({ name, upstream, budget }: Lane) => ({
    ...name,
    left: store.view(budget).left,
    limit: budget.limit,
    isLeftAlone: upstream.isOpen,
  });
  return {
    isReady: () => whyNotReady(store, isStopping()) === undefined,
    lanes: () => Array.from(lanes.all(), read),
    openPayments: async () => (payments ? countOpen(payments) : 0),
    feePayers: async () => shop?.feePayers() ?? [],
  };
}
