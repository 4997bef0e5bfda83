import type { Store } from '../budget/store.ts';
import type { Readings } from '../metrics/readings.ts';
import type { ExactSetup } from '../payments/open.ts';
import type { Payments } from '../payments/payments.ts';
import type { Caches } from './caches.ts';
import type { Channel, Channels } from './channels.ts';
import { whyNotReady } from './readiness.ts';

/** What is read from. */
export interface Sources {
  readonly store: Store;
  readonly channels: Channels;
  readonly caches: Caches;
  readonly payments: Payments | undefined;
  readonly exact: ExactSetup | undefined;
  readonly isStopping: () => boolean;
}

/** A store that cannot be reached must not keep the other metrics from being given out. */
const countOpen = (payments: Payments): Promise<number | undefined> =>
  payments.open().then(
    ({ length }) => length,
    () => undefined,
  );

/** What the metrics look up in a gateway that is put together. */
export function readingsOf({ store, channels, caches, payments, exact, isStopping }: Sources): Readings {
  const read = ({ name, upstream, allowance, keys }: Channel) => ({
    ...name,
    left: allowance.view().left,
    limit: allowance.limit,
    isLeftAlone: upstream.isOpen,
    keysSetAside: keys.setAside(),
  });
  return {
    isReady: () => whyNotReady(store, isStopping()) === undefined,
    channels: () => Array.from(channels.all(), read),
    cache: () => [...caches.values()][0]?.reading(),
    openPayments: async () => (payments ? countOpen(payments) : 0),
    feePayers: async () => exact?.feePayers() ?? [],
    sales: () => exact?.sales() ?? [],
  };
}
