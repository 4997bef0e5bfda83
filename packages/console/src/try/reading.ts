/** An object of an upstream's answer, with members of any type. */
export type Members = Readonly<Record<string, unknown>>;

const NONE: Members = {};

/** The value if it is an object, or an empty object. */
export const members = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : NONE;

/** The value at a path of names, if any. */
export const below = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((holder, name) => members(holder)[name], value);

/** The objects among the first items of a list; none if it is not a list. */
export const rows = (value: unknown, most: number): readonly Members[] =>
  (Array.isArray(value) ? value.slice(0, most) : []).filter(
    (each) => typeof each === 'object' && each !== null && !Array.isArray(each),
  );

/** The length of a list; 0 if it is not one. */
export const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
