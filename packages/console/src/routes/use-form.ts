import type { Issue } from '@asset-gateway/protocol';
import type { RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { type Field, type FormRow, faultOf, fieldsOf, fieldValue, type Schema } from './fields.ts';
import { component, keyOf, queryOf, type Texts, textsIn } from './link.ts';

type Tree = Record<string | number, unknown>;

/** A request; a body makes it a POST. */
export interface FormRequest {
  readonly path: string;
  readonly body?: unknown;
  /** The path parameters by name. */
  readonly inPath: Readonly<Record<string, unknown>>;
  /** The query of a POST that has a body too. */
  readonly inQuery: Readonly<Record<string, unknown>>;
  /** The query of a GET, or the body. */
  readonly input: Readonly<Record<string, unknown>>;
}

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
function requestOf(
  { path, httpMethod, inputSchema }: Pick<FormRow, 'httpMethod' | 'inputSchema'> & { readonly path: string },
  fields: readonly Field[],
  texts: Texts,
): FormRequest {
  const isPost = httpMethod === 'POST';
  const input = isPost ? emptyBody(inputSchema) : {};
  const inPath: Tree = {};
  const inQuery: Tree = {};
  for (const field of fields) {
    const text = texts[keyOf(field)] ?? '';
    if (field.place === 'path') inPath[field.name] = text;
    else if (text.trim() !== '') {
      write(field.place === 'query' && isPost ? inQuery : input, field.steps, fieldValue(field, text));
    }
  }
  const segments = path.split('/').map((segment) => {
    return segment.startsWith(':') ? component(String(inPath[segment.slice(1)] ?? '')) : segment;
  });
  const pairs = Object.entries(isPost ? inQuery : input).map(([name, value]) => [name, asQuery(value)]);
  const filled = [segments.join('/'), new URLSearchParams(pairs).toString()].filter((part) => part !== '').join('?');
  return { path: filled, inPath, inQuery, input, ...(isPost && { body: input }) };
}

/** Whether an issue names this field, something inside of it, or several fields with this one among them. */
function concerns({ place, name }: Field, issue: { readonly in: string; readonly name: string }): boolean {
  if (issue.in !== place) return false;
  return issue.name
    .split(',')
    .some((each) => each === name || each.startsWith(`${name}[`) || each.startsWith(`${name}.`));
}

/** A button of a form. */
export interface FormAction {
  readonly label: string;
  readonly send: (request: FormRequest) => Promise<readonly Issue[]>;
}

/** The state of a form and its operations. */
export interface FormState {
  readonly form: RefObject<HTMLFormElement | null>;
  readonly fields: readonly Field[];
  readonly isBusy: boolean;
  /** The request of the present texts. */
  readonly request: FormRequest;
  /** The query of the link to the present texts. */
  readonly link: string;
  /** An action stopped by an obvious error; the user may send anyway. */
  readonly held: FormAction | undefined;
  /** Issues of the gateway that belong to no field. */
  readonly otherFaults: readonly string[];
  textOf(field: Field): string;
  faultOf(field: Field): string | undefined;
  write(field: Field, text: string): void;
  /** Sends unless a field has an obvious error. */
  check(action: FormAction): void;
  send(action: FormAction): Promise<void>;
}

type Faults = Readonly<Record<string, string>>;

/** The faults of the fields, by their keys. */
function faultsBy(fields: readonly Field[], find: (field: Field) => string | undefined): Faults {
  const found = fields.map((field) => [keyOf(field), find(field)] as const);
  return Object.fromEntries(found.flatMap(([key, fault]) => (fault ? [[key, fault]] : [])));
}

/** Issues that belong to no field of the form. */
const issuesElsewhere = (fields: readonly Field[], issues: readonly Issue[]): string[] =>
  issues
    .filter((issue) => !fields.some((field) => concerns(field, issue)))
    .map(({ name, message }) => `${name}: ${message}`);

/** Holds the texts and faults of a row's form and sends it. It starts with the texts of a link. */
export function useForm(row: FormRow & { readonly path: string }, link: string): FormState {
  const fields = fieldsOf(row);
  const [texts, setTexts] = useState(() => textsIn(link, fields, row));
  const [faults, setFaults] = useState<Faults>({});
  const [otherFaults, setOtherFaults] = useState<readonly string[]>([]);
  const [held, setHeld] = useState<FormAction>();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const textOf = (field: Field): string => texts[keyOf(field)] ?? '';
  const request = requestOf(row, fields, texts);

  const show = (found: Faults): void => {
    setFaults(found);
    requestAnimationFrame(() => form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
  };
  const send = async ({ send: sendNow }: FormAction): Promise<void> => {
    setHeld(undefined);
    setBusy(true);
    const issues = await sendNow(request);
    setBusy(false);
    setOtherFaults(issuesElsewhere(fields, issues));
    show(faultsBy(fields, (field) => issues.find((issue) => concerns(field, issue))?.message));
  };
  const check = (action: FormAction): void => {
    const found = faultsBy(fields, (field) => faultOf(field, textOf(field)));
    if (!Object.keys(found).length) return void send(action);
    setHeld(action);
    show(found);
  };
  const write = (field: Field, text: string): void => setTexts((before) => ({ ...before, [keyOf(field)]: text }));
  const state = { form, fields, isBusy, held, otherFaults, request, link: queryOf(texts, fields, row) };
  return { ...state, textOf, faultOf: (field) => faults[keyOf(field)], write, check, send };
}
