/** A JSON object from another party. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

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

/** The value at a path of names, if any. */
export function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((inside, name) => {
    return typeof inside === 'object' && inside !== null && Object.hasOwn(inside, name)
      ? Reflect.get(inside, name)
      : undefined;
  }, value);
}

/** The object at a path, or an empty one. */
export function objectAt(value: unknown, ...names: readonly string[]): JsonObject {
  const found = at(value, ...names);
  return isObject(found) ? found : {};
}

/** The list at a path, or an empty one. */
export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = at(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** The text at a path, or an empty one. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const found = at(value, ...names);
  return typeof found === 'string' ? found : '';
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
