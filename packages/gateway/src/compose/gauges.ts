import { NETWORKS } from '@asset-gateway/protocol';
import { Background } from '../background.ts';
import { CHANNEL, channelOf, KEY } from '../metrics/figures.ts';
import type { Meter } from '../metrics/meter.ts';
import type { FeePayerBalance } from '../payments/open.ts';
import type { Payments } from '../payments/payments.ts';
import { jumpOf } from '../stores/sql/books-clock.ts';
import type { SingleChannel } from './channels.ts';
import type { Foundation } from './dependencies.ts';
import type { Parts } from './parts.ts';

/** Adds metrics of upstreams and their keys. */
function watchChannels(meter: Meter, channels: readonly SingleChannel[]): void {
  const watch = (name: string, help: string, read: (channel: SingleChannel) => number | boolean) =>
    meter.gauge(name, help, CHANNEL, () => channels.map((channel) => [channelOf(channel.name), read(channel)]));
  watch('budget_left', 'Slots left in the upstream budget.', ({ keys }) => keys.view().left);
  watch('budget_limit', 'Slots of the upstream budget.', ({ keys }) => keys.limit);
  watch('upstream_pause_seconds', 'Remaining pause of the upstream.', ({ keys }) => keys.view().pauseMs / 1_000);
  watch('breaker_open', 'Whether the circuit breaker is open.', ({ upstream }) => upstream.isOpen);
  type ReadKeys = (channel: SingleChannel) => readonly (number | boolean)[];
  const watchKeys = (kind: 'gauge' | 'total', name: string, help: string, read: ReadKeys) =>
    meter[kind](name, help, KEY, () =>
      channels.flatMap((channel) =>
        read(channel).map((value, index) => [{ ...channelOf(channel.name), place: index + 1 }, value] as const),
      ),
    );
  const setAside = 'Whether a key is set aside because the upstream rejects it.';
  watchKeys('gauge', 'key_set_aside', setAside, ({ keys }) => keys.setAside());
  const refused = 'Calls whose key the upstream rejected.';
  watchKeys('total', 'key_refusals_total', refused, ({ keyRefusals }) => keyRefusals);
}

/** Adds the memory and counts of all caches together, if there are any. */
function watchCaches(meter: Meter, { caches }: Parts): void {
  if (caches.size === 0) return;
  const readings = () => [...caches.values()].map((cache) => cache.reading());
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  meter.gauge('cache_bytes', 'Memory of the cache.', [], () => sum(readings().map(({ bytes }) => bytes)));
  meter.total('cache_calls_total', 'Upstream calls of the cache by reason.', ['reason'], () =>
    (['awaited', 'refresh'] as const).map((reason) => [{ reason }, sum(readings().map(({ calls }) => calls[reason]))]),
  );
  const forgone = 'Requests refused because no call started in time.';
  meter.total('cache_forgone_total', forgone, [], () => sum(readings().map((reading) => reading.forgone)));
}

/** Returns the number and the greatest age of payments with an unknown outcome. */
async function readOpen(payments: Payments) {
  const records = await payments.openPayments();
  const ages = records.map(({ settlingSinceMs }) => payments.now() - (settlingSinceMs ?? payments.now()));
  return { count: records.length, oldestMs: Math.max(0, ...ages) };
}

/** Adds gauges of money. */
function watchMoney(meter: Meter, { money, config, background }: Foundation): void {
  let reading: Promise<{ count: number; oldestMs: number } | undefined> | undefined;
  // A scrape collects all metrics at once, so both gauges share one read of the database.
  const open = async () => {
    if (!money) return { count: 0, oldestMs: 0 };
    // While the database is unavailable, the other metrics are still answered.
    reading ??= background
      .run('metrics', () => readOpen(money.payments))
      .finally(() => {
        reading = undefined;
      });
    return reading;
  };
  meter.gauge('settlements_open', 'Payments with an unknown outcome.', [], async () => (await open())?.count);
  meter.gauge('settlement_open_seconds', 'Age of the oldest payment with an unknown outcome.', [], async () => {
    const found = await open();
    return found && found.oldestMs / 1_000;
  });
  const help = 'Unspent credit of all wallets, in millionths of a dollar.';
  meter.gauge('credit_owed_usd_micros', help, ['cluster'], async () => {
    const byNetwork = money && (await background.run('metrics', () => money.accounts.unspent()));
    if (!byNetwork) return [];
    return Object.entries(NETWORKS).map(([cluster, network]) => [{ cluster }, byNetwork.get(network) ?? 0]);
  });
  if (money) {
    meter.gauge('database_up', 'Whether the money database answers.', [], () => money.database.isReady());
    const jump = 'How far the wall clock has jumped, unless an operator has accepted it.';
    meter.gauge('clock_jump_seconds', jump, [], async () => {
      const clocks = await background.run('metrics', () => money.database.clock());
      return clocks && Math.abs(jumpOf(clocks)) / 1_000;
    });
  }
  const { solPriceUsd } = config.paid ?? {};
  if (solPriceUsd !== undefined)
    meter.gauge('sol_price_usd', 'Price of one SOL in dollars (SOL_PRICE_USD).', [], () => solPriceUsd);
}

const FEE_PAYER_INTERVAL_MS = 60_000;

/** Adds the fee payer's balances, which are read once a minute until `close`. */
export function watchFeePayers(
  meter: Meter,
  readAll: () => Promise<readonly FeePayerBalance[]>,
  background = new Background(),
) {
  let balances: readonly FeePayerBalance[] = [];
  meter.gauge('fee_payer_lamports', 'Balance of the fee payer.', ['cluster'], () =>
    balances.flatMap(({ cluster, lamports }) => (lamports === undefined ? [] : [[{ cluster }, lamports]])),
  );
  const reading = background.every('fee_payers', FEE_PAYER_INTERVAL_MS, async () => {
    balances = await readAll();
  });
  void reading.run();
  return reading;
}

/** Adds the metrics that are read from the parts of a gateway at each scrape, until `close`. */
export function watchParts(meter: Meter, foundation: Foundation, parts: Parts, isLogLost: () => boolean) {
  const { channels, exact, blocked } = parts;
  const { tracing, notReadyCode, background } = foundation;
  meter.gauge('ready', 'Whether the node is ready (/readyz).', [], () => notReadyCode() === undefined);
  meter.gauge('blocked_entries', 'Blocked wallets and address ranges.', ['kind'], () => {
    const { wallets, ranges } = blocked?.list.counts ?? { wallets: 0, ranges: 0 };
    return [
      [{ kind: 'wallet' }, wallets],
      [{ kind: 'range' }, ranges],
    ];
  });
  meter.gauge('sales_open', 'Whether payments are accepted.', ['cluster'], () =>
    (exact?.sales() ?? []).map(({ cluster, isSelling: isOpen }) => [{ cluster }, isOpen]),
  );
  meter.gauge('log_lost', "Whether the log's reader is gone.", [], isLogLost);
  watchMoney(meter, foundation);
  watchChannels(meter, channels.singles);
  watchCaches(meter, parts);
  const dropped = () => tracing.dropped?.() ?? 0;
  meter.total('trace_spans_dropped_total', 'Spans that were not exported.', [], dropped);
  const failures = 'Failures of background work by task.';
  meter.total('background_failures_total', failures, ['task'], () =>
    Array.from(background.counts, ([task, count]) => [{ task }, count]),
  );
  return watchFeePayers(meter, async () => exact?.feePayers() ?? [], background);
}
