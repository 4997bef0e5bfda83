/** What some work returns, or something else if it throws. */
export function attempt<T, Otherwise>(work: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
