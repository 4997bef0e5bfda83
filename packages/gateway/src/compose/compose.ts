import { everyRoute, type Route } from '@asset-gateway/protocol';
import type { Config } from '../config/config.ts';
import { createGateway } from '../gateway.ts';
import type { Readings } from '../metrics/readings.ts';
import type { Payments } from '../payments/payments.ts';
import { createMatch } from '../stages/match.ts';
import { Sales } from '../stages/trail.ts';
import type { SingleChannel } from './channels.ts';
import { type Dependencies, type Foundation, layFoundation } from './dependencies.ts';
import { bindEndpoints } from './endpoints.ts';
import { openParts, type Parts } from './parts.ts';
import { watchCovered } from './sales.ts';
import { saleNotices } from './service.ts';

/** Payments with an unknown outcome. */
async function readOpen(payments: Payments) {
  const records = await payments.open();
  const ages = records.map(({ settlingSinceMs }) => payments.now() - (settlingSinceMs ?? payments.now()));
  return { count: records.length, oldestMs: Math.max(0, ...ages) };
}

/** While the store is unavailable, the other metrics are still answered. */
const unavailable = () => undefined;

/** The readings of a gateway, for its metrics. */
function readingsOf(
  { money, config, notReadyCode }: Foundation,
  { channels, caches, exact, blocked }: Parts,
): Readings {
  const read = ({ name, upstream, keys }: SingleChannel) => {
    const { left, pauseMs } = keys.view();
    const { isOpen: isLeftAlone } = upstream;
    return { ...name, left, limit: keys.limit, pauseMs, isLeftAlone, keysSetAside: keys.setAside() };
  };
  return {
    isReady: () => notReadyCode() === undefined,
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

/** Puts the gateway together; the only place that knows every part. */
export async function compose(config: Config, dependencies: Dependencies) {
  const foundation = layFoundation(config, dependencies);
  const { money, log, notice, onFailure, randomId, watchPace: pace } = foundation;
  const { paid, disabled } = config;
  const parts = await openParts(foundation);
  const { service, channels, exact, credit, caches, console, blocked } = parts;
  const isDisabled = ({ id }: Route) => disabled.has(id);
  const gateway = createGateway({
    trail: { log, randomId, sales: new Sales() },
    match: createMatch(bindEndpoints({ ...foundation, ...parts }), everyRoute.filter(isDisabled)),
    onFailure,
  });
  for (const line of saleNotices(service.routes, exact, config)) notice(line);
  const covered = credit && paid && money ? [watchCovered(paid, money, pace)] : [];
  const opened = [console, ...caches.values(), blocked, ...covered, exact, channels];
  return {
    gateway,
    readings: readingsOf(foundation, parts),
    async close() {
      for (const each of opened) await each?.close();
    },
  };
}
