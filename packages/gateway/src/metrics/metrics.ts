import { REFUSALS, type Route } from '@asset-gateway/protocol';
import { collectDefaultMetrics } from 'prom-client';
import type { LogLine } from '../stages/trail.ts';
import { type Figures, figuresOf } from './figures.ts';
import { durationsIn, Meter, type MetricsPage, observe, openMetricsPage } from './meter.ts';
import { moneyCounters, watchMoney } from './money.ts';
import type { CacheReading, ChannelName, ChannelReading, Readings } from './readings.ts';

/** The label of requests without a row, and of answers that are not refusals. */
const NONE = 'none';
const CHANNEL = ['provider', 'cluster', 'surface'] as const;
const KEY = [...CHANNEL, 'place'] as const;
const ROUTE = ['route', 'surface'] as const;
const SPENT = [...ROUTE, 'by'] as const;
const AGES = [1, 5, 15, 30, 60, 120, 300, 600, 1_800, 3_600, 86_400];
const FEE_PAYER_INTERVAL_MS = 60_000;
const SETTLEMENT_STATES = ['settled', 'refused', 'unknown', 'unsent'];
const SLOT_GROUPS = ['address', 'paid', 'refresh'];
const CREDIT_SPENT_BY = ['signature', 'payment'];
const SHARE_SCOPES = ['group', 'wallet'];

const isSignInCode = (code: string): boolean => code === 'sign_in_required' || code.startsWith('invalid_siwx_');
const SIGN_IN_RESULTS = ['accepted', ...Object.keys(REFUSALS).filter(isSignInCode)];

const channelOf = ({ provider, cluster, surface }: ChannelName) => ({ provider, cluster: cluster ?? '', surface });

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
  readonly money = moneyCounters(this.#meter);
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

  /** Adds gauges that are read at each scrape; the fee payer's balance is read once a minute. */
  watch(readings: Readings): void {
    this.#meter.gauge('ready', 'Whether the node is ready (/readyz).', [], (gauge) =>
      gauge.set(readings.isReady() ? 1 : 0),
    );
    watchMoney(this.#meter, readings);
    this.#meter.gauge('blocked_entries', 'Blocked wallets and address ranges.', ['kind'], (gauge) => {
      const { wallets, ranges } = readings.blocked?.() ?? { wallets: 0, ranges: 0 };
      gauge.set({ kind: 'wallet' }, wallets);
      gauge.set({ kind: 'range' }, ranges);
    });
    this.#meter.gauge('sales_open', 'Whether payments are accepted.', ['cluster'], (gauge) => {
      for (const { cluster, isOpen } of readings.sales()) gauge.set({ cluster }, isOpen ? 1 : 0);
    });
    this.#watchChannels(readings);
    if (readings.cache?.()) this.#watchCache(() => readings.cache?.());
    this.#watchKeys(readings);
    const balance = this.#meter.gauge('fee_payer_lamports', 'Balance of the fee payer.', ['cluster']);
    const read = async () => {
      for (const { cluster, lamports } of await readings.feePayers()) {
        if (lamports === undefined) balance.remove({ cluster });
        else balance.set({ cluster }, lamports);
      }
    };
    void read();
    this.#timer = setInterval(() => void read(), FEE_PAYER_INTERVAL_MS).unref();
  }

  /** Adds a gauge for a lost log reader. */
  watchLog(isLost: () => boolean): void {
    this.#meter.gauge('log_lost', "Whether the log's reader is gone.", [], (gauge) => gauge.set(isLost() ? 1 : 0));
  }

  /** Adds a counter of spans that were not exported. With traces, scrapers that accept OpenMetrics get exemplars. */
  watchTraces(traces: { dropped?(): number }): void {
    this.#hasTraces = traces.dropped !== undefined;
    this.#meter.total('trace_spans_dropped_total', 'Spans that were not exported.', [], (counter) =>
      counter.inc(traces.dropped?.() ?? 0),
    );
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

  #watchCache(read: () => CacheReading | undefined): void {
    this.#meter.gauge('cache_bytes', 'Memory of the cache.', [], (gauge) => gauge.set(read()?.bytes ?? 0));
    this.#meter.total('cache_calls_total', 'Upstream calls of the cache by reason.', ['reason'], (counter) => {
      for (const [reason, count] of Object.entries(read()?.calls ?? {})) counter.inc({ reason }, count);
    });
    this.#meter.total('cache_forgone_total', 'Requests refused because no call started in time.', [], (counter) =>
      counter.inc(read()?.forgone ?? 0),
    );
  }

  #watchChannels(readings: Readings): void {
    const watch = (name: string, help: string, read: (channel: ChannelReading) => number) =>
      this.#meter.gauge(name, help, CHANNEL, (gauge) => {
        for (const channel of readings.channels()) gauge.set(channelOf(channel), read(channel));
      });
    watch('budget_left', 'Slots left in the upstream budget.', ({ left }) => left);
    watch('budget_limit', 'Slots of the upstream budget.', ({ limit }) => limit);
    watch('upstream_pause_seconds', 'Remaining pause of the upstream.', ({ pauseMs }) => pauseMs / 1_000);
    watch('breaker_open', 'Whether the circuit breaker is open.', ({ isLeftAlone }) => (isLeftAlone ? 1 : 0));
  }

  #watchKeys(readings: Readings): void {
    const keys = () =>
      readings.channels().flatMap((channel) =>
        channel.keysSetAside.map((isSetAside, index) => ({
          labels: { ...channelOf(channel), place: index + 1 },
          isSetAside,
        })),
      );
    for (const { labels } of keys()) this.#keyRefusals.inc(labels, 0);
    this.#meter.gauge('key_set_aside', 'Whether a key is set aside because the upstream rejects it.', KEY, (gauge) => {
      for (const { labels, isSetAside } of keys()) gauge.set(labels, isSetAside ? 1 : 0);
    });
  }
}
