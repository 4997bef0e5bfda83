import { NETWORKS, REFUSALS, type Route } from '@asset-gateway/protocol';
import { collectDefaultMetrics } from 'prom-client';
import type { LogLine } from '../stages/trail.ts';
import { CHANNEL, channelOf, type Figures, figuresOf } from './figures.ts';
import { durationsIn, Meter, openMetricsPage } from './meter.ts';

/** The parts of a journal entry that metrics count. */
interface MoneyEntry {
  readonly kind: string;
  readonly cluster: string;
  readonly micros: number;
  readonly feeLamports: number;
}

/** The label `route` of requests without a row, and the label `code` of answers that are not refusals. */
const NONE = 'none';
const ROUTE = ['route', 'surface'] as const;
const CHARGED = 'Credit charged, in millionths of a dollar.';
const SPENT = [...ROUTE, 'by'] as const;
const MOVED = ['kind', 'cluster'] as const;
const FEES = "Transaction fees paid by this gateway's fee payer.";
const COMMITS = 'Duration of durable writes of money, including failed ones.';
const COMMIT_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** The kinds of journal entries that move money. A refusal does not. */
const MONEY_KINDS = ['settlement', 'grant', 'debit'];
const AGES = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 86_400];
const SETTLEMENT_STATES = ['settled', 'refused', 'unknown', 'unsent'];
const CREDIT_SPENT_BY = ['signature', 'payment'];
const SLOTS = 'Asset-data slots by the kind of group charged.';
const NO_SHARE = 'Refusals for an exhausted share.';

const isSignInCode = (code: string): boolean => code === 'sign_in_required' || code.startsWith('invalid_siwx_');
const SIGN_IN_RESULTS = ['accepted', ...Object.keys(REFUSALS).filter(isSignInCode)];

/** Returns the result of a sign-in; undefined if none was checked. */
function signInResultOf({ error, wallet }: LogLine): string | undefined {
  if (error !== undefined && isSignInCode(error)) return error;
  return wallet === undefined ? undefined : 'accepted';
}

/** Counts log lines. Labels are rows, statuses and codes, never values from a client. */
export class Metrics extends Meter {
  readonly #requests = this.counter('requests_total', 'Requests.', ['route', 'status', 'code']);
  readonly #durations = durationsIn(this.registry);
  readonly #signIns = this.counter('sign_ins_total', 'Sign-ins by result.', ['result'], SIGN_IN_RESULTS);
  readonly #upstreams = this.histogram('upstream_duration_seconds', 'Duration of upstream calls.', CHANNEL);
  readonly #cached = this.counter('cache_answers_total', 'Answers of cached routes.', ['route', 'result']);
  readonly #ages = this.histogram('cache_age_seconds', 'Age of cached answers.', [], AGES);
  readonly #settlements = this.counter('settlements_total', 'Settlements by outcome.', ['state'], SETTLEMENT_STATES);
  readonly #revenue = this.counter('revenue_usd_micros_total', 'Revenue in millionths of a dollar.', ROUTE);
  readonly #spent = this.counter('credit_spent_usd_micros_total', CHARGED, SPENT);
  readonly #debits = this.counter('credit_answers_total', 'Answers paid from credit.', ['by'], CREDIT_SPENT_BY);
  readonly #slots = this.counter('slots_total', SLOTS, ['group'], ['address', 'paid', 'refresh']);
  readonly #shareRefusals = this.counter('share_refusals_total', NO_SHARE, ['scope'], ['group', 'wallet']);
  readonly #moved = this.counter('journal_usd_micros_total', 'Money moved, in millionths of a dollar.', MOVED);
  readonly #fees = this.counter('fee_lamports_total', FEES, ['cluster'], Object.keys(NETWORKS));
  readonly #commits = this.histogram('database_commit_seconds', COMMITS, [], COMMIT_SECONDS);
  readonly #hasTraces: boolean;
  readonly #rows: ReadonlyMap<string, Route>;

  constructor(rows: readonly Route[], hasTraces = false) {
    super();
    this.#hasTraces = hasTraces;
    this.#rows = new Map(rows.map((row) => [row.id, row]));
    collectDefaultMetrics({ register: this.registry });
    for (const cluster of Object.keys(NETWORKS)) for (const kind of MONEY_KINDS) this.#moved.inc({ kind, cluster }, 0);
  }

  /** Counts a finished request. */
  finished(line: LogLine): void {
    const row = this.#rows.get(line.route ?? '');
    this.#requests.inc({ route: row?.id ?? NONE, status: line.status, code: line.error ?? NONE });
    this.#observe(line, row?.surface ?? NONE);
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

  /** Counts a duration. The trace becomes an exemplar. */
  #observe({ ms, traceId }: LogLine, surface: string): void {
    const exemplarLabels = traceId === undefined ? {} : { trace_id: traceId };
    this.#durations.observe({ labels: { surface }, value: ms / 1_000, exemplarLabels });
  }

  #credited({ creditMicros, creditBy: by }: LogLine, { id: route, surface }: Route): void {
    if (creditMicros === undefined || !by) return;
    this.#spent.inc({ route, surface, by }, creditMicros);
    this.#debits.inc({ by });
  }

  /** Counts an ended settlement: `settled`, `refused`, `unknown` or `unsent`. */
  countSettlement(state: string): void {
    this.#settlements.inc({ state });
  }

  /** Counts a slot that was charged to this kind of group (with fair shares). */
  slotTaken(group: string): void {
    this.#slots.inc({ group });
  }

  /** Counts a durable commit, even a failed one. `ms`: its duration. */
  committed(ms: number): void {
    this.#commits.observe(ms / 1_000);
  }

  /** Counts journal entries that this node has appended. */
  appended(entries: readonly MoneyEntry[]): void {
    for (const { kind, cluster, micros, feeLamports } of entries) {
      if (MONEY_KINDS.includes(kind)) this.#moved.inc({ kind, cluster }, micros);
      this.#fees.inc({ cluster }, feeLamports);
    }
  }

  /** Returns the gateway's own metrics, without those of the process, because to read these restarts the event loop's delay. */
  readonly figures = (): Promise<Figures> => figuresOf(this.registry);

  /** Returns the metrics in a format that the scraper accepts. */
  async page(accept: string | undefined) {
    const { registry } = this;
    if (this.#hasTraces && accept?.includes('application/openmetrics-text')) return openMetricsPage(registry);
    return { contentType: registry.contentType, text: await registry.metrics() };
  }
}
