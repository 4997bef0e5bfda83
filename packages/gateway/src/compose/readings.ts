import { NETWORKS, Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { BlockedFile } from '../blocked/file.ts';
import type { Store } from '../budget/store.ts';
import type { Answer } from '../call.ts';
import type { Config } from '../config/config.ts';
import type { CreditReading, OpenReading, Readings } from '../metrics/readings.ts';
import type { ExactSetup } from '../payments/open.ts';
import type { Payments } from '../payments/payments.ts';
import type { Caches } from './caches.ts';
import type { Channel, Channels } from './channels.ts';
import type { Money } from './money.ts';

const READY: Answer = { json: JSON.stringify({ ok: true, status: 'ready' }) };

/** Why this node should be sent no requests now; nothing while it can serve them. */
function whyNotReady(store: Store, isStopping: boolean): RefusalCode | undefined {
  if (isStopping) return 'shutting_down';
  return store.ready() ? undefined : 'state_unavailable';
}

/** The body of the readiness probe, or its refusal. */
export function readiness(store: Store, isStopping: boolean): Answer {
  const code = whyNotReady(store, isStopping);
  if (code) throw new Refusal(code, { reason: 'not ready' });
  return READY;
}

/** What is read from. */
export interface Sources {
  readonly store: Store;
  readonly channels: Channels;
  readonly caches: Caches;
  readonly money?: Money | undefined;
  readonly exact: ExactSetup | undefined;
  readonly blocked: BlockedFile | undefined;
  readonly isStopping: () => boolean;
  readonly config: Pick<Config, 'paid'>;
}

/** A store that cannot be reached must not keep the other metrics from being given out. */
const readOpen = (payments: Payments): Promise<OpenReading | undefined> =>
  payments.open().then(
    (records) => {
      const ages = records.map(({ settlingSinceMs }) => payments.now() - (settlingSinceMs ?? payments.now()));
      return { count: records.length, oldestMs: Math.max(0, ...ages) };
    },
    () => undefined,
  );

const readCredit = ({ accounts }: Money): Promise<readonly CreditReading[] | undefined> =>
  accounts.owed().then(
    (owed) => Object.entries(NETWORKS).map(([cluster, network]) => ({ cluster, owedMicros: owed.get(network) ?? 0 })),
    () => undefined,
  );

/** What the metrics look up in a gateway that is put together. */
export function readingsOf({ store, channels, caches, money, exact, blocked, isStopping, config }: Sources): Readings {
  const read = ({ name, upstream, allowance, keys }: Channel) => {
    const { left, pauseMs } = allowance.view();
    const { isOpen: isLeftAlone } = upstream;
    return { ...name, left, limit: allowance.limit, pauseMs, isLeftAlone, keysSetAside: keys.setAside() };
  };
  return {
    isReady: () => whyNotReady(store, isStopping()) === undefined,
    channels: () => Array.from(channels.all(), read),
    cache: () => [...caches.values()][0]?.reading(),
    openPayments: async () => (money ? readOpen(money.payments) : { count: 0, oldestMs: 0 }),
    credit: async () => (money ? readCredit(money) : []),
    isDatabaseUp: () => money?.database.isReady(),
    feePayers: async () => exact?.feePayers() ?? [],
    sales: () => exact?.sales() ?? [],
    blocked: () => blocked?.list.counts,
    solPriceUsd: config.paid?.solPriceUsd,
  };
}
