import { GatewayError } from './error.ts';

/** `setTimeout` fires at once with a longer delay. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The outcome of a promise, unless the signal aborts first. */
export async function race<T>(signal: AbortSignal, outcome: Promise<T>): Promise<T> {
  // After an abort nothing awaits this promise; its rejection must not end the process.
  outcome.catch(() => undefined);
  signal.throwIfAborted();
  let stop = () => {};
  const over = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    const result = await Promise.race([outcome, over]);
    // An abort just after the outcome counts too.
    signal.throwIfAborted();
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The deadline of one call, combined with the caller's abort signal. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #endsAt: number;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #caller: AbortSignal | undefined;
  readonly #abort = () =>
    this.#controller.abort(
      new GatewayError('aborted', { message: 'the call was aborted', cause: this.#caller?.reason }),
    );

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.#endsAt = performance.now() + timeoutMs;
    this.#caller = caller;
    const message = `no answer within ${timeoutMs} ms; try again, or raise timeoutMs`;
    const expire = () => this.#controller.abort(new GatewayError('timeout', { message }));
    this.#timer = setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS));
    if (caller?.aborted) this.#abort();
    caller?.addEventListener('abort', this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** Waits. Throws as soon as the call is aborted or times out. */
  async wait(milliseconds: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      await this.race(
        new Promise<void>((resolve) => {
          timer = setTimeout(resolve, milliseconds);
        }),
      );
    } finally {
      clearTimeout(timer);
    }
  }

  /** The outcome of a promise, unless the call is aborted or times out first. */
  race<T>(outcome: Promise<T>): Promise<T> {
    return race(this.signal, outcome);
  }

  /** Releases the timer and the listener. */
  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#abort);
  }
}

const TIMEOUT_MS = 30_000;

/** The settings of a deadline. */
interface Times {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal;
}

/** Runs work within the deadline of a call. */
export async function within<T>(
  { timeoutMs = TIMEOUT_MS, signal }: Times,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const deadline = new Deadline(timeoutMs, signal);
  try {
    return await work(deadline);
  } finally {
    deadline.end();
  }
}
