import { exampleOf, type Field, type FormRow } from './fields.ts';

/** The texts of a form's fields, by key. */
export type Texts = Readonly<Record<string, string>>;

/** A longer text in a link is cut. */
const MAX_TEXT = 20_000;

export const keyOf = ({ place, name }: Pick<Field, 'place' | 'name'>): string => `${place} ${name}`;

/** A field's name in links, with its place if another field has the same name. */
const nameIn = (fields: readonly Field[], field: Field): string =>
  fields.some((other) => other !== field && other.name === field.name) ? `${field.place}.${field.name}` : field.name;

const READABLE: Readonly<Record<string, string>> = { '%5B': '[', '%5D': ']', '%2C': ',', '%3A': ':' };

/** A text as one component of a URL. A lone surrogate becomes U+FFFD. */
export const component = (text: string): string => encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));

const encoded = (text: string): string =>
  component(text).replace(/%(?:5B|5D|2C|3A)/g, (code) => READABLE[code] ?? code);

/** The texts that a link gives, or the row's examples if it gives none. */
export function textsIn(query: string, fields: readonly Field[], row: FormRow): Texts {
  const given = new URLSearchParams(query);
  const textOf = (field: Field): string =>
    query === '' ? exampleOf(field, row) : (given.get(nameIn(fields, field)) ?? '').slice(0, MAX_TEXT);
  return Object.fromEntries(fields.map((field) => [keyOf(field), textOf(field)]));
}

/** The query of a link to these texts; empty for the row's examples. */
export function queryOf(texts: Texts, fields: readonly Field[], row: FormRow): string {
  const textOf = (field: Field): string => texts[keyOf(field)] ?? '';
  if (fields.every((field) => textOf(field) === exampleOf(field, row))) return '';
  const filled = fields.filter((field) => textOf(field) !== '');
  // An empty query would mean the examples.
  const named = filled.length > 0 ? filled : fields.slice(0, 1);
  return named.map((field) => `${encoded(nameIn(fields, field))}=${encoded(textOf(field))}`).join('&');
}
