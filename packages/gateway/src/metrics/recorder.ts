import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Background } from '../background.ts';
import type { Growth, Snapshot } from './alerts.ts';
import { CHANNEL, type Figures, groupOf, type LabelFilter } from './figures.ts';
import { History } from './history.ts';
import type { Metrics } from './metrics.ts';

const UPSTREAM = 'upstream_duration_seconds';
const REQUEST = 'request_duration_seconds';
const RECENT_MINUTES = 5;
const SECONDS_PER_MINUTE = 60;
/** The least fee of a settlement in lamports. */
const LEAST_LAMPORTS = 10_001;

/** Returns a settlement's average fee in lamports. */
function feeOf(now: Figures): number {
  const settled = now.sum('settlements_total', { state: 'settled' }) ?? 0;
  const spent = now.sum('fee_lamports_total') ?? 0;
  return settled > 0 && spent > 0 ? spent / settled : LEAST_LAMPORTS;
}

/** Totals since the start. Rates and percentiles cover the last five minutes. */
export class Totals {
  readonly #now: Figures;
  readonly #recent: Growth;

  constructor({ now, growthIn }: Snapshot) {
    this.#now = now;
    this.#recent = growthIn(RECENT_MINUTES);
  }

  /** Returns the totals as `/history` returns them. */
  read(hasAmounts: boolean) {
    const now = this.#now;
    return {
      requests: this.#counts('requests_total', ['status', 'code']),
      responseTimes: [...now.by(`${REQUEST}_count`, ['surface'])].map(
        ([surface, total]) => [surface, total, ...this.#quantiles(0.99, REQUEST, { surface })] as const,
      ),
      signIns: this.#counts('sign_ins_total', ['result']),
      upstreams: this.#upstreams(),
      slots: this.#counts('slots_total', ['group']),
      shareRefusals: this.#counts('share_refusals_total', ['scope']),
      cache: this.#cache(),
      feePayers: this.#feePayers(),
      payments: {
        open: now.sum('settlements_open') ?? null,
        oldestSeconds: now.sum('settlement_open_seconds') ?? null,
        settlements: this.#counts('settlements_total', ['state']),
        ...(hasAmounts && { owed: [...now.by('credit_owed_usd_micros', ['cluster'])] }),
      },
      blocked: {
        entries: [...now.by('blocked_entries', ['kind'])],
        refusals: this.#counts('requests_total', ['route'], { code: 'blocked' }),
      },
    };
  }

  #upstreams() {
    const now = this.#now;
    return now.of('budget_limit').map(({ labels, value: limit }) => {
      const { provider = '', cluster = '', surface = '' } = labels;
      const upstream = { provider, cluster, surface };
      return {
        name: groupOf(labels, CHANNEL),
        left: now.sum('budget_left', upstream) ?? 0,
        limit,
        pauseSeconds: now.sum('upstream_pause_seconds', upstream) ?? 0,
        isBreakerOpen: (now.sum('breaker_open', upstream) ?? 0) > 0,
        keysSetAside: now.of('key_set_aside', upstream).flatMap((key) => (key.value > 0 ? [key.labels.place] : [])),
        p95: this.#quantiles(0.95, UPSTREAM, upstream),
        calls: now.sum(`${UPSTREAM}_count`, upstream) ?? 0,
        keyRefusals: now.sum('key_refusals_total', upstream) ?? 0,
      };
    });
  }

  /** Returns the totals of the cache; undefined if it is off. */
  #cache() {
    const bytes = this.#now.sum('cache_bytes');
    if (bytes === undefined) return undefined;
    return {
      answers: this.#counts('cache_answers_total', ['result']),
      ages: [50, 95, 99].map((rank) => [`p${rank}`, ...this.#quantiles(rank / 100, 'cache_age_seconds')] as const),
      calls: this.#counts('cache_calls_total', ['reason']),
      forgone: this.#now.sum('cache_forgone_total') ?? 0,
      bytes,
    };
  }

  #feePayers() {
    const now = this.#now;
    const { figures, seconds } = this.#recent;
    return now.of('fee_payer_lamports').map(({ labels: { cluster = '' }, value: lamports }) => {
      const spent = figures.sum('fee_lamports_total', { cluster }) ?? 0;
      return {
        cluster,
        lamports,
        settlementsLeft: Math.floor(lamports / feeOf(now)),
        lastsSeconds: spent > 0 ? (lamports / spent) * seconds : null,
        isOpen: now.sum('sales_open', { cluster }) !== 0,
      };
    });
  }

  /** Returns a counter by labels: the group, its total, and its rate per minute. */
  #counts(name: string, labels: readonly string[], wanted?: LabelFilter) {
    const { figures, seconds } = this.#recent;
    const added = figures.by(name, labels, wanted);
    const perMinute = (growth = 0) => (growth / Math.max(seconds, 1)) * SECONDS_PER_MINUTE;
    return [...this.#now.by(name, labels, wanted)].map(
      ([group, total]) => [group, total, perMinute(added.get(group))] as const,
    );
  }

  /** Returns a quantile of the last minutes, and of all time since the start. Null without values. */
  #quantiles(fraction: number, name: string, wanted?: LabelFilter) {
    return [this.#recent.figures, this.#now].map((figures) => figures.quantile(fraction, name, wanted) ?? null);
  }
}

/** How often alerts are evaluated, in milliseconds. It divides a minute, so that each row covers one. */
const INTERVAL_MS = 15_000;
const DELAY_RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;

/** Reads the metrics every 15 seconds into a history, and serves `/history`. */
export class Recorder {
  readonly #metrics: Metrics;
  readonly #version: string;
  readonly #background: Background;
  readonly #startMs = performance.now();
  readonly #delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  readonly #history = new History(this.#startMs, () => this.#readDelay());
  #update: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(metrics: Metrics, version: string, background = new Background()) {
    this.#metrics = metrics;
    this.#version = version;
    this.#background = background;
    this.#delay.enable();
    this.#schedule();
  }

  /** Returns the answer to `/history`: rows after `?after=<minute>`, the active alerts and the totals. */
  async answer(query: URLSearchParams, hasAmounts: boolean): Promise<string> {
    await this.#updated();
    const nowMs = performance.now();
    const atMs = Date.now();
    const { firstAgeMs, ...rows } = this.#history.rows(Number(query.get('after') ?? -1), hasAmounts);
    return JSON.stringify({
      version: this.#version,
      at: atMs,
      startedAt: atMs - (nowMs - this.#startMs),
      ...rows,
      firstAt: atMs - firstAgeMs,
      alerts: this.#history.alerts.map(({ sinceMs, ...alert }) => ({ ...alert, since: atMs - (nowMs - sinceMs) })),
      totals: new Totals(this.#history).read(hasAmounts),
    });
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#delay.disable();
  }

  #schedule(): void {
    const elapsedMs = performance.now() - this.#startMs;
    const update = () => {
      // If this update fails, the next one covers its time too.
      void this.#background.run('metrics', () => this.#updated());
      this.#schedule();
    };
    this.#timer = setTimeout(update, INTERVAL_MS - (elapsedMs % INTERVAL_MS)).unref();
  }

  /** Updates the history. Overlapping reads share one update, so that counters never go back. */
  #updated(): Promise<void> {
    this.#update ??= this.#metrics
      .figures()
      .then((figures) => this.#history.add(figures, performance.now()))
      .finally(() => {
        this.#update = undefined;
      });
    return this.#update;
  }

  #readDelay(): number {
    const seconds = this.#delay.percentile(99) / NANOSECONDS;
    this.#delay.reset();
    return seconds;
  }
}
