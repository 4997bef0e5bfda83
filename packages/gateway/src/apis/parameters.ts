import { listAt, type Members, objectAt } from '@asset-gateway/protocol';
import type { TObject, TSchema } from 'typebox';
import { DocumentFault, type OpenApiDocument, type Operation, shown } from './document.ts';
import { isText, isUsable, parameterName, splitTemplate } from './path-texts.ts';
import { checkedSchema } from './schemas.ts';

const LITERAL = /^[A-Za-z0-9._~!$&'()*+,;=:@-]+$/;
const DOTS = /^\.{1,2}$/;

/**
 * Returns a document's path in our spelling (`:name` for `{name}`) and in the API's. In ours, text beside a parameter becomes a segment of
 * its own: `{model}:count` is `:model/count`.
 */
export function templateOf(path: string) {
  if (!path.startsWith('/')) throw new DocumentFault('the path does not start with /');
  const segments = path.slice(1, path.endsWith('/') ? -1 : undefined).split('/');
  const own = path === '/' ? [] : segments.flatMap(ownSegments).map((segment) => `/${segment}`);
  const upstream = splitTemplate(path).map((part, at) => (isText(part, at) ? part : `{${parameterName(part)}}`));
  return { own: own.join(''), upstream: upstream.join('') };
}

function ownSegments(segment: string): string[] {
  const parts = splitTemplate(segment);
  const isPlain = parts.filter(isText).every((text) => (text === '' ? parts.length > 1 : LITERAL.test(text)));
  if (!isPlain || segment.startsWith(':') || parts.some((part) => part !== '' && DOTS.test(part)))
    throw new DocumentFault(`the path has the segment ${shown(segment)}, which is neither plain text nor parameters`);
  return parts
    .map((part, at) => (isText(part, at) ? part.replace(/^:/, '') : `:${parameterName(part)}`))
    .filter((part) => part !== '');
}

const SCALARS = ['string', 'integer', 'number', 'boolean'];

const kindsOf = (schema: unknown): string[] => {
  const { type, enum: values } = objectAt(schema);
  if (type === undefined && Array.isArray(values)) return [...new Set(values.map((each) => typeof each))];
  return [type ?? 'string'].flat().map(String);
};
const isScalar = (schema: unknown): boolean => kindsOf(schema).every((kind) => SCALARS.includes(kind));
const isList = (schema: unknown): boolean => kindsOf(schema).join() === 'array';

/** Whether a value of this schema fits into a path or query. */
function isWritable(schema: TSchema): boolean {
  const { anyOf, items } = schema as Members;
  if (isList(schema)) return isWritable((items ?? {}) as TSchema) && !isList(items);
  return isScalar(schema) && listAt(anyOf).every(isScalar);
}

/** Whether a schema accepts every text. */
const isAnyText = ({ type, ...rest }: Members): boolean =>
  (type ?? 'string') === 'string' &&
  ['enum', 'const', 'pattern', 'minLength', 'maxLength'].every((each) => !(each in rest));

/** Returns the schema without null and with at most one list of alternatives. Leaves out alternatives that cannot be written as text. */
function flatSchema(schema: Members): Members {
  const { anyOf, oneOf, allOf, type, items, ...rest } = schema;
  const kinds = listAt(type).filter((each) => each !== 'null');
  const kind = Array.isArray(type) ? { type: kinds.length === 1 ? kinds[0] : kinds } : type !== undefined && { type };
  const parts = listAt(allOf).map((each) => flatSchema(objectAt(each)));
  const own = Object.assign({}, ...parts, rest, kind, items !== undefined && { items: flatSchema(objectAt(items)) });
  const given = [...listAt(anyOf), ...listAt(oneOf)].map((each) => flatSchema(objectAt(each)));
  if (given.length === 0) return own;
  const usable = given.filter((each) => isWritable(each as TSchema));
  const only = usable.find(isList) ?? usable.find(isAnyText) ?? (usable.length === 1 ? usable[0] : undefined);
  if (only) return { ...own, ...only };
  return usable.length > 0
    ? { ...own, type: [...new Set(usable.flatMap(kindsOf))], anyOf: usable }
    : { type: 'object' };
}

/** Returns the schema of a parameter in a row. Its `type` is the one as which the parameter's text is read. */
function textSchema(document: OpenApiDocument, node: Members, notes: Set<string>): TSchema {
  const schema = flatSchema(checkedSchema(document, node.schema, String(node.name), notes) as Members);
  const kinds = kindsOf(schema);
  const description = node.description === undefined ? {} : { description: String(node.description).slice(0, 300) };
  const example = node.example === undefined ? {} : { examples: [node.example] };
  return { ...schema, type: kinds.length === 1 ? kinds[0] : kinds, ...description, ...example } as TSchema;
}

/** The headers that OpenAPI describes elsewhere and ignores as parameters. */
const DESCRIBED_ELSEWHERE = ['accept', 'content-type', 'authorization'];

/** Matches the headers that HTTP or the gateway sets. */
const OF_HTTP =
  /^(?:connection|content-.*|cookie|date|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|via)$/;
const SET_HERE = ['accept', 'accept-encoding', 'user-agent'];
export const isOfHttp = (header: string): boolean =>
  OF_HTTP.test(header.toLowerCase()) || SET_HERE.includes(header.toLowerCase());
const PRINTABLE = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

/** Returns the value of a required header that has a default or a single allowed value. */
function constantOf(document: OpenApiDocument, node: Members): string | undefined {
  const schema = objectAt(checkedSchema(document, node.schema, '', new Set()));
  const values = listAt(schema.enum);
  const value = schema.const ?? schema.default ?? (values.length === 1 ? values[0] : undefined);
  const isSendable = PRINTABLE.test(String(value)) && !OF_HTTP.test(String(node.name).toLowerCase());
  return value !== undefined && isSendable && /^[\w-]+$/.test(String(node.name)) ? String(value) : undefined;
}

/** Returns a parameter that clients send. Throws if clients cannot send it. */
function sentParameter(document: OpenApiDocument, node: Members, notes: Set<string>) {
  const { name, in: place, required, style, explode = true, content } = node;
  const label = `the ${String(place)} parameter ${shown(String(name))}`;
  const isPath = place === 'path';
  if (!isUsable(String(name))) throw new DocumentFault(`${label} has an unusable name`);
  if (content !== undefined) throw new DocumentFault(`${label} has a media type`);
  if (style !== undefined && style !== (isPath ? 'simple' : 'form'))
    throw new DocumentFault(`${label} has the style ${shown(String(style))}`);
  const schema = textSchema(document, node, notes);
  if (!isWritable(schema)) throw new DocumentFault(`${label} is neither a single value nor a list of values`);
  const isRepeated = isList(schema) && explode === true;
  return { name: String(name), place: String(place), isRequired: isPath || required === true, schema, isRepeated };
}

const isHidden = ({ in: place }: Members): boolean => place === 'header' || place === 'cookie';

/** What the gateway itself sends with each request of an API. */
export interface SentHere {
  /** The name of the header or query parameter that has the key. */
  readonly keyName: string | undefined;
  /** The names of the headers in lower case. */
  readonly headers: readonly string[];
}

/** Decides what happens with a parameter: clients send it, the gateway sends a constant, or it is left out. */
function parameterOf(document: OpenApiDocument, node: Members, notes: Set<string>) {
  const { name, in: place, required } = node;
  if (isHidden(node)) {
    if (required !== true || DESCRIBED_ELSEWHERE.includes(String(name).toLowerCase())) return undefined;
    const constant = place === 'header' ? constantOf(document, node) : undefined;
    const remedy =
      place === 'header' ? '; give its value in `headers` of the API, or name it in `key` if it is secret' : '';
    if (constant === undefined)
      throw new DocumentFault(`the ${place} parameter ${shown(String(name))} is required${remedy}`);
    return { constant: [String(name), constant] as const };
  }
  try {
    return { sent: sentParameter(document, node, notes) };
  } catch (error) {
    if (!(error instanceof DocumentFault) || required === true || place === 'path') throw error;
    notes.add(`left out: ${error.message}`);
    return undefined;
  }
}

const isSentHere = (place: string, name: string, { keyName, headers }: SentHere): boolean =>
  name === keyName?.toLowerCase() || (place === 'header' && headers.includes(name));

/** A parameter with its schema. */
type Parameter = ReturnType<typeof sentParameter>;

/** Returns the parameters and constant headers of an operation. Its own parameters replace those of its path. */
export function parametersOf(
  document: OpenApiDocument,
  { node, shared }: Operation,
  sent: SentHere,
  notes: Set<string>,
) {
  const byName = new Map<string, Members>();
  for (const list of [shared, listAt(node.parameters)]) {
    const own = new Set<string>();
    for (const parameter of list.map((each) => objectAt(document.resolve(each)))) {
      const name = String(parameter.name);
      const place = String(parameter.in);
      const key = `${place} ${name}`;
      if (own.has(key)) throw new DocumentFault(`the ${place} parameter ${shown(name)} is listed twice`);
      own.add(key);
      if (!isSentHere(place, name.toLowerCase(), sent)) byName.set(key, parameter);
    }
  }
  const found = [...byName.values()].map((parameter) => parameterOf(document, parameter, notes));
  return {
    parameters: found.flatMap((each) => (each?.sent ? [each.sent] : [])),
    headers: Object.fromEntries(found.flatMap((each) => (each?.constant ? [each.constant] : []))),
  };
}

export function objectOf(parameters: readonly Parameter[], nameOf = (name: string) => name): TObject | undefined {
  if (parameters.length === 0) return undefined;
  const properties = Object.fromEntries(parameters.map(({ name, schema }) => [nameOf(name), schema]));
  const required = parameters.filter(({ isRequired }) => isRequired).map(({ name }) => nameOf(name));
  return { type: 'object', properties, required, additionalProperties: false } as unknown as TObject;
}

/** Throws unless the path names exactly the parameters that the operation describes. */
export function assertNamed(template: string, path: TObject | undefined): void {
  const inPath = template.split('/').filter((segment) => segment.startsWith(':'));
  const names = new Set(inPath.map((segment) => segment.slice(1)));
  const described = Object.keys(path?.properties ?? {});
  const isSame = names.size === described.length && described.every((name) => names.has(name));
  if (!isSame || names.size !== inPath.length)
    throw new DocumentFault(
      `the parameters of the path are ${shown([...names].join(', '))}; the operation describes ${described.length > 0 ? shown(described.join(', ')) : 'none'}`,
    );
}
