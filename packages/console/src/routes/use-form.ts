import type { Issue } from '@asset-gateway/protocol';
import { useRef, useState } from 'preact/hooks';
import {
  exampleText,
  type Field,
  type FormRow,
  fieldFault,
  fieldsOf,
  fieldValue,
  isWhole,
  type Schema,
} from './fields.ts';

/** The texts or the faults of a form's fields, by key. */
type Texts = Readonly<Record<string, string>>;

/** A longer text is cut in a link. */
const MAX_TEXT = 20_000;

export const fieldKeyOf = ({ place, name }: Pick<Field, 'place' | 'name'>): string => `${place} ${name}`;

/** Returns a field's name in links. It has its place if another field has the same name. */
const nameIn = (fields: readonly Field[], field: Field): string =>
  fields.some((other) => other !== field && other.name === field.name) ? `${field.place}.${field.name}` : field.name;

/** Returns a text as one component of a URL. A lone surrogate becomes U+FFFD. */
const component = (text: string): string => encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));

/** Returns a query value. Commas inside a list's item are escaped. */
const listed = (value: unknown): string =>
  [value]
    .flat()
    .map((each) => component(String(each)))
    .join(',');

/** Returns the same, with readable brackets, commas and colons. */
const encoded = (text: string): string => component(text).replace(/%(?:5B|5D|2C|3A)/g, decodeURIComponent);

/** Returns the texts from a link, or the row's examples if it has none. */
function textsIn(query: string, fields: readonly Field[], row: FormRow): Texts {
  const given = new URLSearchParams(query);
  const textOf = (field: Field): string =>
    query === '' ? exampleText(field, row) : (given.get(nameIn(fields, field)) ?? '').slice(0, MAX_TEXT);
  return Object.fromEntries(fields.map((field) => [fieldKeyOf(field), textOf(field)]));
}

/** Returns the query of a link to these texts; empty for the row's examples. */
function linkQueryOf(texts: Texts, fields: readonly Field[], row: FormRow): string {
  const textOf = (field: Field): string => texts[fieldKeyOf(field)] ?? '';
  if (fields.every((field) => textOf(field) === exampleText(field, row))) return '';
  const filled = fields.filter((field) => textOf(field) !== '');
  // An empty query would mean the examples.
  const named = filled.length > 0 ? filled : fields.slice(0, 1);
  return named.map((field) => `${encoded(nameIn(fields, field))}=${encoded(textOf(field))}`).join('&');
}

type Tree = Record<string | number, unknown>;

export type FormRequest = ReturnType<typeof requestOf>;

/** Writes a value at a path. Creates missing containers. */
function write(into: Tree, steps: Field['steps'], value: unknown): void {
  const [step = '', next] = steps;
  if (next === undefined) {
    into[step] = value;
    return;
  }
  into[step] ??= typeof next === 'number' ? [] : {};
  write(into[step] as Tree, steps.slice(1), value);
}

/** Returns a body with its required containers. */
function emptyBody({ required = [], properties = {} }: Schema): Tree {
  const containers = required.filter((name) => properties[name]?.properties ?? properties[name]?.prefixItems);
  return Object.fromEntries(containers.map((name) => [name, properties[name]?.prefixItems ? [] : {}]));
}

/**
 * Builds a request from the fields that have text: its path with the query, its body, the path parameters, and the query beside a body.
 * `input` is the query of a GET, else the body.
 */
export function requestOf({ path, httpMethod, inputSchema }: FormRow, fields: readonly Field[], texts: Texts) {
  const hasBody = httpMethod !== 'GET';
  const input = hasBody ? emptyBody(inputSchema) : {};
  let body: unknown = hasBody ? input : undefined;
  const inPath: Tree = {};
  const inQuery: Tree = {};
  for (const field of fields) {
    const text = texts[fieldKeyOf(field)] ?? '';
    if (field.place === 'path') inPath[field.name] = text;
    else if (isWhole(field)) body = text.trim() === '' ? undefined : fieldValue(field, text);
    else if (text.trim() !== '') {
      write(field.place === 'query' && hasBody ? inQuery : input, field.steps, fieldValue(field, text));
    }
  }
  const segments = path.split('/').map((segment) => {
    return segment.startsWith(':') ? component(String(inPath[segment.slice(1)] ?? '')) : segment;
  });
  const pairs = Object.entries(hasBody ? inQuery : input).map(([name, value]) => `${component(name)}=${listed(value)}`);
  const filled = [segments.join('/'), pairs.join('&')].filter((part) => part !== '').join('?');
  return { path: filled, inPath, inQuery, input, ...(body !== undefined && { body }) };
}

/** Whether an issue names this field, something inside it, or several fields including it. */
function concerns(field: Field, issue: { readonly in: string; readonly name: string }): boolean {
  const { place, name } = field;
  if (issue.in !== place || isWhole(field)) return issue.in === place;
  return issue.name
    .split(',')
    .some((each) => each === name || each.startsWith(`${name}[`) || each.startsWith(`${name}.`));
}

/** The state of a form and its operations. */
export type FormState = ReturnType<typeof useForm>;

/** Returns the faults of the fields, by their keys. */
function faultsBy(fields: readonly Field[], find: (field: Field) => string | undefined): Texts {
  const found = fields.map((field) => [fieldKeyOf(field), find(field)] as const);
  return Object.fromEntries(found.flatMap(([key, fault]) => (fault ? [[key, fault]] : [])));
}

/** Issues that concern no field of the form. */
const issuesElsewhere = (fields: readonly Field[], issues: readonly Issue[]): string[] =>
  issues
    .filter((issue) => !fields.some((field) => concerns(field, issue)))
    .map(({ name, message }) => `${name}: ${message}`);

type Send = (request: FormRequest) => Promise<readonly Issue[]>;

/** Holds a row form's texts and faults, and sends it. Starts with the texts of a link. */
export function useForm(row: FormRow, link: string, sendNow: Send) {
  const fields = fieldsOf(row);
  const [texts, setTexts] = useState(() => textsIn(link, fields, row));
  const [faults, setFaults] = useState<Texts>({});
  // Issues of the gateway that belong to no field.
  const [otherFaults, setOtherFaults] = useState<readonly string[]>([]);
  // Whether an obvious error stopped the last attempt. The user may send anyway.
  const [isHeld, setHeld] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const textOf = (field: Field): string => texts[fieldKeyOf(field)] ?? '';
  const request = requestOf(row, fields, texts);

  const show = (found: Texts): void => {
    setFaults(found);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };
  const send = async (): Promise<void> => {
    setHeld(false);
    setBusy(true);
    const issues = await sendNow(request);
    setBusy(false);
    setOtherFaults(issuesElsewhere(fields, issues));
    show(faultsBy(fields, (field) => issues.find((issue) => concerns(field, issue))?.message));
  };
  const check = (): void => {
    const found = faultsBy(fields, (field) => fieldFault(field, textOf(field)));
    if (!Object.keys(found).length) return void send();
    setHeld(true);
    show(found);
  };
  const write = (field: Field, text: string): void => setTexts((before) => ({ ...before, [fieldKeyOf(field)]: text }));
  const state = { form, fields, isBusy, isHeld, otherFaults, request, link: linkQueryOf(texts, fields, row) };
  return { ...state, textOf, faultOf: (field: Field) => faults[fieldKeyOf(field)], write, check, send };
}
