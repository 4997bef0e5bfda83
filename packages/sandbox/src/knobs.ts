const MAX_RECORDED = 100_000;

/** Appends a received request; a sandbox that runs for days drops the oldest ones. */
export function record<Item>(items: Item[], item: Item): Item {
  if (items.length >= MAX_RECORDED) items.splice(0, MAX_RECORDED / 2);
  items.push(item);
  return item;
}

/** Limits the faults of a server to some requests. */
export interface FaultScope<Arrival> {
  /** Only requests that match. */
  only?: ((arrival: Arrival) => boolean) | undefined;
  /** Only this many more requests. */
  times?: number | undefined;
}

/** Fault knobs of a running server. Set them at any time; they affect later requests. */
export type Resettable<Knobs> = Knobs & {
  /** Turns every knob off. */
  reset(): void;
};

/** Creates knobs that are all off. */
export function createKnobs<Knobs extends object>(): Resettable<Partial<Knobs>> {
  const reset = (): void => {
    for (const knob of Object.keys(knobs)) if (knob !== 'reset') Reflect.deleteProperty(knobs, knob);
  };
  const knobs = { reset } as Resettable<Partial<Knobs>>;
  return knobs;
}

/** The knobs that affect a request; counts down `times`. */
export function knobsFor<Arrival, Knobs extends FaultScope<Arrival>>(
  all: Resettable<Knobs>,
  arrival: Arrival,
): Omit<Resettable<Knobs>, 'reset' | 'only' | 'times'> | Record<string, never> {
  const { reset: _, only, times, ...knobs } = all;
  const isOn = Object.values(knobs).some((value) => value !== undefined && value !== false);
  if (!isOn || (times !== undefined && times <= 0) || only?.(arrival) === false) return {};
  if (times !== undefined) all.times = times - 1;
  return knobs;
}
