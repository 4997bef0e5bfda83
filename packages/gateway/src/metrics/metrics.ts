import { NETWORKS, REFUSALS, type Route } from '@asset-gateway/protocol';
import { collectDefaultMetrics } from 'prom-client';
import type { LogLine } from '../stages/trail.ts';
import { type Figures, figuresOf } from './figures.ts';
import { CHANNEL, channelOf, KEY, keysOf, watchReadings } from './gauges.ts';
import { durationsIn, Meter, type MetricsPage, observe, openMetricsPage } from './meter.ts';
import type { ChannelName, Readings } from './readings.ts';

/** The fields of a journal entry that metrics count. */
interface MoneyEntry {
  readonly kind: string;
  readonly cluster: string;
  readonly micros: number;
  readonly feeLamports: number;
}

/** The label of requests without a row, and of answers that are not refusals. */
const NONE = 'none';
const ROUTE = ['route', 'surface'] as const;
const SPENT = [...ROUTE, 'by'] as const;
const MOVED = ['kind', 'cluster'] as const;
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** A refusal moves no money. */
const MONEY_KINDS = ['settlement', 'grant', 'debit'];
const AGES = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 86_400];
const FEE_PAYER_INTERVAL_MS = 60_000;
const SETTLEMENT_STATES = ['settled', 'refused', 'unknown', 'unsent'];
const SLOT_GROUPS = ['address', 'paid', 'refresh'];
const CREDIT_SPENT_BY = ['signature', 'payment'];
const SHARE_SCOPES = ['group', 'wallet'];

const isSignInCode = (code: string): boolean => code === 'sign_in_required' || code.startsWith('invalid_siwx_');
const SIGN_IN_RESULTS = ['accepted', ...Object.keys(REFUSALS).filter(isSignInCode)];

/** The result of a sign-in; undefined if it was not checked. */
function signInResultOf({ error, wallet }: LogLine): string | undefined {
  if (error !== undefined && isSignInCode(error)) return error;
  return wallet === undefined ? undefined : 'accepted';
}

/** Counts log lines. Labels are rows, statuses and codes, never values that a client chooses. */
export class Metrics {
  readonly #meter = new Meter();
  readonly #requests = this.#meter.counter('requests_total', 'Requests.', ['route', 'status', 'code']);
  readonly #durations = durationsIn(this.#meter.registry);
  readonly #signIns = this.#meter.counter('sign_ins_total', 'Sign-ins by result.', ['result']);
  readonly #upstreams = this.#meter.histogram('upstream_duration_seconds', 'Duration of upstream calls.', CHANNEL);
  readonly #cached = this.#meter.counter('cache_answers_total', 'Answers of cached routes.', ['route', 'result']);
  readonly #ages = this.#meter.histogram('cache_age_seconds', 'Age of cached answers.', [], AGES);
  readonly #keyRefusals = this.#meter.counter('key_refusals_total', 'Calls whose key the upstream rejected.', KEY);
  readonly #settlements = this.#meter.counter('settlements_total', 'Settlements by outcome.', ['state']);
  readonly #revenue = this.#meter.counter('revenue_usd_micros_total', 'Revenue in millionths of a dollar.', ROUTE);
  readonly #spent = this.#meter.counter(
    'credit_spent_usd_micros_total',
    'Credit charged, in millionths of a dollar.',
    SPENT,
  );
  readonly #debits = this.#meter.counter('credit_answers_total', 'Answers paid from credit.', ['by']);
  readonly #slots = this.#meter.counter('slots_total', 'Asset-data slots by the kind of group charged.', ['group']);
  readonly #shareRefusals = this.#meter.counter('share_refusals_total', 'Refusals for an exhausted share.', ['scope']);
  readonly #moved = this.#meter.counter('journal_usd_micros_total', 'Money moved, in millionths of a dollar.', MOVED);
  readonly #fees = this.#meter.counter('fee_lamports_total', "Transaction fees paid by this gateway's fee payer.", [
    'cluster',
  ]);
  readonly #commits = this.#meter.histogram(
    'database_commit_seconds',
    'Duration of durable writes of money, including failed ones.',
    [],
    COMMIT_SECONDS,
  );
  #timer: NodeJS.Timeout | undefined;
  #hasTraces = false;
  readonly #rows: ReadonlyMap<string, Route>;

  constructor(rows: readonly Route[]) {
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    collectDefaultMetrics({ register: this.#meter.registry });
    for (const result of SIGN_IN_RESULTS) this.#signIns.inc({ result }, 0);
    for (const state of SETTLEMENT_STATES) this.#settlements.inc({ state }, 0);
    for (const by of CREDIT_SPENT_BY) this.#debits.inc({ by }, 0);
    for (const group of SLOT_GROUPS) this.#slots.inc({ group }, 0);
    for (const scope of SHARE_SCOPES) this.#shareRefusals.inc({ scope }, 0);
    for (const cluster of Object.keys(NETWORKS)) {
      for (const kind of MONEY_KINDS) this.#moved.inc({ kind, cluster }, 0);
      this.#fees.inc({ cluster }, 0);
    }
  }

  /** Counts a finished request. */
  finished(line: LogLine): void {
    const row = this.#rows.get(line.route ?? '');
    this.#requests.inc({ route: row?.id ?? NONE, status: line.status, code: line.error ?? NONE });
    observe(this.#durations, line, row?.surface ?? NONE);
    const result = row?.access === 'siwx' ? signInResultOf(line) : undefined;
    if (result !== undefined) this.#signIns.inc({ result });
    if (row && line.cache !== undefined) this.#cached.inc({ route: row.id, result: line.cache });
    if (line.ageSeconds !== undefined) this.#ages.observe(line.ageSeconds);
    if (line.share) this.#shareRefusals.inc({ scope: line.share });
    if (row && line.paidMicros !== undefined)
      this.#revenue.inc({ route: row.id, surface: row.surface }, line.paidMicros);
    if (row) this.#credited(line, row);
    if (row && line.upstreamMs !== undefined) this.#upstreams.observe(channelOf(row), line.upstreamMs / 1000);
  }

  #credited({ creditMicros, creditBy: by }: LogLine, { id: route, surface }: Route): void {
    if (creditMicros === undefined || !by) return;
    this.#spent.inc({ route, surface, by }, creditMicros);
    this.#debits.inc({ by });
  }

  /** An upstream rejected the key at this position of the list, counted from 1. */
  keyRefused(channel: ChannelName, place: number): void {
    this.#keyRefusals.inc({ ...channelOf(channel), place });
  }

  /** A settlement ended: `settled`, `refused`, `unknown`, `unsent`. */
  settled(state: string): void {
    this.#settlements.inc({ state });
  }

  /** With fair shares: a slot was charged to this kind of group. */
  slotTaken(group: string): void {
    this.#slots.inc({ group });
  }

  /** A durable step has taken this long, even if it failed. */
  committed(ms: number): void {
    this.#commits.observe(ms / 1_000);
  }

  /** This node has appended these entries to the journal. */
  appended(entries: readonly MoneyEntry[]): void {
    for (const { kind, cluster, micros, feeLamports } of entries) {
      if (MONEY_KINDS.includes(kind)) this.#moved.inc({ kind, cluster }, micros);
      this.#fees.inc({ cluster }, feeLamports);
    }
  }

  /**
   * Adds the metrics that are read at each scrape; the fee payer's balance is read once a minute. With traces, scrapers that accept
   * OpenMetrics get exemplars.
   */
  watch(readings: Readings, isLogLost = () => false, traces: { dropped?(): number } = {}): void {
    watchReadings(this.#meter, readings);
    this.#meter.gauge('log_lost', "Whether the log's reader is gone.", [], isLogLost);
    this.#hasTraces = traces.dropped !== undefined;
    const dropped = () => traces.dropped?.() ?? 0;
    this.#meter.total('trace_spans_dropped_total', 'Spans that were not exported.', [], dropped);
    for (const [labels] of keysOf(readings)) this.#keyRefusals.inc(labels, 0);
    let feePayers: Awaited<ReturnType<Readings['feePayers']>> = [];
    this.#meter.gauge('fee_payer_lamports', 'Balance of the fee payer.', ['cluster'], () =>
      feePayers.flatMap(({ cluster, lamports }) => (lamports === undefined ? [] : [[{ cluster }, lamports]])),
    );
    const read = async () => {
      feePayers = await readings.feePayers();
    };
    void read();
    this.#timer = setInterval(() => void read(), FEE_PAYER_INTERVAL_MS).unref();
  }

  /** The gateway's own metrics. Process metrics are left out: reading their event loop delay restarts it. */
  readonly figures = (): Promise<Figures> => figuresOf(this.#meter.registry);

  /** The metrics in a format that the scraper accepts. */
  async page(accept: string | undefined): Promise<MetricsPage> {
    if (this.#hasTraces && accept?.includes('application/openmetrics-text'))
      return openMetricsPage(this.#meter.registry);
    return { contentType: this.#meter.registry.contentType, text: await this.#meter.registry.metrics() };
  }

  close(): void {
    clearInterval(this.#timer);
  }
}
