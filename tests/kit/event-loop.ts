import { afterAll, beforeAll } from 'vitest';

const BEAT_MS = 8;
/** A turn of the loop that took longer was not all this process's own. */
const LONGEST_TURN_MS = 2 * BEAT_MS;

/** When this process had time for its event loop, the earliest first. */
const beats: number[] = [];
let timer: NodeJS.Timeout | undefined;

/** Notes while the tests of a file run when its process has time. It takes an eightieth of a core: others do without. */
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

/** How many beats there were until then. */
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
 * The earliest time at which something can have come that this process has noticed at that one: a process that is busy, or
 * that the machine has no time for, reads its sockets late. A new connection is taken in one turn of the loop and read in the
 * next.
 */
export function noticedSince(atMs: number, isNewConnection: boolean): number {
  return beats[beatsUntil(atMs) - (isNewConnection ? 3 : 2)] ?? Math.min(atMs, beats[0] ?? atMs);
}

/** How much of a time this process had for its event loop: on a busy machine less than the clock says. */
export function ownTime(fromMs: number, toMs = performance.now()): number {
  const turns = [fromMs, ...beats.slice(beatsUntil(fromMs), beatsUntil(toMs)), toMs];
  return turns.reduce((sum, turn, index) => sum + Math.min(turn - (turns[index - 1] ?? turn), LONGEST_TURN_MS), 0);
}
