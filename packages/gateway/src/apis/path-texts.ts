/** Replaces each letter outside ASCII by its code. */
export const inAscii = (text: string): string =>
  text.replace(/\P{ASCII}/gu, (letter) => `u${letter.codePointAt(0)?.toString(16)}`);

/** Returns the name of a path parameter in a row. */
export const parameterName = (name: string): string => inAscii(name).replace(/\W/g, '_');

/** Splits a path. The texts are at even indexes, the parameter names at odd ones. */
export function splitTemplate(text: string): string[] {
  const [first = '', ...rest] = text.split('{');
  const inBraces = (part: string) => {
    const [name = '', ...after] = part.split('}');
    return [name, after.join('}')];
  };
  return [first, ...rest.flatMap(inBraces)];
}

export const isText = (_: unknown, at: number): boolean => at % 2 === 0;

/** Returns the names of a path's parameters, as in a row. */
export const parameterNames = (path: string): string[] =>
  splitTemplate(path)
    .filter((part, at) => !isText(part, at))
    .map(parameterName);

const NAME = /^[\p{L}\p{M}\p{N}_.$[\]-]{1,64}$/u;

/** Whether every object inherits a member of this name, so that the validator cannot see its absence. */
export const isInherited = (name: string): boolean => name in Object.prototype;

/** Whether a row can have a parameter of this name. */
export const isUsable = (name: string): boolean => NAME.test(name) && !isInherited(name);

/** Whether the names of a path's parameters are usable and distinct. */
export function isNamed(path: string): boolean {
  const given = splitTemplate(path).filter((part, at) => !isText(part, at));
  return given.every(isUsable) && new Set(given.map(parameterName)).size === given.length;
}

/** Returns a path with other names of its parameters, as in a row. */
export const respelled = (path: string, names: ReadonlyMap<string, string>): string =>
  splitTemplate(path)
    .map((part, at) => (isText(part, at) ? part : `{${names.get(parameterName(part)) ?? part}}`))
    .join('');

/** Returns a path without the names of its parameters. */
export const shapeOf = (path: string): string =>
  segmentsOf(path)
    .map((each) => textsOf(each).join('{}'))
    .join('/')
    .toLowerCase();

/** Returns the texts around the parameters of a segment. */
export const textsOf = (segment: string): string[] => splitTemplate(segment).filter(isText);

/** Returns the segments of a path. Leaves out a query, a fragment and a trailing slash, because servers may ignore them. */
export const segmentsOf = (path: string): string[] =>
  (path.split(/[?#]/, 1)[0] ?? '').split('/').filter((text) => text !== '');

/** Whether a segment consists of parameters alone. */
export const isBareParameter = (texts: readonly string[]): boolean => texts.length > 1 && texts.join('') === '';

/** Whether a text contains the texts around a segment's parameters, in their order. */
export function fits(text: string, parts: readonly string[]): boolean {
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  if (!text.startsWith(first) || !text.endsWith(last)) return false;
  let from = first.length;
  for (const part of parts.slice(1, -1)) {
    const at = text.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= text.length - last.length;
}
