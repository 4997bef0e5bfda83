/** Knobs that turn faults on: which requests they are for, and what goes wrong with those. */
export interface Aim<Arrival> {
  /** The faults are for these requests only. */
  only?: ((arrival: Arrival) => boolean) | undefined;
  /** The faults are for this many more requests. */
  times?: number | undefined;
}

/** The knobs of a running server; they may be turned at any time and hold for the requests that arrive after. */
export type Turnable<Knobs> = Knobs & {
  /** Turns every knob off. */
  reset(): void;
};

/** Fresh knobs, all off. */
export function createKnobs<Knobs extends object>(): Turnable<Partial<Knobs>> {
  const reset = (): void => {
    for (const knob of Object.keys(knobs)) if (knob !== 'reset') Reflect.deleteProperty(knobs, knob);
  };
  const knobs = { reset } as Turnable<Partial<Knobs>>;
  return knobs;
}

/** The faults that one request meets; counts it when the faults are for a number of requests. */
export function knobsFor<Arrival, Knobs extends Aim<Arrival>>(
  turned: Turnable<Knobs>,
  arrival: Arrival,
): Omit<Turnable<Knobs>, 'reset' | 'only' | 'times'> | Record<string, never> {
  const { reset: _, only, times, ...knobs } = turned;
  const isTurned = Object.values(knobs).some((value) => value !== undefined && value !== false);
  if (!isTurned || (times !== undefined && times <= 0) || only?.(arrival) === false) return {};
  if (times !== undefined) turned.times = times - 1;
  return knobs;
}
