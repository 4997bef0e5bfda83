import { NETWORKS } from '@asset-gateway/protocol';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { PREFIX } from './figures.ts';
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

/** Counts the journal entries that this node appends. */
export class MoneyCounters {
  readonly #micros: Counter<'kind' | 'cluster'>;
  readonly #lamports: Counter<'cluster'>;
  readonly #commits: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#micros = new Counter({
      name: `${PREFIX}journal_usd_micros_total`,
      help: 'Money moved, in millionths of a dollar.',
      labelNames: ['kind', 'cluster'],
      registers,
    });
    const help = "Transaction fees paid by this gateway's fee payer.";
    this.#lamports = new Counter({ name: `${PREFIX}fee_lamports_total`, help, labelNames: ['cluster'], registers });
    this.#commits = new Histogram({
      name: `${PREFIX}database_commit_seconds`,
      help: 'Duration of durable writes of money, including failed ones.',
      buckets: COMMIT_SECONDS,
      registers,
    });
    for (const cluster of CLUSTERS) {
      for (const kind of KINDS) this.#micros.inc({ kind, cluster }, 0);
      this.#lamports.inc({ cluster }, 0);
    }
  }

  committed(ms: number): void {
    this.#commits.observe(ms / MS_PER_SECOND);
  }

  appended(entries: readonly MoneyEntry[]): void {
    for (const { kind, cluster, micros, feeLamports } of entries) {
      if (KINDS.includes(kind)) this.#micros.inc({ kind, cluster }, micros);
      this.#lamports.inc({ cluster }, feeLamports);
    }
  }
}

/** Adds gauges of money that are read at each scrape. */
export function watchMoney(registry: Registry, readings: Readings): void {
  const registers = [registry];
  let reading: ReturnType<Readings['openPayments']> | undefined;
  // A scrape collects all metrics at once; both gauges share one read of the store.
  const read = () => {
    reading ??= readings.openPayments().finally(() => {
      reading = undefined;
    });
    return reading;
  };
  const watchOpen = (name: string, help: string, toValue: (open: OpenReading) => number) =>
    new Gauge({
      name: PREFIX + name,
      help,
      registers,
      async collect() {
        const open = await read();
        if (open) this.set(toValue(open));
        else this.remove();
      },
    });
  watchOpen('settlements_open', 'Payments with an unknown outcome.', ({ count }) => count);
  const age = 'Age of the oldest payment with an unknown outcome.';
  watchOpen('settlement_open_seconds', age, ({ oldestMs }) => oldestMs / MS_PER_SECOND);
  new Gauge({
    name: `${PREFIX}credit_owed_usd_micros`,
    help: 'Unspent credit of all wallets, in millionths of a dollar.',
    labelNames: ['cluster'],
    registers,
    async collect() {
      this.reset();
      for (const { cluster, owedMicros } of (await readings.credit?.()) ?? []) this.set({ cluster }, owedMicros);
    },
  });
  if (readings.isDatabaseUp?.() !== undefined) watchDatabase(registry, () => readings.isDatabaseUp?.() === true);
  const { solPriceUsd } = readings;
  const help = 'Price of one SOL in dollars (SOL_PRICE_USD).';
  if (solPriceUsd !== undefined) new Gauge({ name: `${PREFIX}sol_price_usd`, help, registers }).set(solPriceUsd);
}

function watchDatabase(registry: Registry, isUp: () => boolean): void {
  new Gauge({
    name: `${PREFIX}database_up`,
    help: 'Whether the money database answers.',
    registers: [registry],
    collect() {
      this.set(isUp() ? 1 : 0);
    },
  });
}
