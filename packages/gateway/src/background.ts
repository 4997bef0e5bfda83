/** The names of the tasks that no request waits for, as log and metrics show them. */
export const TASKS = [
  'cache',
  'checkpoint',
  'covered_payments',
  'deliveries',
  'facilitator',
  'fee_payers',
  'files',
  'leases',
  'metrics',
  'reconciliation',
  'redis',
  'releases',
  'retention',
  'slots',
] as const;

type BackgroundTask = (typeof TASKS)[number];

/** The failures of one task since its last report. */
export interface BackgroundFailure {
  readonly task: BackgroundTask;
  readonly error: unknown;
  readonly failures: number;
}

const REPORT_MS = 60_000;

/** Runs background tasks, counts their failures, and reports each task's failures at most once a minute. */
export class Background {
  readonly #counts = new Map<BackgroundTask, number>(TASKS.map((task) => [task, 0]));
  readonly #reported = new Map<BackgroundTask, { readonly atMs: number; readonly count: number }>();
  readonly #now: () => number;
  /** The failures from before the log is open, by task. */
  #unreported = new Map<BackgroundTask, BackgroundFailure>();
  #report: (failure: BackgroundFailure) => void = (failure) => this.#unreported.set(failure.task, failure);

  /** `now`: returns monotonic milliseconds. */
  constructor(now = () => performance.now()) {
    this.#now = now;
  }

  /** Returns how many failures each task has had since the start. */
  get counts(): ReadonlyMap<BackgroundTask, number> {
    return this.#counts;
  }

  /** Reports failures from now on, and those that came before. */
  listen(report: (failure: BackgroundFailure) => void): void {
    this.#report = report;
    for (const failure of this.#unreported.values()) report(failure);
    this.#unreported = new Map();
  }

  failed(task: BackgroundTask, error: unknown): void {
    const count = (this.#counts.get(task) ?? 0) + 1;
    this.#counts.set(task, count);
    const last = this.#reported.get(task);
    if (last && this.#now() - last.atMs < REPORT_MS) return;
    this.#reported.set(task, { atMs: this.#now(), count });
    this.#report({ task, error, failures: count - (last?.count ?? 0) });
  }

  /** Runs work once. Never rejects; returns undefined after a failure. */
  async run<T>(task: BackgroundTask, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.failed(task, error);
      return undefined;
    }
  }

  /** Runs work at this interval in milliseconds, one run at a time. */
  every(task: BackgroundTask, milliseconds: number, work: () => Promise<unknown>): Repeated {
    let running: Promise<void> | undefined;
    let isClosed = false;
    const once = async () => {
      try {
        await work();
      } catch (error) {
        // A failure after closing is not reported, because its dependencies are closed by then.
        if (!isClosed) this.failed(task, error);
      } finally {
        running = undefined;
      }
    };
    const run = () => {
      running ??= once();
      return running;
    };
    const timer = setInterval(run, milliseconds).unref();
    return {
      run,
      async close() {
        isClosed = true;
        clearInterval(timer);
        await running;
      },
    };
  }
}

/** Work that repeats until it is closed. */
export interface Repeated {
  /** Runs the work now, or joins the present run. Never rejects. */
  run(): Promise<void>;
  /** Resolves when the last run has ended. */
  close(): Promise<void>;
}
