import { GatewayError } from './error.ts';

/** A longer timer fires at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** The outcome of a promise, unless the signal is aborted first. */
export async function race<T>(signal: AbortSignal, outcome: Promise<T>): Promise<T> {
  // After an abort no one awaits it, and its failure must not end the process.
  outcome.catch(() => undefined);
  signal.throwIfAborted();
  let stop = () => {};
  const over = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([outcome, over]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** The time that one call has, and the caller's wish to give it up. */
export class Deadline {
  readonly #controller = new AbortController();
  readonly #endsAt: number;
  readonly #timer: ReturnType<typeof setTimeout>;
  readonly #caller: AbortSignal | undefined;
  readonly #giveUp = () =>
    this.#controller.abort(
      new GatewayError('aborted', { message: 'the call was given up', cause: this.#caller?.reason }),
    );

  constructor(timeoutMs: number, caller: AbortSignal | undefined) {
    this.#endsAt = performance.now() + timeoutMs;
    this.#caller = caller;
    const message = `there was no answer within ${timeoutMs} ms; ask again, or give more time by timeoutMs`;
    const expire = () => this.#controller.abort(new GatewayError('timeout', { message }));
    this.#timer = setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS));
    if (caller?.aborted) this.#giveUp();
    caller?.addEventListener('abort', this.#giveUp, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** Waits; throws as soon as the call is given up or its time is over. */
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

  /** The outcome of a promise, unless the call is over before. */
  race<T>(outcome: Promise<T>): Promise<T> {
    return race(this.signal, outcome);
  }

  /** The call has ended. */
  end(): void {
    clearTimeout(this.#timer);
    this.#caller?.removeEventListener('abort', this.#giveUp);
  }
}
