import { useEffect, useReducer, useRef } from 'preact/hooks';
import { useShown } from '../parts/hooks.ts';
import { authorizationOf } from './token.tsx';

const EVERY_MS = 5_000;
const TIMEOUT_MS = 10_000;
const MINUTE_MS = 60_000;
const MAX_ROWS = 1_440;

/** A counter by labels: the labels, its total, and its rate per minute. */
export type Count = readonly [group: string, total: number, perMinute: number];
type Recent = readonly [recent: number | null, sinceStart: number | null];
export type HistoryRow = readonly (number | null)[];
type Figures<Names extends string> = Readonly<Record<Names, number>>;
type Counts<Names extends string> = Readonly<Record<Names, readonly Count[]>>;

/** An active alert. */
export interface Alert extends Readonly<Record<'alert' | 'severity' | 'means' | 'advice', string>> {
  readonly subjects: readonly string[];
  readonly since: number;
}

/** One upstream of the gateway. */
export interface UpstreamTotals extends Figures<'left' | 'limit' | 'pauseSeconds' | 'calls' | 'keyRefusals'> {
  readonly name: string;
  readonly isBreakerOpen: boolean;
  readonly keysSetAside: readonly string[];
  readonly p95: Recent;
}

/** Totals since the start. Rates and percentiles cover the last five minutes. */
export interface Totals extends Counts<'requests' | 'signIns' | 'slots' | 'shareRefusals'> {
  readonly responseTimes: readonly (readonly [surface: string, total: number, ...recent: Recent])[];
  readonly upstreams: readonly UpstreamTotals[];
  readonly cache?: Counts<'answers' | 'calls'> &
    Figures<'forgone' | 'bytes'> & { readonly ages: readonly (readonly [percentile: string, ...recent: Recent])[] };
  readonly feePayers: readonly (Figures<'lamports' | 'settlementsLeft'> & {
    readonly cluster: string;
    readonly lastsSeconds: number | null;
    readonly isOpen: boolean;
  })[];
  readonly payments: {
    readonly open: number | null;
    readonly oldestSeconds: number | null;
    readonly settlements: readonly Count[];
    readonly owed?: readonly (readonly [cluster: string, micros: number])[];
  };
  readonly blocked: {
    readonly entries: readonly (readonly [kind: string, count: number])[];
    readonly refusals: readonly Count[];
  };
}

/** The answer to `/history` (docs/metrics.md). Times are in Unix milliseconds. */
interface Answer extends Figures<'at' | 'startedAt' | 'firstMinute' | 'firstAt'> {
  readonly version: string;
  readonly columns: readonly string[];
  readonly rows: readonly HistoryRow[];
  readonly alerts: readonly Alert[];
  readonly totals: Totals;
}

const isAnswer = (body: Partial<Answer> | null): body is Answer =>
  [body?.columns, body?.rows, body?.alerts, body?.totals?.requests].every(Array.isArray);

/** Loads the rows after a minute. Rejects with a sentence for the user. */
async function loadHistory(after: number, token: string, stop: AbortSignal): Promise<Answer> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const request = (headers: HeadersInit) =>
    fetch(`/history?after=${after}`, { headers, signal: AbortSignal.any([stop, late]) });
  const ask = async () => {
    const response = await request(authorizationOf(token) ?? {});
    // Without the right token, the answer has everything but amounts.
    const allowed = response.status === 401 ? await request({}) : response;
    return [allowed.status, await allowed.json().catch(() => null)] as const;
  };
  const [status, body] = await ask().catch(() => {
    throw new Error(late.aborted ? 'The gateway did not answer within 10 seconds.' : 'The gateway does not answer.');
  });
  if (status !== 200) throw new Error(`The gateway answered ${status} instead of its history.`);
  if (!isAnswer(body)) throw new Error('The answer is not the history of a gateway.');
  return body;
}

/** The history so far. If the gateway does not answer, also since when. */
export class Watch {
  latest: Answer | undefined;
  rows: readonly HistoryRow[] = [];
  lost: { readonly sinceMs: number; readonly why: string } | undefined;

  /** Returns the end of a row's minute. */
  timeOf(index: number): number {
    const { firstAt = 0, firstMinute = 0 } = this.latest ?? {};
    return firstAt + (this.#first + index - firstMinute) * MINUTE_MS;
  }

  async update(token: string, stop: AbortSignal): Promise<void> {
    try {
      const known = this.latest ? this.#first + this.rows.length - 1 : -1;
      const more = await loadHistory(known, token, stop);
      const follows = more.firstMinute === known + 1 && `${more.columns}` === `${this.latest?.columns}`;
      // After a restart, or if the columns differ, everything is read again.
      const answer = follows || known < 0 ? more : await loadHistory(-1, token, stop);
      this.rows = [...(follows ? this.rows : []), ...answer.rows].slice(-MAX_ROWS);
      this.#first = answer.firstMinute + answer.rows.length - this.rows.length;
      this.latest = answer;
      this.lost = undefined;
    } catch (error) {
      if (!stop.aborted) this.lost = { sinceMs: this.lost?.sinceMs ?? Date.now(), why: (error as Error).message };
    }
  }

  /** The first row's minute. */
  #first = 0;
}

type Work = (signal: AbortSignal) => Promise<unknown>;

/** Does work at once, and again a while after each end, unless stopped. */
export function useRepeated(everyMs: number, isStopped: boolean, work: Work, dependencies: readonly unknown[]): void {
  useEffect(() => {
    if (isStopped) return undefined;
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const follow = async () => {
      await work(stop.signal);
      if (!stop.signal.aborted) timer = setTimeout(follow, everyMs);
    };
    follow();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [isStopped, ...dependencies]);
}

/** Updates the history every five seconds, while the tab is visible and not paused. */
export function useHistory(token: string, isPaused: boolean): { readonly watch: Watch; readonly isStopped: boolean } {
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  const watch = useRef(new Watch()).current;
  const isHidden = useShown(document, 'visibilitychange', () => document.hidden);
  const isStopped = isHidden || isPaused;
  const update = async (signal: AbortSignal) => {
    await watch.update(token, signal);
    if (!signal.aborted) redraw(undefined);
  };
  useRepeated(EVERY_MS, isStopped, update, [token]);
  return { watch, isStopped };
}
