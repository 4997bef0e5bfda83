import { GatewayError } from './error.ts';
import type { CallSettings } from './settings.ts';

/** The longest delay of `setTimeout`. With a longer one it would fire at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const TIMEOUT_MS = 30_000;

/** Returns the outcome of a promise. Rejects if the signal aborts first. */
export const race = <T>(signal: AbortSignal, outcome: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    // An abort counts even if the outcome has just arrived.
    const finish = (result: T) => (signal.aborted ? stop() : resolve(result));
    outcome.then(finish, reject).finally(() => signal.removeEventListener('abort', stop));
  });

/** The deadline of one call, combined with the caller's abort signal. */
export class Deadline {
  readonly signal: AbortSignal;
  readonly #endsAt: number;

  constructor(signal: AbortSignal, timeoutMs: number) {
    this.signal = signal;
    this.#endsAt = performance.now() + timeoutMs;
  }

  get remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** Waits. Throws as soon as the call is aborted or out of time. */
  async wait(milliseconds: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, milliseconds);
    });
    await this.race(over).finally(() => clearTimeout(timer));
  }

  /** Returns the outcome of a promise. Throws if the call is aborted or out of time first. */
  race<T>(outcome: Promise<T>): Promise<T> {
    return race(this.signal, outcome);
  }
}

/** Runs work within the deadline of a call. */
export async function within<T>(
  { timeoutMs = TIMEOUT_MS, signal: caller }: CallSettings,
  work: (deadline: Deadline) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = (code: 'aborted' | 'timeout', message: string) =>
    controller.abort(new GatewayError(code, { message, cause: caller?.reason }));
  const abort = () => end('aborted', 'the call was aborted');
  const expire = () => end('timeout', `no answer within ${timeoutMs} ms; try again, or raise timeoutMs`);
  const timer = setTimeout(expire, Math.min(timeoutMs, MAX_TIMER_MS));
  if (caller?.aborted) abort();
  caller?.addEventListener('abort', abort, { once: true });
  try {
    return await work(new Deadline(controller.signal, timeoutMs));
  } finally {
    clearTimeout(timer);
    caller?.removeEventListener('abort', abort);
  }
}
