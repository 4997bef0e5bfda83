import { type Growth, RULES, type Rule, type Snapshot } from './alerts.ts';
import { Figures, type LabelFilter, type Sample } from './figures.ts';

const MINUTE_MS = 60_000;
/** The most rows: one for each minute of 24 hours. */
const MAX_ROWS = 1_440;
/** The longest span of an alert, in minutes. */
const MAX_SPAN = 60;

const FAILED = /^(?:state_unavailable|overloaded|shutting_down|facilitator_)/;

type Column = (grown: Figures, now: Figures) => number | undefined;

/** Returns a column with a counter's growth; `least` if the counter has no such values. */
const growth =
  (name: string, wanted?: LabelFilter, least?: 0): Column =>
  (grown) =>
    grown.sum(name, wanted) ?? least;
const requests = (wanted: LabelFilter): Column => growth('requests_total', wanted, 0);
const calls = (surface: string | RegExp): Column => growth('upstream_duration_seconds_count', { surface }, 0);
const money = (kind: string): Column => growth('journal_usd_micros_total', { kind, cluster: 'mainnet' });
const duration =
  (fraction: number): Column =>
  (grown) =>
    grown.quantile(fraction, 'request_duration_seconds');
/** Returns a column with a gauge's value at the end of the minute. */
const last =
  (name: string, wanted?: LabelFilter): Column =>
  (_, now) =>
    now.sum(name, wanted);

/** The columns of each minute: a counter's growth, or a gauge's value at the end. */
const COLUMNS: Readonly<Record<string, Column>> = {
  ok: requests({ status: /^[23]/ }),
  challenges: requests({ status: /^402$/ }),
  clientErrors: requests({ status: /^4(?!02|29)/ }),
  tooMany: requests({ status: /^429$/ }),
  serverErrors: requests({ status: /^5/ }),
  p50: duration(0.5),
  p99: duration(0.99),
  budgetLeft: last('budget_left', { surface: 'tokens' }),
  budgetLimit: last('budget_limit', { surface: 'tokens' }),
  cacheHits: growth('cache_answers_total', { result: /^(?:hit|stale|collapsed)$/ }),
  cacheMisses: growth('cache_answers_total', { result: /^(?:miss|refetch)$/ }),
  dataCalls: calls('tokens'),
  chainCalls: calls(/^(?:rpc|das|wallet)$/),
  apiCalls: calls(/^(?!(?:tokens|rpc|das|wallet)$)/),
  budgetRefusals: requests({ code: /^(?:rate_limited|upstream_rate_limited)$/ }),
  failedSignIns: growth('sign_ins_total', { result: /^invalid_siwx_/ }, 0),
  blocked: requests({ code: 'blocked' }),
  unavailable: requests({ code: FAILED }),
  loopDelay: last('nodejs_eventloop_lag_p99_seconds'),
};
/** The columns that only clients with access to sales get. */
const AMOUNTS: Readonly<Record<string, Column>> = { settled: money('settlement'), spent: money('debit') };
const ALL = { ...COLUMNS, ...AMOUNTS };
const UNKNOWN = Object.keys(ALL).map(() => Number.NaN);

/** The counters at one time, in order of first appearance. */
interface Mark {
  readonly atMs: number;
  readonly values: readonly number[];
}

/** An active alert. */
interface ActiveAlert extends Pick<Rule, 'alert' | 'severity' | 'means' | 'advice'> {
  /** The routes, upstreams or keys. An alert that has no subjects has one empty name. */
  readonly subjects: readonly string[];
  /** When the condition became true, on the clock of the history. */
  readonly sinceMs: number;
}

/** Returns the alerts whose condition is true now. Alerts that were active before keep their time. */
const activeAlerts = (snapshot: Snapshot, before: readonly ActiveAlert[], nowMs: number): readonly ActiveAlert[] =>
  RULES.flatMap((rule) => {
    const { alert, severity, means, advice } = rule;
    const subjects = rule.find(snapshot, rule);
    const { sinceMs } = before.find((each) => each.alert === alert) ?? { sinceMs: nowMs };
    return subjects.length > 0 ? [{ alert, severity, means, advice, subjects, sinceMs }] : [];
  });

/** Stores one row a minute for 24 hours, the counters' growth in the last hour, and the active alerts. Times are monotonic. */
export class History implements Snapshot {
  now = new Figures([]);
  alerts: readonly ActiveAlert[] = [];
  readonly #startMs: number;
  readonly #readDelay: () => number;
  #nowMs: number;
  #delaySeconds = 0;
  /** The number of complete minutes. */
  #minutes = 0;
  #rows: (readonly number[])[] = [];
  #marks: readonly Mark[];
  readonly #indexes = new Map<string, number>();

  /** `readDelay`: returns the event loop's p99 delay in seconds since its last call. */
  constructor(startMs: number, readDelay: () => number) {
    this.#startMs = startMs;
    this.#nowMs = startMs;
    this.#readDelay = readDelay;
    this.#marks = [{ atMs: startMs, values: [] }];
  }

  /** Adds the current figures. Completes minutes that are over, and evaluates the alerts. */
  add(figures: Figures, nowMs: number): void {
    this.#nowMs = nowMs;
    const minutes = Math.floor((nowMs - this.#startMs) / MINUTE_MS);
    const isMinuteOver = minutes > this.#minutes;
    if (isMinuteOver) this.#delaySeconds = this.#readDelay();
    const delay = { name: 'nodejs_eventloop_lag_p99_seconds', labels: {}, isCounter: false, value: this.#delaySeconds };
    this.now = new Figures([...figures.samples, delay]);
    if (isMinuteOver) this.#endMinutes(minutes);
    this.alerts = activeAlerts(this, this.alerts, nowMs);
  }

  /** Returns the growth in the last minutes, or since the start if that is later. */
  readonly growthIn = (minutes: number): Growth => {
    const newest = this.#marks.at(-1);
    return this.#growthSince(this.#marks.find(({ atMs }) => atMs >= this.#nowMs - minutes * MINUTE_MS) ?? newest);
  };

  /** Returns the rows of consecutive minutes after this one. */
  rows(after: number, hasAmounts: boolean) {
    const firstKept = this.#minutes - this.#rows.length;
    const firstMinute = Math.min(Math.max(firstKept, after + 1), this.#minutes);
    const columns = Object.keys(hasAmounts ? ALL : COLUMNS);
    return {
      columns,
      /** The first row's minute, counted from the start. */
      firstMinute,
      /** Milliseconds since the end of the first row's minute. */
      firstAgeMs: this.#nowMs - this.#startMs - (firstMinute + 1) * MINUTE_MS,
      /** Unknown values are NaN. */
      rows: this.#rows.slice(firstMinute - firstKept).map((row) => row.slice(0, columns.length)),
    };
  }

  #placeOf({ name, labels }: Sample): number {
    const series = `${name} ${Object.values(labels).join(' ')}`;
    const index = this.#indexes.get(series) ?? this.#indexes.size;
    this.#indexes.set(series, index);
    return index;
  }

  #endMinutes(minutes: number): void {
    const { figures } = this.#growthSince(this.#marks.at(-1));
    const row = Object.values(ALL).map((read) => read(figures, this.now) ?? Number.NaN);
    // Nothing is known of the minutes in which the process was suspended.
    const missed = Math.min(minutes - this.#minutes - 1, MAX_ROWS);
    for (let count = 0; count < missed; count++) this.#rows.push(UNKNOWN);
    this.#rows.push(row);
    this.#rows = this.#rows.slice(-MAX_ROWS);
    this.#minutes = minutes;
    const values: number[] = [];
    for (const sample of this.#counters()) values[this.#placeOf(sample)] = sample.value;
    this.#marks = [...this.#marks, { atMs: this.#nowMs, values }].slice(-MAX_SPAN - 1);
  }

  #counters(): Sample[] {
    return this.now.samples.filter(({ isCounter }) => isCounter);
  }

  #growthSince(then: Mark | undefined): Growth {
    const samples = this.#counters().map((sample) => ({
      ...sample,
      value: sample.value - (then?.values[this.#placeOf(sample)] ?? 0),
    }));
    return { figures: new Figures(samples), seconds: (this.#nowMs - (then?.atMs ?? this.#startMs)) / 1_000 };
  }
}
