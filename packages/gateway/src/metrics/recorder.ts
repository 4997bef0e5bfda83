import { monitorEventLoopDelay } from 'node:perf_hooks';
import { History } from './history.ts';
import type { Metrics } from './metrics.ts';
import { Totals } from './totals.ts';

/** How often the alerts are evaluated. Divides a minute, so that each row covers one. */
const INTERVAL_MS = 15_000;
const DELAY_RESOLUTION_MS = 20;
const NANOSECONDS = 1e9;

/** Reads the metrics every 15 seconds into a history, and answers `/history`. */
export class Recorder {
  readonly #metrics: Metrics;
  readonly #version: string;
  readonly #startMs = performance.now();
  readonly #delay = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  readonly #history = new History(this.#startMs, () => this.#takeDelay());
  #update: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(metrics: Metrics, version: string) {
    this.#metrics = metrics;
    this.#version = version;
    this.#delay.enable();
    this.#schedule();
  }

  /** The answer to `/history`: rows after `?after=<minute>`, the active alerts and the totals. */
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
    this.#timer = setTimeout(
      () => {
        // An error of a reading must not end the process; the next update covers the time.
        this.#updated().catch(() => undefined);
        this.#schedule();
      },
      INTERVAL_MS - (elapsedMs % INTERVAL_MS),
    ).unref();
  }

  /** Reads that overlap share one update, so that counters never go back. */
  #updated(): Promise<void> {
    this.#update ??= this.#metrics
      .figures()
      .then((figures) => this.#history.add(figures, performance.now()))
      .finally(() => {
        this.#update = undefined;
      });
    return this.#update;
  }

  #takeDelay(): number {
    const seconds = this.#delay.percentile(99) / NANOSECONDS;
    this.#delay.reset();
    return seconds;
  }
}
