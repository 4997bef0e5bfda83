const MAX_NAME = 64;
const MAX_NAMES = 1_000;

/** Returns how many characters to change, add or remove to turn one text into the other. Takes the product of both lengths in time. */
export function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 0; at < one.length; at++) {
    const next = [at + 1];
    for (let column = 0; column < other.length; column++) {
      const replaced = (row[column] ?? 0) + (one[at] === other[column] ? 0 : 1);
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

/**
 * Returns the name most similar to this one; undefined if there are no names. Reads only the first 64 characters of each of 1,000 names.
 */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const short = name.slice(0, MAX_NAME);
  let best: { readonly name: string; readonly far: number } | undefined;
  for (const each of names.slice(0, MAX_NAMES)) {
    const far = distance(short, each.slice(0, MAX_NAME));
    if (far < (best?.far ?? Number.POSITIVE_INFINITY)) best = { name: each, far };
  }
  return best?.name;
}
