import { NETWORKS } from '@asset-gateway/protocol';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { OpenReading, Readings } from './readings.ts';

/** Prefix of every metric name. */
export const PREFIX = 'asset_gateway_';

/** What metrics count of an entry of the journal. */
export interface MoneyEntry {
  readonly kind: string;
  readonly cluster: string;
  readonly micros: number;
  readonly feeLamports: number;
}

const MS_PER_SECOND = 1_000;
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** A refusal moves nothing. */
const KINDS = ['settlement', 'grant', 'debit'];
const CLUSTERS = Object.keys(NETWORKS);

/** Counts what this node appends to the journal. */
export class MoneyCounters {
  readonly #micros: Counter<'kind' | 'cluster'>;
  readonly #lamports: Counter<'cluster'>;
  readonly #commits: Histogram;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#micros = new Counter({
      name: `${PREFIX}journal_usd_micros_total`,
      help: 'Money that has moved, in millionths of a dollar.',
      labelNames: ['kind', 'cluster'],
      registers,
    });
    const help = 'What the fee payer of this gateway has paid the chain.';
    this.#lamports = new Counter({ name: `${PREFIX}fee_lamports_total`, help, labelNames: ['cluster'], registers });
    this.#commits = new Histogram({
      name: `${PREFIX}database_commit_seconds`,
      help: 'From a durable write of money to its commit, failed ones too.',
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

/** Looks these up whenever somebody asks for the metrics. */
export function watchMoney(registry: Registry, readings: Readings): void {
  const registers = [registry];
  let reading: ReturnType<Readings['openPayments']> | undefined;
  // All metrics of a scrape are collected at once, and the store is asked once for both.
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
  watchOpen('settlements_open', 'Payments whose outcome is not known.', ({ count }) => count);
  const age = 'For how long the outcome of the oldest open payment has not been known.';
  watchOpen('settlement_open_seconds', age, ({ oldestMs }) => oldestMs / MS_PER_SECOND);
  new Gauge({
    name: `${PREFIX}credit_owed_usd_micros`,
    help: 'Credit that wallets have paid for and not spent yet, in millionths of a dollar.',
    labelNames: ['cluster'],
    registers,
    async collect() {
      this.reset();
      for (const { cluster, owedMicros } of (await readings.credit?.()) ?? []) this.set({ cluster }, owedMicros);
    },
  });
  if (readings.isDatabaseUp?.() !== undefined) watchDatabase(registry, () => readings.isDatabaseUp?.() === true);
  const { solPriceUsd } = readings;
  const help = 'Dollars for one SOL, as SOL_PRICE_USD says.';
  if (solPriceUsd !== undefined) new Gauge({ name: `${PREFIX}sol_price_usd`, help, registers }).set(solPriceUsd);
}

function watchDatabase(registry: Registry, isUp: () => boolean): void {
  new Gauge({
    name: `${PREFIX}database_up`,
    help: 'Whether the database of money answers.',
    registers: [registry],
    collect() {
      this.set(isUp() ? 1 : 0);
    },
  });
}
