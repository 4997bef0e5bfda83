import { type Call, type FreeClient, type Full, GatewayError } from '@asset-gateway/client';
import { createContext } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import type { RecordedRequest } from '../recorder.ts';
import { session } from '../session.ts';
import { isUnreachable } from './connectivity.ts';
import { sleep, useBack } from './hooks.ts';

/** A call of an asset-data method, with arguments for code samples. */
export interface TokensCall {
  readonly method: keyof FreeClient['tokens'];
  /** The arguments of the method. */
  readonly values: readonly unknown[];
  /** The arguments by name, as tools take them. */
  readonly named: object;
}

/** Makes the call. */
export const askFor = ({ tokens }: FreeClient, { method, values }: TokensCall): Call<unknown> =>
  (tokens[method] as (...values: readonly unknown[]) => Call<unknown>)(...values);

/** An answer, and the exchange that led to it. */
export interface CachedAnswer {
  readonly full: Full<unknown>;
  readonly steps: readonly RecordedRequest[];
}

export type CallState =
  | { readonly is: 'idle' | 'waiting' }
  /** The call is repeated at `until`, in milliseconds of `performance.now()`. */
  | {
      readonly is: 'paused';
      readonly until: number;
      readonly error: unknown;
      readonly steps: readonly RecordedRequest[];
    }
  | ({ readonly is: 'done' } & CachedAnswer)
  | { readonly is: 'failed'; readonly error: unknown; readonly steps: readonly RecordedRequest[] };

/** The last call, for its panel. */
export interface LastCall {
  readonly call: TokensCall;
  readonly url: string;
  readonly steps: readonly RecordedRequest[];
  /** The body of the answer, if any. */
  readonly text: string | undefined;
}

/** Receives a report of each call. */
export const CallReport = createContext<(lastCall: LastCall) => void>(() => {});

const CACHE_MS = 60_000;
/** The most characters of stored answers. A few very long answers must not fill the tab's memory. */
const MAX_CACHE_LENGTH = 16_000_000;
/** The most pauses. After them the user must press a button. */
const MAX_PAUSES = 20;

/** Stores the answers of the last minute, so that going back to one takes no call. */
export class AnswerCache {
  readonly #entries = new Map<string, { readonly answer: CachedAnswer; readonly until: number }>();

  get(key: string, now: number): CachedAnswer | undefined {
    const { answer, until = now } = this.#entries.get(key) ?? {};
    return now < until ? answer : undefined;
  }

  set(key: string, answer: CachedAnswer, now: number): void {
    // Moves the key to the end, because eviction starts with the oldest.
    this.#entries.delete(key);
    this.#entries.set(key, { answer, until: now + CACHE_MS });
    let length = 0;
    for (const [key, { answer, until }] of [...this.#entries].reverse()) {
      length += answer.full.text.length;
      if (until <= now || length > MAX_CACHE_LENGTH) this.#entries.delete(key);
    }
  }
}

const cache = new AnswerCache();

/** Makes a call once, without waiting for budget. Returns its answer and its exchange. */
export async function answered(call: TokensCall, signal?: AbortSignal) {
  const full = await askFor(session.client.with({ retries: 0, ...(signal && { signal }) }), call).full();
  const answer: CachedAnswer = { full, steps: stepsOf(full.response) };
  cache.set(callKeyOf(call), answer, performance.now());
  return { answer, lastCall: { call, url: full.response.url, steps: answer.steps, text: full.text } };
}

const callKeyOf = ({ method, values }: TokensCall): string => JSON.stringify([method, values]);

const stepsOf = (response: Response | undefined): readonly RecordedRequest[] =>
  response?.url ? session.recorder.stepsFor(response.url) : [];

/** Returns the Retry-After of a 429 or 503, in milliseconds. */
const retryAfterMs = (error: unknown): number | undefined =>
  error instanceof GatewayError && error.retryAfterSeconds !== undefined && [429, 503].includes(error.status ?? 0)
    ? error.retryAfterSeconds * 1000
    : undefined;

type Report = (state: CallState) => void;

/** Reports a pause until this time, and waits for its end. */
async function pause(
  report: Report,
  until: number,
  error?: unknown,
  steps: readonly RecordedRequest[] = [],
): Promise<void> {
  report({ is: 'paused', until, error, steps });
  await sleep(until - performance.now());
}

/** Calls until an answer, or a refusal without Retry-After, arrives. */
async function answerTo(call: TokensCall, signal: AbortSignal, report: Report): Promise<void> {
  for (let pauses = 0; !signal.aborted; pauses++) {
    const { left = 1, freesAt = 0 } = session.recorder.budget ?? {};
    if (left === 0 && freesAt > performance.now()) await pause(report, freesAt);
    if (signal.aborted) return;
    report({ is: 'waiting' });
    try {
      return report({ is: 'done', ...(await answered(call, signal)).answer });
    } catch (error) {
      const waitMs = retryAfterMs(error);
      const steps = stepsOf(error instanceof GatewayError ? error.response : undefined);
      if (waitMs === undefined || pauses >= MAX_PAUSES) return report({ is: 'failed', error, steps });
      await pause(report, performance.now() + waitMs, error, steps);
    }
  }
}

/**
 * Makes a call, and a new one when its arguments change. Only the latest counts. Answers of the last minute come from a cache. After a 429
 * or 503, waits and retries. Reports each answer. Returns the state, and a function that calls again.
 */
export function useCall(call: TokensCall | undefined): readonly [CallState, () => void] {
  const reportCall = useContext(CallReport);
  const [state, setState] = useState<CallState>({ is: 'idle' });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!call) return setState({ is: 'idle' });
    const answer = cache.get(callKeyOf(call), performance.now());
    if (answer) return setState({ is: 'done', ...answer });
    const controller = new AbortController();
    const { signal } = controller;
    answerTo(call, signal, (each) => signal.aborted || setState(each));
    return () => controller.abort();
  }, [call && callKeyOf(call), attempt]);
  useEffect(() => {
    const steps = 'steps' in state ? state.steps : [];
    const url = steps.at(-1)?.url;
    if (call && url) reportCall({ call, url, steps, text: state.is === 'done' ? state.full.text : undefined });
  }, [state]);
  const again = (): void => setAttempt((before) => before + 1);
  useBack(state.is === 'failed' && isUnreachable(state.error), again);
  return [state, again];
}
