/** A member of parsed JSON; undefined if the value is no object or has no such member. */
export const member = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;

/** A JSON object of another party. */
export type Members = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value at a path of names in parsed JSON, if any. */
export const below = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce((inside, name) => member(inside, name), value);

/** The object at a path, or an empty one. */
export function objectAt(value: unknown, ...names: readonly string[]): Members {
  const found = below(value, ...names);
  return isObject(found) ? found : {};
}

/** The list at a path, or an empty one. */
export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = below(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** The text at a path, or an empty one. */
export function textAt(value: unknown, ...names: readonly string[]): string {
  const found = below(value, ...names);
  return typeof found === 'string' ? found : '';
}
