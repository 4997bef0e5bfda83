/** What a node knows of one key of an upstream. Moments are milliseconds of a clock that never steps. */
export interface KeyView {
  /** Slots of its budget. */
  readonly left: number;
  /** Until then the upstream wants no call with it. */
  readonly pausedUntilMs: number;
  /** Until then it is not asked with, as the upstream has refused it. */
  readonly setAsideUntilMs: number;
}

const isPaused = ({ pausedUntilMs }: KeyView, nowMs: number): boolean => pausedUntilMs > nowMs;

/** The keys that are not set aside, with their places, counted from 0; all of them where all are set aside. */
function accepted(views: readonly KeyView[], nowMs: number) {
  const keys = views.map((view, place) => ({ ...view, place }));
  const left = keys.filter(({ setAsideUntilMs }) => setAsideUntilMs <= nowMs);
  return left.length > 0 ? left : keys;
}

/**
 * The places of the keys that a call may be made with, in the order in which they are to be tried: the one with most slots left
 * first, the paused ones last, and those that are set aside only where all of them are.
 */
export const fullestFirst = (views: readonly KeyView[], nowMs: number): number[] =>
  accepted(views, nowMs)
    .sort((one, other) => Number(isPaused(one, nowMs)) - Number(isPaused(other, nowMs)) || other.left - one.left)
    .map(({ place }) => place);

/** The places of the keys whose slots can be had now: of the same without the paused ones, unless all of these are paused. */
export function usableKeys(views: readonly KeyView[], nowMs: number): number[] {
  const keys = accepted(views, nowMs);
  const running = keys.filter((key) => !isPaused(key, nowMs));
  return (running.length > 0 ? running : keys).map(({ place }) => place);
}
