import { Figures, type Sample } from './figures.ts';

/** The growth of all counters in a span. */
export interface Growth {
  readonly figures: Figures;
  readonly seconds: number;
}

/** The growth of all counters since the page was opened. */
interface Entry {
  readonly atMs: number;
  readonly grown: ReadonlyMap<string, number>;
}

const MINUTE_MS = 60_000;
/** Every scrape is kept this long, then one a minute. */
const DENSE_MS = 5 * MINUTE_MS;
const RETENTION_MS = 60 * MINUTE_MS;
/** More than any gateway has. */
const MAX_SERIES = 40_000;
const STARTED = 'process_start_time_seconds';

/** The growth of counters while the page is open. A counter that restarts with the process continues from its last value. */
export class History {
  #entries: readonly Entry[] = [];
  #before: Figures | undefined;
  readonly #series = new Map<string, Sample>();

  /** Adds a scrape; `atMs` must be monotonic. */
  add(atMs: number, figures: Figures): void {
    const before = this.#before;
    const isRestart = before?.sum(STARTED) !== figures.sum(STARTED);
    const values = new Map(before?.samples.map(({ series, value }) => [series, value]));
    const grown = new Map(this.#entries.at(-1)?.grown);
    for (const sample of figures.samples) {
      const { name, series, value } = sample;
      if (!figures.counters.has(name) || (this.#series.size >= MAX_SERIES && !this.#series.has(series))) continue;
      this.#series.set(series, sample);
      const was = isRestart ? 0 : (values.get(series) ?? 0);
      const by = value >= was ? value - was : value;
      grown.set(series, (grown.get(series) ?? 0) + (before ? by : 0));
    }
    this.#before = figures;
    this.#entries = [
      ...this.#entries.filter((entry, index, all) => isRetained(entry, all[index - 1], atMs)),
      { atMs, grown },
    ];
  }

  /** The number of scrapes kept. */
  get size(): number {
    return this.#entries.length;
  }

  /** The growth over the last minutes, or since the first scrape; undefined before the second. */
  over(minutes: number): Growth | undefined {
    const now = this.#entries.at(-1);
    const then = this.#entries.find(({ atMs }) => now && atMs >= now.atMs - minutes * MINUTE_MS);
    return now && then && now !== then ? this.#between(then, now) : undefined;
  }

  /** The growth between the last two scrapes. */
  lastStep(): Growth | undefined {
    const [then, now] = this.#entries.slice(-2);
    return then && now && this.#between(then, now);
  }

  #between(then: Entry, now: Entry): Growth {
    const samples = [...this.#series.values()].map((sample) => {
      const { series } = sample;
      return { ...sample, value: (now.grown.get(series) ?? 0) - (then.grown.get(series) ?? 0) };
    });
    const counters = new Set(samples.map(({ name }) => name));
    return { figures: new Figures(samples, counters), seconds: (now.atMs - then.atMs) / 1_000 };
  }
}

function isRetained({ atMs }: Entry, before: Entry | undefined, nowMs: number): boolean {
  const age = nowMs - atMs;
  const isFirstOfMinute = Math.floor(atMs / MINUTE_MS) !== Math.floor((before?.atMs ?? -1) / MINUTE_MS);
  return age <= DENSE_MS || (age <= RETENTION_MS + MINUTE_MS && isFirstOfMinute);
}
