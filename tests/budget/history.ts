import { noticedSince } from '../kit/event-loop.ts';

/** A request as an upstream has noticed it, and the number of its connection. */
interface Noticed {
  readonly at: number;
  readonly connection: number;
}

/** The most requests in any span of this length for certain: an upstream that was busy has noticed them late. */
export function mostInAnySpan(arrivals: readonly Noticed[], spanMs: number): number {
  const known = new Set<number>();
  const seen = arrivals
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, connection }) => {
      const isNew = !known.has(connection);
      known.add(connection);
      return { since: noticedSince(at, isNew), at };
    });
  let most = 0;
  let first = 0;
  for (const [last, { at }] of seen.entries()) {
    while (at - (seen[first]?.since ?? 0) >= spanMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
