import { NETWORKS } from '@asset-gateway/protocol';
import { Counter, Gauge, type Registry } from 'prom-client';
import { PREFIX } from './prefix.ts';
import type { OpenReading, Readings } from './readings.ts';

/** What metrics count of an entry of the journal. */
export interface MoneyEntry {
  readonly kind: string;
  readonly cluster: string;
  readonly micros: number;
  readonly feeLamports: number;
}

/** A refusal moves nothing. */
const KINDS = ['settlement', 'grant', 'debit'];
const CLUSTERS = Object.keys(NETWORKS);

/** Counts what this node appends to the journal. */
export class MoneyCounters {
  readonly #micros: Counter<'kind' | 'cluster'>;
  readonly #lamports: Counter<'cluster'>;

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
    for (const cluster of CLUSTERS) {
      for (const kind of KINDS) this.#micros.inc({ kind, cluster }, 0);
      this.#lamports.inc({ cluster }, 0);
    }
  }

  appended(entries: readonly MoneyEntry[]): void {
    for (const { kind, cluster, micros, feeLamports } of entries) {
      if (KINDS.includes(kind)) this.#micros.inc({ kind, cluster }, micros);
      this.#lamports.inc({ cluster }, feeLamports);
    }
  }
}

const MS_PER_SECOND = 1_000;

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
  const { solPriceUsd } = readings;
  const help = 'Dollars for one SOL, as SOL_PRICE_USD says.';
  if (solPriceUsd !== undefined) new Gauge({ name: `${PREFIX}sol_price_usd`, help, registers }).set(solPriceUsd);
}
