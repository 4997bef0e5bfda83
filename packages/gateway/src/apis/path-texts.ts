/** Replaces each letter outside ASCII by its code. */
export const inAscii = (text: string): string =>
  text.replace(/\P{ASCII}/gu, (letter) => `u${letter.codePointAt(0)?.toString(16)}`);

/** The name of a path parameter in a row. */
export const parameterName = (name: string): string => inAscii(name).replace(/\W/g, '_');

/** Splits a path: texts at even places, parameter names at odd places. */
export function splitTemplate(text: string): string[] {
  const [first = '', ...rest] = text.split('{');
  const inBraces = (part: string) => {
    const [name = '', ...after] = part.split('}');
    return [name, after.join('}')];
  };
  return [first, ...rest.flatMap(inBraces)];
}

export const isText = (_: unknown, at: number): boolean => at % 2 === 0;

/** A path without the names of its parameters. */
export const shapeOf = (path: string): string =>
  segmentsOf(path)
    .map((each) => textsOf(each).join('{}'))
    .join('/')
    .toLowerCase();

/** The text around the parameters of a segment. */
export const textsOf = (segment: string): string[] => splitTemplate(segment).filter(isText);

/** Servers may ignore a query, a fragment and a trailing slash. */
export const segmentsOf = (path: string): string[] =>
  (path.split(/[?#]/, 1)[0] ?? '').split('/').filter((text) => text !== '');

/** Whether a segment is parameters alone. */
export const isBareParameter = (texts: readonly string[]): boolean => texts.length > 1 && texts.join('') === '';

/** Whether a text has the texts around a segment's parameters, in order. */
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
