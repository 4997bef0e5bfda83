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
