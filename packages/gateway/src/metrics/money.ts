import { NETWORKS } from '@asset-gateway/protocol';
import type { Meter } from './meter.ts';
import type { OpenReading, Readings } from './readings.ts';

/** The fields of a journal entry that metrics count. */
export interface MoneyEntry {
  readonly kind: string;
  readonly cluster: string;
  readonly micros: number;
  readonly feeLamports: number;
}

const MS_PER_SECOND = 1_000;
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** A refusal moves no money. */
const KINDS = ['settlement', 'grant', 'debit'];
const CLUSTERS = Object.keys(NETWORKS);

/** Counts what this node writes about money. */
export function moneyCounters(meter: Meter) {
  const labels = ['kind', 'cluster'] as const;
  const micros = meter.counter('journal_usd_micros_total', 'Money moved, in millionths of a dollar.', labels);
  const fees = "Transaction fees paid by this gateway's fee payer.";
  const lamports = meter.counter('fee_lamports_total', fees, ['cluster']);
  const help = 'Duration of durable writes of money, including failed ones.';
  const commits = meter.histogram('database_commit_seconds', help, [], COMMIT_SECONDS);
  for (const cluster of CLUSTERS) {
    for (const kind of KINDS) micros.inc({ kind, cluster }, 0);
    lamports.inc({ cluster }, 0);
  }
  return {
    /** A durable step has taken this long, even if it failed. */
    committed: (ms: number): void => commits.observe(ms / MS_PER_SECOND),
    /** This node has appended these entries to the journal. */
    appended(entries: readonly MoneyEntry[]): void {
      for (const { kind, cluster, micros: moved, feeLamports } of entries) {
        if (KINDS.includes(kind)) micros.inc({ kind, cluster }, moved);
        lamports.inc({ cluster }, feeLamports);
      }
    },
  };
}

/** Adds gauges of money that are read at each scrape. */
export function watchMoney(meter: Meter, readings: Readings): void {
  let reading: ReturnType<Readings['openPayments']> | undefined;
  // A scrape collects all metrics at once; both gauges share one read of the store.
  const read = () => {
    reading ??= readings.openPayments().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const watchOpen = (name: string, help: string, toValue: (open: OpenReading) => number) =>
    meter.gauge(name, help, [], async (gauge) => {
      const open = await read();
      if (open) gauge.set(toValue(open));
      else gauge.remove();
    });
  watchOpen('settlements_open', 'Payments with an unknown outcome.', ({ count }) => count);
  const age = 'Age of the oldest payment with an unknown outcome.';
  watchOpen('settlement_open_seconds', age, ({ oldestMs }) => oldestMs / MS_PER_SECOND);
  const owed = 'Unspent credit of all wallets, in millionths of a dollar.';
  meter.gauge('credit_owed_usd_micros', owed, ['cluster'], async (gauge) => {
    gauge.reset();
    for (const { cluster, owedMicros } of (await readings.credit?.()) ?? []) gauge.set({ cluster }, owedMicros);
  });
  if (readings.isDatabaseUp?.() !== undefined) {
    const isUp = () => (readings.isDatabaseUp?.() ? 1 : 0);
    meter.gauge('database_up', 'Whether the money database answers.', [], (gauge) => gauge.set(isUp()));
  }
  const { solPriceUsd } = readings;
  const price = 'Price of one SOL in dollars (SOL_PRICE_USD).';
  if (solPriceUsd !== undefined) meter.gauge('sol_price_usd', price, []).set(solPriceUsd);
}
