import { NETWORKS } from '@asset-gateway/protocol';
import type { Meter } from './meter.ts';
import type { ChannelName, ChannelReading, Readings } from './readings.ts';

export const CHANNEL = ['provider', 'cluster', 'surface'] as const;
export const KEY = [...CHANNEL, 'place'] as const;

export const channelOf = ({ provider, cluster, surface }: ChannelName) => ({
  provider,
  cluster: cluster ?? '',
  surface,
});

/** The keys of all channels with their labels. */
export const keysOf = (readings: Readings) =>
  readings.channels().flatMap((channel) =>
    channel.keysSetAside.map((isSetAside, index) => {
      return [{ ...channelOf(channel), place: index + 1 }, isSetAside] as const;
    }),
  );

/** Adds gauges of upstreams. */
function watchChannels(meter: Meter, readings: Readings): void {
  const watch = (name: string, help: string, read: (channel: ChannelReading) => number | boolean) =>
    meter.gauge(name, help, CHANNEL, () => readings.channels().map((channel) => [channelOf(channel), read(channel)]));
  watch('budget_left', 'Slots left in the upstream budget.', ({ left }) => left);
  watch('budget_limit', 'Slots of the upstream budget.', ({ limit }) => limit);
  watch('upstream_pause_seconds', 'Remaining pause of the upstream.', ({ pauseMs }) => pauseMs / 1_000);
  watch('breaker_open', 'Whether the circuit breaker is open.', ({ isLeftAlone }) => isLeftAlone);
  const setAside = 'Whether a key is set aside because the upstream rejects it.';
  meter.gauge('key_set_aside', setAside, KEY, () => keysOf(readings));
}

/** Adds the cache's memory and counts, if it is on. */
function watchCache(meter: Meter, { cache }: Readings): void {
  if (!cache?.()) return;
  meter.gauge('cache_bytes', 'Memory of the cache.', [], () => cache()?.bytes);
  meter.total('cache_calls_total', 'Upstream calls of the cache by reason.', ['reason'], () =>
    Object.entries(cache()?.calls ?? {}).map(([reason, count]) => [{ reason }, count]),
  );
  const forgone = 'Requests refused because no call started in time.';
  meter.total('cache_forgone_total', forgone, [], () => cache()?.forgone);
}

/** Adds gauges of money. */
function watchMoney(meter: Meter, readings: Readings): void {
  let reading: ReturnType<Readings['openPayments']> | undefined;
  // A scrape collects all metrics at once; both gauges share one read of the store.
  const open = () => {
    reading ??= readings.openPayments().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  meter.gauge('settlements_open', 'Payments with an unknown outcome.', [], async () => (await open())?.count);
  meter.gauge('settlement_open_seconds', 'Age of the oldest payment with an unknown outcome.', [], async () => {
    const found = await open();
    return found && found.oldestMs / 1_000;
  });
  const owed = 'Unspent credit of all wallets, in millionths of a dollar.';
  meter.gauge('credit_owed_usd_micros', owed, ['cluster'], async () => {
    const byNetwork = await readings.owedCredit?.();
    if (!byNetwork) return [];
    return Object.entries(NETWORKS).map(([cluster, network]) => [{ cluster }, byNetwork.get(network) ?? 0]);
  });
  const { isDatabaseUp, solPriceUsd } = readings;
  if (isDatabaseUp?.() !== undefined)
    meter.gauge('database_up', 'Whether the money database answers.', [], () => isDatabaseUp());
  if (solPriceUsd !== undefined)
    meter.gauge('sol_price_usd', 'Price of one SOL in dollars (SOL_PRICE_USD).', [], () => solPriceUsd);
}

/** Adds the metrics that are read at each scrape. */
export function watchReadings(meter: Meter, readings: Readings): void {
  meter.gauge('ready', 'Whether the node is ready (/readyz).', [], () => readings.isReady());
  meter.gauge('blocked_entries', 'Blocked wallets and address ranges.', ['kind'], () => {
    const { wallets, ranges } = readings.blocked?.() ?? { wallets: 0, ranges: 0 };
    return [
      [{ kind: 'wallet' }, wallets],
      [{ kind: 'range' }, ranges],
    ];
  });
  meter.gauge('sales_open', 'Whether payments are accepted.', ['cluster'], () =>
    readings.sales().map(({ cluster, isOpen }) => [{ cluster }, isOpen]),
  );
  watchMoney(meter, readings);
  watchChannels(meter, readings);
  watchCache(meter, readings);
}
