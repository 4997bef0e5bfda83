/** Until when one key of an upstream rests, in milliseconds of a clock that never steps. */
export interface KeyRest {
  /** Until then the upstream wants no call with it. */
  readonly pausedUntilMs: number;
  /** Until then it is not asked with, as the upstream has refused it. */
  readonly setAsideUntilMs: number;
}

/** The same, and how many slots of its budget are left. */
export interface KeyView extends KeyRest {
  readonly left: number;
}

const isPaused = ({ pausedUntilMs }: KeyRest, nowMs: number): boolean => pausedUntilMs > nowMs;

/** The keys that are not set aside; all of them where all are set aside. */
function accepted<Key extends KeyRest>(keys: readonly Key[], nowMs: number): readonly Key[] {
  const left = keys.filter(({ setAsideUntilMs }) => setAsideUntilMs <= nowMs);
  return left.length > 0 ? left : keys;
}

/**
 * The keys that a call may be made with, in the order in which they are to be tried: the one with most slots left first, the
 * paused ones last, and those that are set aside only where all of them are.
 */
export const fullestFirst = <Key extends KeyView>(keys: readonly Key[], nowMs: number): Key[] =>
  accepted(keys, nowMs).toSorted(
    (one, other) => Number(isPaused(one, nowMs)) - Number(isPaused(other, nowMs)) || other.left - one.left,
  );

/** The keys whose slots can be had now: of the same those that are not paused, unless all of these are. */
export function usableKeys<Key extends KeyRest>(keys: readonly Key[], nowMs: number): readonly Key[] {
  const known = accepted(keys, nowMs);
  const running = known.filter((key) => !isPaused(key, nowMs));
  return running.length > 0 ? running : known;
}
