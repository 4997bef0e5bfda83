import { type Call, type FreeClient, type Full, GatewayError } from '@asset-gateway/client';
import { useEffect, useState } from 'preact/hooks';
import type { Step } from '../recorder.ts';
import type { Session } from '../session.ts';

type LoadState<T> =
  | { readonly is: 'waiting' }
  | { readonly is: 'done'; readonly value: T }
  | { readonly is: 'failed'; readonly error: unknown };

/** Loads a value when its dependencies change, and ignores results of earlier loads. */
export function useAnswer<T>(
  load: (signal: AbortSignal) => Promise<T>,
  dependencies: readonly unknown[],
): LoadState<T> {
  const [state, setState] = useState<LoadState<T>>({ is: 'waiting' });
  useEffect(() => {
    const controller = new AbortController();
    setState({ is: 'waiting' });
    load(controller.signal).then(
      (value) => controller.signal.aborted || setState({ is: 'done', value }),
      (error: unknown) => controller.signal.aborted || setState({ is: 'failed', error }),
    );
    return () => controller.abort();
  }, dependencies);
  return state;
}

/** An answer and the exchange that led to it. */
export interface CachedAnswer<T = unknown> {
  readonly full: Full<T>;
  readonly steps: readonly Step[];
}

export type CallState<T> =
  | { readonly is: 'idle' | 'waiting' }
  /** The call is repeated at `until`, in milliseconds of `performance.now()`. */
  | { readonly is: 'paused'; readonly until: number; readonly error: unknown; readonly steps: readonly Step[] }
  | { readonly is: 'done'; readonly full: Full<T>; readonly steps: readonly Step[] }
  | { readonly is: 'failed'; readonly error: unknown; readonly steps: readonly Step[] };

/** A call and its cache key. */
interface KeyedCall<T> {
  readonly key: string;
  ask(client: FreeClient): Call<T>;
}

const CACHE_MS = 60_000;
/** In characters, so that a few very long answers do not fill the tab's memory. */
const MAX_CACHE_LENGTH = 16_000_000;
/** After this many pauses the user has to press a button. */
const MAX_PAUSES = 20;

/** The answers of the last minute: going back to one takes no call. */
export class AnswerCache {
  readonly #entries = new Map<string, { readonly answer: CachedAnswer; readonly until: number }>();

  get(key: string, now: number): CachedAnswer | undefined {
    this.#evict(now);
    return this.#entries.get(key)?.answer;
  }

  set(key: string, answer: CachedAnswer, now: number): void {
    // Moves the key to the end: eviction starts with the oldest.
    this.#entries.delete(key);
    this.#entries.set(key, { answer, until: now + CACHE_MS });
    this.#evict(now);
  }

  #evict(now: number): void {
    let length = 0;
    for (const [key, { answer, until }] of [...this.#entries].reverse()) {
      length += answer.full.text.length;
      if (until <= now || length > MAX_CACHE_LENGTH) this.#entries.delete(key);
    }
  }
}

const cache = new AnswerCache();

const stepsOf = ({ recorder }: Session, response: Response | undefined): readonly Step[] =>
  response?.url ? recorder.stepsFor(response.url) : [];

/** The Retry-After of a 429 or 503, in milliseconds. */
const retryAfterMs = (error: unknown): number | undefined =>
  error instanceof GatewayError && error.retryAfterSeconds !== undefined && [429, 503].includes(error.status ?? 0)
    ? error.retryAfterSeconds * 1000
    : undefined;

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

type Report<T> = (state: CallState<T>) => void;

/** Waits until the shared budget has a call left. */
async function waitForBudget<T>({ recorder }: Session, signal: AbortSignal, report: Report<T>): Promise<void> {
  const { left = 1, freesAt = 0 } = recorder.budget ?? {};
  const waitMs = left > 0 ? 0 : freesAt - performance.now();
  if (waitMs <= 0) return;
  report({ is: 'paused', until: freesAt, error: undefined, steps: [] });
  await pause(waitMs, signal);
}

/** Calls until there is an answer or a refusal without Retry-After. */
async function call<T>(
  session: Session,
  { key, ask }: KeyedCall<T>,
  signal: AbortSignal,
  report: Report<T>,
): Promise<void> {
  for (let pauses = 0; ; pauses++) {
    await waitForBudget(session, signal, report);
    report({ is: 'waiting' });
    try {
      const full = await ask(session.client.with({ signal, retries: 0 })).full();
      const answer = { full, steps: stepsOf(session, full.response) };
      cache.set(key, answer, performance.now());
      return report({ is: 'done', ...answer });
    } catch (error) {
      if (signal.aborted) return;
      const waitMs = retryAfterMs(error);
      const steps = stepsOf(session, error instanceof GatewayError ? error.response : undefined);
      if (waitMs === undefined || pauses >= MAX_PAUSES) return report({ is: 'failed', error, steps });
      report({ is: 'paused', until: performance.now() + waitMs, error, steps });
      await pause(waitMs, signal);
    }
  }
}

/**
 * Makes a call, and a new one when its key changes; only the latest counts. Answers of the last minute come from a cache. After a
 * 429 or 503 it waits and retries. Returns the state and a function that calls again.
 */
export function useCall<T>(session: Session, keyed: KeyedCall<T> | undefined): readonly [CallState<T>, () => void] {
  const [state, setState] = useState<CallState<T>>({ is: 'idle' });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!keyed) return setState({ is: 'idle' });
    const answer = cache.get(keyed.key, performance.now());
    // The key determines the type.
    if (answer) return setState({ is: 'done', ...answer } as CallState<T>);
    const controller = new AbortController();
    const { signal } = controller;
    const report: Report<T> = (each) => signal.aborted || setState(each);
    // Rejects only after an abort.
    call(session, keyed, signal, report).catch(() => undefined);
    return () => controller.abort();
  }, [session, keyed?.key, attempt]);
  return [state, () => setAttempt(attempt + 1)];
}
