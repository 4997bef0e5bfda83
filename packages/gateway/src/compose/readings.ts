import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Answer } from '../call.ts';
import type { Readings } from '../metrics/readings.ts';
import type { Payments } from '../payments/payments.ts';
import type { SingleChannel } from './channels.ts';
import type { Foundation } from './dependencies.ts';
import type { Parts } from './endpoints.ts';

const READY: Answer = { json: JSON.stringify({ ok: true, status: 'ready' }) };

/** Why this node cannot serve requests now; undefined while it is ready. */
function notReadyCode({ store, isStopping }: Foundation): RefusalCode | undefined {
  if (isStopping()) return 'shutting_down';
  return store.ready() ? undefined : 'state_unavailable';
}

/** Answers the readiness probe. Refuses by throwing if this node is not ready. */
export function readiness(foundation: Foundation): Answer {
  const code = notReadyCode(foundation);
  if (code) throw new Refusal(code, { reason: 'not ready' });
  return READY;
}

/** Payments with an unknown outcome. */
async function readOpen(payments: Payments) {
  const records = await payments.open();
  const ages = records.map(({ settlingSinceMs }) => payments.now() - (settlingSinceMs ?? payments.now()));
  return { count: records.length, oldestMs: Math.max(0, ...ages) };
}

/** While the store is unavailable, the other metrics are still answered. */
const unavailable = () => undefined;

/** The readings of a gateway, for its metrics. */
export function readingsOf(
  foundation: Foundation,
  { channels, caches, exact, blocked }: Pick<Parts, 'channels' | 'caches' | 'exact' | 'blocked'>,
): Readings {
  const { money, config } = foundation;
  const read = ({ name, upstream, keys }: SingleChannel) => {
    const { left, pauseMs } = keys.view();
    const { isOpen: isLeftAlone } = upstream;
    return { ...name, left, limit: keys.limit, pauseMs, isLeftAlone, keysSetAside: keys.setAside() };
  };
  return {
    isReady: () => notReadyCode(foundation) === undefined,
    channels: () => channels.singles().map(read),
    cache: () => [...caches.values()][0]?.reading(),
    openPayments: async () => (money ? readOpen(money.payments).catch(unavailable) : { count: 0, oldestMs: 0 }),
    owedCredit: async () => money?.accounts.owed().catch(unavailable),
    isDatabaseUp: () => money?.database.isReady(),
    feePayers: async () => exact?.feePayers() ?? [],
    sales: () => exact?.sales() ?? [],
    blocked: () => blocked?.list.counts,
    solPriceUsd: config.paid?.solPriceUsd,
  };
}
