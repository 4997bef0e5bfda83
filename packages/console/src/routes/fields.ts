import { ADDRESS_PATTERN, below, positionalParameters, type Route, SIGNATURE_PATTERN } from '@asset-gateway/protocol';
import { isJson } from '../parts/text.ts';

type Bound = 'minItems' | 'maxItems' | 'minLength' | 'maxLength' | 'minimum' | 'maximum';

/** The part of JSON Schema that the catalog uses. */
export interface Schema extends Readonly<Partial<Record<Bound, number>>> {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly pattern?: string;
}

/** An input of a form and its place in the request. */
export interface Field {
  readonly place: 'path' | 'query' | 'body';
  /** The gateway's name for the field in issues: `params[1].limit`. */
  readonly name: string;
  /** The field's name for people, as in tools: `limit`. */
  readonly label: string;
  readonly steps: readonly (string | number)[];
  readonly kind: 'text' | 'number' | 'choice' | 'flag' | 'list' | 'json';
  readonly schema: Schema;
  readonly isRequired: boolean;
}

/** The part of a catalog row that a form needs. */
export interface FormRow {
  readonly path: string;
  readonly httpMethod: string;
  readonly inputSchema: Schema;
  readonly inputExample?: unknown;
  readonly pathParamsSchema?: Schema;
  readonly pathParamsExample?: unknown;
  /** Present for a POST with both a query and a body. */
  readonly queryParamsSchema?: Schema;
  readonly queryParamsExample?: unknown;
}

const MAX_CHECKED = 8192;

const isNumeric = ({ type }: Schema): boolean => type === 'integer' || type === 'number';

/** Returns the schema of a value, without null. */
function withoutNull(schema: Schema): Schema {
  const { type, anyOf, ...rest } = schema;
  const forms = anyOf?.filter((each) => each.type !== 'null') ?? [];
  if (forms.length === 1 && forms.length !== anyOf?.length) return { ...rest, ...forms[0] };
  const [only, ...more] = (Array.isArray(type) ? type : []).filter((each) => each !== 'null');
  return only !== undefined && more.length === 0 ? { ...schema, type: only } : schema;
}

function fieldKindOf(schema: Schema): Field['kind'] {
  const { type, enum: words, items = {} } = schema;
  if (words) return 'choice';
  if (type === 'boolean') return 'flag';
  if (isNumeric(schema)) return 'number';
  if (type === 'array') return items.type === 'string' || isNumeric(items) ? 'list' : 'json';
  return type === 'string' ? 'text' : 'json';
}

const dottedName = (steps: Field['steps']): string =>
  steps.map((step, at) => (typeof step === 'number' ? `[${step}]` : `${at === 0 ? '' : '.'}${step}`)).join('');

/** Returns the names of the values in a JSON-RPC parameter list. */
export function positionsOf({ inputSchema }: Pick<FormRow, 'inputSchema'>): readonly string[] {
  if (!inputSchema.properties) return [];
  const named = positionalParameters({ input: { body: inputSchema } } as Route) ?? [];
  return named.map(({ name }) => name);
}

/** Returns the name of a JSON-RPC parameter, or of a member of an object among the parameters. */
function labelOf([first, second, ...inner]: Field['steps'], positions: readonly string[]): string | undefined {
  if (first !== 'params' || second === undefined) return undefined;
  return dottedName(typeof second === 'string' ? [second, ...inner] : inner) || positions[Number(second)];
}

type UnnamedField = Omit<Field, 'label'>;

function fieldsIn(given: Schema, at: Pick<Field, 'place' | 'steps' | 'isRequired'>): UnnamedField[] {
  const { place, steps, isRequired } = at;
  const schema = withoutNull(given);
  const { properties, required = [], prefixItems, minItems = 0 } = schema;
  const within = (step: string | number, inner: Schema, isNeeded: boolean): UnnamedField[] =>
    fieldsIn(inner, { place, steps: [...steps, step], isRequired: isRequired && isNeeded });
  if (properties)
    return Object.entries(properties).flatMap(([name, inner]) => within(name, inner, required.includes(name)));
  if (prefixItems) return prefixItems.flatMap((inner, index) => within(index, inner, index < minItems));
  return [{ place, name: dottedName(steps), steps, kind: fieldKindOf(schema), schema, isRequired }];
}

/** Returns the field of a body without named members: a list, a text, or one of several. */
const wholeBody = (field: UnnamedField, httpMethod: string): UnnamedField[] =>
  field.place === 'body' && httpMethod !== 'GET' && Object.keys(field.schema).length > 0
    ? [{ ...field, name: 'body', kind: 'json' }]
    : [];

/** Whether a field is the whole body. */
export const isWhole = ({ steps }: Pick<Field, 'steps'>): boolean => steps.length === 0;

/** Returns the fields of a row's form, in the order of its schemas. */
export function fieldsOf({ httpMethod, inputSchema, ...row }: FormRow): Field[] {
  const { pathParamsSchema = {}, queryParamsSchema = {} } = row;
  const top = { steps: [], isRequired: true } as const;
  const place = httpMethod === 'GET' ? 'query' : 'body';
  const positions = positionsOf({ inputSchema });
  const fields = [
    ...fieldsIn(pathParamsSchema, { ...top, place: 'path' }),
    ...fieldsIn(queryParamsSchema, { ...top, place: 'query' }),
    ...fieldsIn(inputSchema, { ...top, place }),
  ].flatMap((field) => (field.steps.length > 0 ? field : wholeBody(field, httpMethod)));
  return fields.map((field) => ({ ...field, label: labelOf(field.steps, positions) ?? field.name }));
}

/** Returns a field's initial text: the row's example. */
export function exampleText({ place, steps, kind }: Field, row: FormRow): string {
  const { httpMethod, inputExample, pathParamsExample, queryParamsExample } = row;
  const inQuery = httpMethod === 'GET' ? inputExample : queryParamsExample;
  const value = below({ path: pathParamsExample, query: inQuery, body: inputExample }, place, ...steps.map(String));
  if (value === undefined) return '';
  if (kind === 'list' && Array.isArray(value)) return value.join('\n');
  return kind === 'json' ? JSON.stringify(value, null, 2) : String(value);
}

const itemsIn = (text: string): string[] => text.split('\n').flatMap((line) => line.trim() || []);

const isWithin = (value: number, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY): boolean =>
  value >= least && value <= most;

/** Patterns checked before sending. The gateway checks all others. */
const CHECKED_PATTERNS: ReadonlyMap<string | undefined, readonly [RegExp, string]> = new Map([
  [ADDRESS_PATTERN.source, [ADDRESS_PATTERN, 'Must be a base58 address.']],
  [SIGNATURE_PATTERN.source, [SIGNATURE_PATTERN, 'Must be a base58 signature.']],
]);

function textFault(text: string, { minLength, maxLength, pattern }: Schema): string | undefined {
  const { length } = [...text.slice(0, MAX_CHECKED)];
  if (length < (minLength ?? 0)) return `Must have at least ${minLength} characters.`;
  if (length > (maxLength ?? MAX_CHECKED)) return `Must have at most ${maxLength ?? MAX_CHECKED} characters.`;
  const [expected, message] = CHECKED_PATTERNS.get(pattern) ?? [];
  return expected && !expected.test(text) ? message : undefined;
}

const WHOLE = /^-?[0-9]{1,20}$/;
const DECIMAL = /^-?[0-9]{1,20}(?:\.[0-9]{1,20})?$/;

function numberFault(text: string, { type, minimum, maximum }: Schema): string | undefined {
  if (!(type === 'number' ? DECIMAL : WHOLE).test(text))
    return type === 'number' ? 'Must be a number.' : 'Must be a whole number.';
  if (isWithin(Number(text), minimum, maximum)) return undefined;
  if (minimum === undefined) return `Must be at most ${maximum}.`;
  return maximum === undefined ? `Must be at least ${minimum}.` : `Must be from ${minimum} to ${maximum}.`;
}

function listFault(text: string, { items = {}, minItems, maxItems = 0 }: Schema): string | undefined {
  const all = itemsIn(text);
  if (all.length < (minItems ?? 0) && maxItems === 0) return `Must have at least ${minItems} lines.`;
  if (!isWithin(all.length, minItems, maxItems || undefined)) return `Must have ${minItems ?? 0} to ${maxItems} lines.`;
  const faultIn = isNumeric(items) ? numberFault : textFault;
  const wrong = all.findIndex((each) => (items.enum ? !items.enum.map(String).includes(each) : faultIn(each, items)));
  return wrong < 0 ? undefined : `Line ${wrong + 1} is invalid.`;
}

/** Returns an obvious error in a field, found before sending. The gateway decides. */
export function fieldFault({ kind, schema, isRequired }: Field, text: string): string | undefined {
  if (text.trim() === '') return isRequired && !(kind === 'list' && schema.minItems === 0) ? 'Required.' : undefined;
  if (kind === 'number') return numberFault(text.trim(), schema);
  if (kind === 'list') return listFault(text, schema);
  if (kind === 'json') return isJson(text) ? undefined : 'Must be JSON.';
  return kind === 'text' ? textFault(text, schema) : undefined;
}

const numberIn = (text: string, { type }: Schema): number | string => {
  const value = Number(text);
  const isExact = type === 'number' ? DECIMAL.test(text) : WHOLE.test(text) && Number.isSafeInteger(value);
  return isExact ? value : text;
};

/** Returns the value of a field's text. A text of the wrong kind is sent unchanged, so that the gateway refuses it. */
export function fieldValue({ kind, schema }: Pick<Field, 'kind' | 'schema'>, text: string): unknown {
  const { items = {} } = schema;
  if (kind === 'number') return numberIn(text.trim(), schema);
  if (kind === 'choice') return schema.enum?.find((each) => String(each) === text) ?? text;
  if (kind === 'flag') return text === 'true';
  if (kind === 'list') return itemsIn(text).map((each) => (isNumeric(items) ? numberIn(each, items) : each));
  return kind === 'json' && isJson(text) ? JSON.parse(text) : text;
}
