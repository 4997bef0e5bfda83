/** Returns the result of some work, or another value if the work throws. */
export function attempt<T, Otherwise>(work: () => T, otherwise: Otherwise): T | Otherwise {
  try {
    return work();
  } catch {
    return otherwise;
  }
}
