/** The most arrivals in any span of this length, measured at the upstream. */
export function mostInAnySpan(arrivals: readonly { readonly at: number }[], spanMs: number): number {
  const times = arrivals.map(({ at }) => at).sort((a, b) => a - b);
  let most = 0;
  let first = 0;
  for (let last = 0; last < times.length; last++) {
    while ((times[last] ?? 0) - (times[first] ?? 0) >= spanMs) first++;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

export const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
