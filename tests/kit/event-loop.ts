import { afterAll, beforeAll } from 'vitest';

const BEAT_MS = 8;
/** In a longer turn of the loop, other processes took part of the time. */
const LONGEST_TURN_MS = 2 * BEAT_MS;

/** When this process had time for its event loop, earliest first. */
const beats: number[] = [];
let timer: NodeJS.Timeout | undefined;

/** Notes when this process has time, while the file's tests run. Takes an eightieth of a core, so call it only where needed. */
export function noteTime(): void {
  beforeAll(() => {
    timer = setInterval(() => beats.push(performance.now()), BEAT_MS).unref();
  });
  afterAll(() => {
    clearInterval(timer);
    timer = undefined;
    beats.length = 0;
  });
}

/** How many beats there were until this time. */
function beatsUntil(ms: number): number {
  if (!timer) throw new Error('call noteTime() in the file of the tests');
  let [low, high] = [0, beats.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((beats[middle] ?? 0) <= ms) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The earliest time at which an event can have arrived that this process noticed at `atMs`. A busy process, or one without processor time,
 * reads its sockets late. One turn of the loop takes a new connection, the next one reads it.
 */
export function noticedSince(atMs: number, isNewConnection: boolean): number {
  return beats[beatsUntil(atMs) - (isNewConnection ? 3 : 2)] ?? Math.min(atMs, beats[0] ?? atMs);
}

/** How many of these milliseconds this process had for its event loop. On a busy machine, fewer than the clock says. */
export function ownTime(fromMs: number, toMs = performance.now()): number {
  const turns = [fromMs, ...beats.slice(beatsUntil(fromMs), beatsUntil(toMs)), toMs];
  return turns.reduce((sum, turn, index) => sum + Math.min(turn - (turns[index - 1] ?? turn), LONGEST_TURN_MS), 0);
}
