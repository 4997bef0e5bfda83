const MAX_DEPTH = 100;

/** Later code walks values recursively. */
function assertShallow(value: unknown, depth = 0): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > MAX_DEPTH) throw new RangeError(`its JSON is more than ${MAX_DEPTH} levels deep`);
  for (const inside of Object.values(value)) assertShallow(inside, depth + 1);
}

/** Parses JSON; undefined if invalid. Throws a `RangeError` if it is too deep. */
export function parsed(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  assertShallow(value);
  return value;
}

/** The names in a comma-separated header value. */
export const names = (value: string): string[] =>
  value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const lowered = (list: readonly string[]): Set<string> => new Set(list.map((name) => name.toLowerCase()));

/** The expected names that are missing, ignoring case. */
export function missingNames(expected: readonly string[], given: readonly string[]): string[] {
  const present = lowered(given);
  return expected.filter((name) => !present.has(name.toLowerCase()));
}
