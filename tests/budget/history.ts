import { noticedSince } from '../kit/event-loop.ts';

/** A request as an upstream has noticed it, and the number of its connection. */
interface Noticed {
  readonly at: number;
  readonly connection: number;
}

/** Something that came at some time from the one to the other. */
interface Span {
  readonly since: number;
  readonly at: number;
}

/** The most of these, the earliest first, that have come in any span of this length for certain. */
export function mostForCertain(seen: readonly Span[], spanMs: number): number {
  let most = 0;
  let first = 0;
  for (const [last, { at }] of seen.entries()) {
    while (at - (seen[first]?.since ?? 0) >= spanMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** The same of an upstream in this process, which may have noticed a request as late as it was busy. */
export function mostInAnySpan(arrivals: readonly Noticed[], spanMs: number): number {
  const known = new Set<number>();
  const seen = arrivals
    .toSorted((a, b) => a.at - b.at)
    .map(({ at, connection }) => {
      const isNew = !known.has(connection);
      known.add(connection);
      return { since: noticedSince(at, isNew), at };
    });
  return mostForCertain(seen, spanMs);
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
