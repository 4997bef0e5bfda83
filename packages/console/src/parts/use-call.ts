import { type Call, type FreeClient, type Full, GatewayError } from '@asset-gateway/client';
import { useEffect, useState } from 'preact/hooks';
import type { Step } from '../recorder.ts';
import type { Session } from '../session.ts';
import { KeptAnswers } from './kept-answers.ts';

/** What has become of a call. */
export type Called<T> =
  | { readonly is: 'idle' | 'waiting' }
  /** The gateway asks to wait: the call is made again at this time, in milliseconds of `performance.now()`. */
  | { readonly is: 'paused'; readonly until: number; readonly error: unknown; readonly steps: readonly Step[] }
  | { readonly is: 'here'; readonly full: Full<T>; readonly steps: readonly Step[] }
  | { readonly is: 'failed'; readonly error: unknown; readonly steps: readonly Step[] };

/** A call, and what tells it from all others. */
export interface Asking<T> {
  readonly key: string;
  ask(client: FreeClient): Call<T>;
}

/** How often the gateway may ask to wait before a person is asked. */
const MAX_WAITS = 20;

const kept = new KeptAnswers();

const stepsOf = ({ recorder }: Session, response: Response | undefined): readonly Step[] =>
  response?.url ? recorder.stepsFor(response.url) : [];

/** What of a failure is the gateway's wish that the same be asked later, in milliseconds. */
const waitIn = (error: unknown): number | undefined =>
  error instanceof GatewayError && error.retryAfterSeconds !== undefined && [429, 503].includes(error.status ?? 0)
    ? error.retryAfterSeconds * 1000
    : undefined;

function resting(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}

type Tell<T> = (called: Called<T>) => void;

/** Waits until the budget that everybody shares has a call left. */
async function untilThereIsBudget<T>({ recorder }: Session, signal: AbortSignal, tell: Tell<T>): Promise<void> {
  const { left = 1, freesAt = 0 } = recorder.budget ?? {};
  const waitMs = left > 0 ? 0 : freesAt - performance.now();
  if (waitMs <= 0) return;
  tell({ is: 'paused', until: freesAt, error: undefined, steps: [] });
  await resting(waitMs, signal);
}

/** Asks until there is an answer or a refusal that waiting does not mend. */
async function call<T>(session: Session, { key, ask }: Asking<T>, signal: AbortSignal, tell: Tell<T>): Promise<void> {
  for (let waits = 0; ; waits++) {
    await untilThereIsBudget(session, signal, tell);
    tell({ is: 'waiting' });
    try {
      const full = await ask(session.client.with({ signal, retries: 0 })).full();
      const answer = { full, steps: stepsOf(session, full.response) };
      kept.keep(key, answer, performance.now());
      return tell({ is: 'here', ...answer });
    } catch (error) {
      if (signal.aborted) return;
      const waitMs = waitIn(error);
      const steps = stepsOf(session, error instanceof GatewayError ? error.response : undefined);
      if (waitMs === undefined || waits >= MAX_WAITS) return tell({ is: 'failed', error, steps });
      tell({ is: 'paused', until: performance.now() + waitMs, error, steps });
      await resting(waitMs, signal);
    }
  }
}

/**
 * Makes a call, and another one as soon as its key is another; the latest one counts. What was answered in the last minute is not
 * asked for again. Where the gateway asks to wait, it waits and goes on by itself. The function asks once more.
 */
export function useCall<T>(session: Session, asking: Asking<T> | undefined): readonly [Called<T>, () => void] {
  const [called, setCalled] = useState<Called<T>>({ is: 'idle' });
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (!asking) return setCalled({ is: 'idle' });
    const answer = kept.get(asking.key, performance.now());
    // The key tells what the answer is of.
    if (answer) return setCalled({ is: 'here', ...answer } as Called<T>);
    const controller = new AbortController();
    const { signal } = controller;
    const tell: Tell<T> = (each) => signal.aborted || setCalled(each);
    // It ends by a throw only when nobody waits for it any more.
    call(session, asking, signal, tell).catch(() => undefined);
    return () => controller.abort();
  }, [session, asking?.key, attempt]);
  return [called, () => setAttempt(attempt + 1)];
}
