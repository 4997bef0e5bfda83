/** The longest name of a tool that all hosts accept. */
const MAX_NAME = 64;
/** An underscore and five digits. */
const NUMBER_LENGTH = 6;

/** Shortens names to the length that hosts accept. Of names with the same start, the later ones get a number. */
export function createShortener(taken: Set<string>): (name: string) => string {
  const counts = new Map<string, number>();
  return (name) => {
    const start = name.slice(0, MAX_NAME - NUMBER_LENGTH);
    let found = name.slice(0, MAX_NAME);
    while (taken.has(found)) {
      const count = (counts.get(start) ?? 1) + 1;
      counts.set(start, count);
      found = `${start}_${count}`;
    }
    taken.add(found);
    return found;
  };
}
