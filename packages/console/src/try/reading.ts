/** An object of an answer. Nothing of it is taken for granted: it is what an upstream has sent. */
export type Members = Readonly<Record<string, unknown>>;

const NONE: Members = {};

/** An object, or an empty one for what is none. */
export const members = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : NONE;

/** What lies below these names; nothing where one of them leads nowhere. */
export const below = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((holder, name) => members(holder)[name], value);

/** The objects of a list, as many as may be shown; none for what is no list. */
export const rows = (value: unknown, most: number): readonly Members[] =>
  (Array.isArray(value) ? value.slice(0, most) : []).filter(
    (each) => typeof each === 'object' && each !== null && !Array.isArray(each),
  );

/** How many items a list has. */
export const countOf = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
