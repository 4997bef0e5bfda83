import { Figures, type Sample } from './figures.ts';

/** What was added in a span of time. */
export interface Growth {
  readonly figures: Figures;
  /** How long the span is. */
  readonly seconds: number;
}

/** What all counters have grown by since the beginning, at a moment. */
interface Moment {
  readonly atMs: number;
  readonly grown: ReadonlyMap<string, number>;
}

const MINUTE_MS = 60_000;
const DENSE_MS = 5 * MINUTE_MS;
const KEPT_MS = 60 * MINUTE_MS;
/** More than any gateway has. */
const MAX_SERIES = 40_000;
const STARTED = 'process_start_time_seconds';

/** What counters have grown by while somebody has looked. One that begins anew with its process goes on from where it was. */
export class History {
  #moments: readonly Moment[] = [];
  #before: Figures | undefined;
  readonly #series = new Map<string, Sample>();

  /** Takes what was read at a moment, by a clock that only goes forwards. */
  add(atMs: number, figures: Figures): void {
    const before = this.#before;
    const isAnew = before?.sum(STARTED) !== figures.sum(STARTED);
    const values = new Map(before?.samples.map(({ series, value }) => [series, value]));
    const grown = new Map(this.#moments.at(-1)?.grown);
    for (const sample of figures.samples) {
      const { name, series, value } = sample;
      if (!figures.counters.has(name) || (this.#series.size >= MAX_SERIES && !this.#series.has(series))) continue;
      this.#series.set(series, sample);
      const was = isAnew ? 0 : (values.get(series) ?? 0);
      const by = value >= was ? value - was : value;
      grown.set(series, (grown.get(series) ?? 0) + (before ? by : 0));
    }
    this.#before = figures;
    this.#moments = [
      ...this.#moments.filter((moment, index, all) => isKept(moment, all[index - 1], atMs)),
      { atMs, grown },
    ];
  }

  /** How many looks are remembered. */
  get size(): number {
    return this.#moments.length;
  }

  /** What was added in the last so many minutes, or since the first look; nothing before the second. */
  over(minutes: number): Growth | undefined {
    const now = this.#moments.at(-1);
    const then = this.#moments.find(({ atMs }) => now && atMs >= now.atMs - minutes * MINUTE_MS);
    return now && then && now !== then ? this.#between(then, now) : undefined;
  }

  /** What was added between the last two looks. */
  lastStep(): Growth | undefined {
    const [then, now] = this.#moments.slice(-2);
    return then && now && this.#between(then, now);
  }

  #between(then: Moment, now: Moment): Growth {
    const samples = [...this.#series.values()].map((sample) => {
      const { series } = sample;
      return { ...sample, value: (now.grown.get(series) ?? 0) - (then.grown.get(series) ?? 0) };
    });
    const counters = new Set(samples.map(({ name }) => name));
    return { figures: new Figures(samples, counters), seconds: (now.atMs - then.atMs) / 1_000 };
  }
}

/** All of the last minutes, and one moment of each minute before. */
function isKept({ atMs }: Moment, before: Moment | undefined, nowMs: number): boolean {
  const age = nowMs - atMs;
  const isFirstOfMinute = Math.floor(atMs / MINUTE_MS) !== Math.floor((before?.atMs ?? -1) / MINUTE_MS);
  return age <= DENSE_MS || (age <= KEPT_MS + MINUTE_MS && isFirstOfMinute);
}
