import { useEffect, useReducer, useRef, useState } from 'preact/hooks';
import { type Figures, readExposition } from './figures.ts';
import { History } from './history.ts';
import { type Point, TRENDS } from './trends.ts';

const SOON_MS = 1_500;
export const EVERY_MS = 5_000;
const TIMEOUT_MS = 10_000;
const MAX_POINTS = 360;

/** Scrapes `/metrics`; rejects with a sentence for the user. */
async function scrape(signal: AbortSignal): Promise<Figures> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  const request = async () => {
    const response = await fetch('/metrics', { signal: AbortSignal.any([signal, late]) });
    return [response.status, await response.text()] as const;
  };
  const [status, text] = await request().catch(() => {
    throw new Error(late.aborted ? 'The gateway did not answer within 10 seconds.' : 'The gateway does not answer.');
  });
  if (status !== 200) throw new Error(`The gateway answered ${status} instead of its metrics.`);
  const figures = readExposition(text);
  if (figures.samples.length === 0) throw new Error('The answer contains no metrics of a gateway.');
  return figures;
}

/** The figures read so far, and since when the gateway does not answer. */
export class Watch {
  readonly history = new History();
  now: Figures | undefined;
  before: Figures | undefined;
  atMs = 0;
  points: readonly Point[] = [];
  lost: { readonly sinceMs: number; readonly why: string } | undefined;

  async update(signal: AbortSignal): Promise<void> {
    try {
      const figures = await scrape(signal);
      this.history.add(performance.now(), figures);
      [this.before, this.now, this.lost] = [this.now, figures, undefined];
      this.atMs = Date.now();
      const step = this.history.lastStep();
      const point = { atMs: this.atMs, values: TRENDS.map(({ read }) => read(figures, step)) };
      this.points = [...this.points, point].slice(-MAX_POINTS);
    } catch (error) {
      if (!signal.aborted) this.lost = { sinceMs: this.lost?.sinceMs ?? Date.now(), why: (error as Error).message };
    }
  }
}

/** Whether the tab is hidden. */
function useIsHidden(): boolean {
  const [isHidden, setHidden] = useState(document.hidden);
  useEffect(() => {
    const follow = () => setHidden(document.hidden);
    document.addEventListener('visibilitychange', follow);
    return () => document.removeEventListener('visibilitychange', follow);
  }, []);
  return isHidden;
}

/** Updates the figures repeatedly while the tab is visible and not paused. */
export function useFigures(isPaused: boolean): { readonly watch: Watch; readonly isStopped: boolean } {
  const [, redraw] = useReducer((times: number) => times + 1, 0);
  const watch = useRef(new Watch()).current;
  const isStopped = useIsHidden() || isPaused;
  useEffect(() => {
    const stop = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    const follow = async () => {
      await watch.update(stop.signal);
      if (stop.signal.aborted) return;
      redraw(undefined);
      timer = setTimeout(follow, watch.before ? EVERY_MS : SOON_MS);
    };
    if (!isStopped) follow();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [isStopped, watch]);
  return { watch, isStopped };
}
