import { type Field, type FormRow, fieldValue, type Schema } from './fields.ts';

/** The texts of the fields, by place and name. */
export type Texts = Readonly<Record<string, string>>;

/** A request; a body makes it a POST. */
export interface FormRequest {
  readonly path: string;
  readonly body?: unknown;
}

export const keyOf = ({ place, name }: Pick<Field, 'place' | 'name'>): string => `${place} ${name}`;

type Tree = Record<string | number, unknown>;

/** Writes a value at a path, creating containers on the way. */
function write(into: Tree, steps: Field['steps'], value: unknown): void {
  const [step = '', next] = steps;
  if (next === undefined) {
    into[step] = value;
    return;
  }
  into[step] ??= typeof next === 'number' ? [] : {};
  write(into[step] as Tree, steps.slice(1), value);
}

const asQuery = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));

/** A body with its required containers. */
function emptyBody({ required = [], properties = {} }: Schema): Tree {
  const containers = required.filter((name) => properties[name]?.properties ?? properties[name]?.prefixItems);
  return Object.fromEntries(containers.map((name) => [name, properties[name]?.prefixItems ? [] : {}]));
}

/** Builds a request from the fields with text. */
export function requestOf(
  { path, httpMethod, inputSchema }: Pick<FormRow, 'httpMethod' | 'inputSchema'> & { readonly path: string },
  fields: readonly Field[],
  texts: Texts,
): FormRequest {
  const query = new URLSearchParams();
  const body = emptyBody(inputSchema);
  let filled = path;
  for (const field of fields) {
    const text = texts[keyOf(field)] ?? '';
    if (field.place === 'path') filled = filled.replace(`:${field.name}`, () => encodeURIComponent(text));
    else if (text.trim() === '') continue;
    else if (field.place === 'query') query.set(field.name, asQuery(fieldValue(field, text)));
    else write(body, field.steps, fieldValue(field, text));
  }
  const search = query.toString();
  return { path: search === '' ? filled : `${filled}?${search}`, ...(httpMethod === 'POST' && { body }) };
}

/** Whether an issue names this field, something inside of it, or several fields with this one among them. */
export function concerns({ place, name }: Field, issue: { readonly in: string; readonly name: string }): boolean {
  if (issue.in !== place) return false;
  return issue.name
    .split(',')
    .some((each) => each === name || each.startsWith(`${name}[`) || each.startsWith(`${name}.`));
}
