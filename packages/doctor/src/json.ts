/** A JSON object that somebody else wrote. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value of a JSON text; nothing when it is none. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What stands in a value at a path of names; nothing when there is no such place. */
export function at(value: unknown, ...names: readonly string[]): unknown {
  return names.reduce<unknown>((inside, name) => {
    return typeof inside === 'object' && inside !== null && Object.hasOwn(inside, name)
      ? Reflect.get(inside, name)
      : undefined;
  }, value);
}

/** The object at a path; an empty one when there is none. */
export function objectAt(value: unknown, ...names: readonly string[]): JsonObject {
  const found = at(value, ...names);
  return isObject(found) ? found : {};
}

/** The list at a path; an empty one when there is none. */
export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = at(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** The text at a path; an empty one when there is none. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const found = at(value, ...names);
  return typeof found === 'string' ? found : '';
}
