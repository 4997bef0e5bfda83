/** A clock in milliseconds since the Unix epoch. */
export type Clock = () => number;

/** Milliseconds since the machine started, never stepping, the same for every process on it. */
export const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

/** The wall clock as it stood when this was called, advanced by the monotonic one, so that a step never reaches it. */
export function steadyClock(): Clock {
  const offset = Date.now() - monotonicMs();
  return () => monotonicMs() + offset;
}
