/** Caches a measurement per subject and minute. `measure` gets the minute in seconds; callers pass milliseconds. */
export function oncePerMinute<Subject extends object, Value>(
  measure: (subject: Subject, seconds: number) => Value,
): (subject: Subject, now: number) => Value {
  const taken = new WeakMap<Subject, { readonly seconds: number; readonly value: Value }>();
  return (subject, now) => {
    const seconds = Math.floor(now / 60_000) * 60;
    const last = taken.get(subject);
    if (last?.seconds === seconds) {
      return last.value;
    }
    const value = measure(subject, seconds);
    taken.set(subject, { seconds, value });
    return value;
  };
}
