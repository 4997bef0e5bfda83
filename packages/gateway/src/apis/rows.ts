import {
  apiPath,
  type InputSchemas,
  JSON_MEDIA_TYPE,
  listAt,
  objectAt,
  oneLine,
  type RequestValues,
  type Route,
  type Rule,
  type Values,
} from '@asset-gateway/protocol';
import type { TObject } from 'typebox';
import { Check } from 'typebox/schema';
import { bounded } from './bounded.ts';
import type { OperatorBounds } from './bounds.ts';
import { DocumentFault, type OpenApiDocument, type Operation, shown } from './document.ts';
import { bodyOf, describedResult, jsonMediaOf } from './media.ts';
import { assertNamed, objectOf, parametersOf, type SentHere, templateOf } from './parameters.ts';
import { inAscii, parameterName, respelled } from './path-texts.ts';
import { sampleOf } from './samples.ts';
import { isVerb, sameVerbRules } from './verbs.ts';

/** An operator's settings for one operation. */
interface ServedOperation extends SentHere {
  readonly api: string;
  readonly access: 'siwx' | 'exact';
  /** The cluster on which clients pay for a paid row. */
  readonly cluster: 'mainnet' | 'devnet';
  readonly entry?: OperatorBounds & { readonly slashes?: boolean; readonly idempotent?: boolean };
}

/** Returns a name in camel case: `repos/get` becomes `reposGet`. */
function camelCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words.map((word, at) => (at === 0 ? word[0]?.toLowerCase() : word[0]?.toUpperCase()) + word.slice(1)).join('');
}

/** Returns a name without its accents. */
const unmarked = (name: string): string => name.normalize('NFKD').replace(/\p{M}/gu, '');

/** Returns the method name of an operation: its `operationId` in Latin letters, or else its verb and path. */
function methodOf({ node, verb, path }: Operation): string {
  const id = typeof node.operationId === 'string' ? unmarked(node.operationId) : '';
  const isLatin = /[A-Za-z0-9]/.test(id) && !/[^\P{L}A-Za-z]/u.test(id);
  return camelCase(isLatin ? id : `${verb.toLowerCase()} ${inAscii(path)}`).slice(0, MAX_NAME);
}

const MAX_NAME = 64;
const MAX_DESCRIPTION = 200;
const PLACES = ['path', 'query', 'body'] as const;

/** Returns placeholders for path values, because every document shows an example URL, even if no sample matches the schema. */
const pathExample = (path: TObject, slashed: readonly string[]): object =>
  Object.fromEntries(
    Object.entries(path.properties).map(([name, schema]) => {
      const isSegment = (value: unknown) => slashed.includes(name) || !String(value).includes('/');
      return [name, sampleOf(schema, (value) => isSegment(value) && Check(schema, value)) ?? 'text'];
    }),
  );

/** Returns example values that a row's schemas accept. */
function exampleValues(
  input: InputSchemas,
  bodies: readonly unknown[],
  slashed: readonly string[],
): Partial<RequestValues> {
  const values = PLACES.flatMap((place) => {
    const schema = input[place];
    if (!schema) return [];
    const given = place === 'body' ? bodies.find((body) => Check(schema, body)) : undefined;
    const value = place === 'path' ? pathExample(schema as TObject, slashed) : (given ?? sampleOf(schema));
    return value === undefined ? [] : [[place, value]];
  });
  return Object.fromEntries(values);
}

const SCHEME_TYPES = ['apiKey', 'http', 'oauth2', 'openIdConnect'];

/**
 * Returns a note on the credentials that an operation wants besides one key, if any. Throws if the gateway cannot send the one that the
 * operation needs.
 */
function otherKeys(document: OpenApiDocument, { node }: Operation): string | undefined {
  const alternatives = listAt(node.security ?? document.root.security).map((each) => Object.keys(objectAt(each)));
  const schemes = objectAt(objectAt(document.root.components).securitySchemes);
  const isUsable = (name: string): boolean => {
    const { type, in: place, scheme } = objectAt(document.resolve(schemes[name]));
    if (!SCHEME_TYPES.includes(String(type)) || place === 'cookie') return false;
    return type !== 'http' || ['bearer', 'basic'].includes(String(scheme).toLowerCase());
  };
  const needsNoKey =
    alternatives.length === 0 || alternatives.some((names) => names.length <= 1 && names.every(isUsable));
  if (needsNoKey) return undefined;
  const needed = shown(alternatives.map((names) => names.join(' and ')).join(' or '));
  if (alternatives.some((names) => names.some(isUsable))) return `needs ${needed}, of which the gateway sends one`;
  throw new DocumentFault(
    `it needs ${needed}; only a key in a header, a query, a bearer token or a user with a password is sent`,
  );
}

function summaryOf({ node, verb, path }: Operation): string {
  const text = [node.summary, node.description].find((each) => typeof each === 'string' && each.trim() !== '');
  const [line = ''] = String(text ?? `${verb} ${path}`)
    .trim()
    .split('\n', 1);
  return oneLine(line, MAX_DESCRIPTION);
}

/** Returns a function that makes a value when it is first called, and keeps it. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Returns the client's input: the schema and the example of each place, and how values are written to the upstream. */
function inputOf(document: OpenApiDocument, operation: Operation, { entry = {}, ...sent }: ServedOperation) {
  const notes = new Set<string>();
  const { parameters, headers } = parametersOf(document, operation, sent, notes);
  const inPlace = (place: string) => parameters.filter((parameter) => parameter.place === place);
  const path = objectOf(inPlace('path'), parameterName);
  const query = objectOf(inPlace('query'));
  const body = bodyOf(document, operation, notes);
  const given: InputSchemas = { ...(path && { path }), ...(query && { query }), ...(body && { body: body.schema }) };
  const names = document.namesFor(operation.path);
  const { rules, ...bounds } = bounded(given, operation.path, entry);
  const input = withPathNames(bounds.input, names);
  const ownPath = respelled(bounds.path, names);
  const template = templateOf(ownPath);
  assertNamed(template.own, input.path);
  const repeated = parameters.filter(({ isRepeated }) => isRepeated).map(({ name }) => name);
  if (body && body.type !== JSON_MEDIA_TYPE) headers['content-type'] = body.type;
  const slashed = slashedOf(input.path, entry.slashes, notes);
  const samePath = samePathRules(document, ownPath, input, slashed);
  const sameVerb = sameVerbRules(document, operation, input.body);
  const bodies = [body?.example].filter((each) => rules.every(({ holds }) => holds(each as Values)));
  return {
    ...{ input, notes, own: template.own, rules: [...samePath, ...sameVerb, ...rules] },
    example: once(() => exampleValues(input, bodies, slashed)),
    upstream: { path: template.upstream, forward: bounds.forward, isVerbatim: true, repeated, slashed, headers },
  };
}

/** Returns the same schemas, with other names of the path's parameters. */
function withPathNames({ path, ...input }: InputSchemas, names: ReadonlyMap<string, string>): InputSchemas {
  if (!path) return input;
  const nameOf = (name: string) => names.get(name) ?? name;
  const properties = Object.entries(path.properties).map(([name, schema]) => [nameOf(name), schema]);
  const required = listAt(path.required).map((name) => nameOf(String(name)));
  return { path: Object.assign({}, path, { properties: Object.fromEntries(properties), required }), ...input };
}

/** Returns the path parameters whose values may have slashes: those whose example has one, or else the last parameter. */
function slashedOf(path: TObject | undefined, isAllowed: boolean | undefined, notes: Set<string>): readonly string[] {
  const names = Object.keys(path?.properties ?? {});
  const hasSlash = (name: string) => String(listAt(objectAt(path?.properties[name]).examples)[0]).includes('/');
  const found = names.filter(hasSlash);
  if (!isAllowed) {
    for (const name of found) notes.add(`path.${name}: its example has a slash, which only \`slashes: true\` allows`);
    return [];
  }
  if (names.length === 0) throw new DocumentFault('slashes: its path has no parameter');
  return found.length > 0 ? found : names.slice(-1);
}

const SAME_PATH = 'Must not make this path another path of the API.';

/** Returns the rules against values that the server would route to another operation, which may have a price or be disabled. */
function samePathRules(
  { paths }: OpenApiDocument,
  path: string,
  input: InputSchemas,
  slashed: readonly string[],
): readonly Rule[] {
  if (slashed.length === 0 && !paths.mayLeadElsewhere(path)) return [];
  return [
    {
      ...{ name: 'samePath', in: 'path', description: SAME_PATH },
      parameters: Object.keys(input.path?.properties ?? {}),
      holds: (values) => paths.othersFor(path, values, slashed).next().done === true,
    },
  ];
}

/**
 * Returns the row of an operation, with notes on the parts that it leaves out or does not check. Throws a DocumentFault if no row can
 * express the operation.
 */
export function rowOfOperation(document: OpenApiDocument, operation: Operation, serving: ServedOperation) {
  const { api, access, cluster } = serving;
  const { verb, node } = operation;
  if (!isVerb(verb)) throw new DocumentFault(`${verb} is not served`);
  if (node.callbacks !== undefined) throw new DocumentFault('it has callbacks');
  const { input, notes, own, rules, example, upstream } = inputOf(document, operation, serving);
  const keys = otherKeys(document, operation);
  if (keys !== undefined) notes.add(keys);
  const answer = jsonMediaOf(document, operation);
  if (answer.name !== JSON_MEDIA_TYPE) upstream.headers.accept = `${answer.name}, ${JSON_MEDIA_TYPE}`;
  const result = once(() => describedResult(document, answer.media));
  const method = methodOf(operation);
  const isPaid = access === 'exact';
  const row: Route = {
    id: isPaid ? `${api}.${cluster}.${method}` : `${api}.${method}`,
    provider: api,
    surface: api,
    method,
    httpMethod: verb,
    path: apiPath(api, own, isPaid ? cluster : undefined),
    access,
    ...(isPaid && { cluster, units: 0 }),
    description: summaryOf(operation),
    input,
    rules,
    codes: {},
    // Both are made when they are first read, because a start does not need them.
    get example() {
      return example();
    },
    get result() {
      return result();
    },
    upstream: {
      ...upstream,
      mayBeEmpty: answer.mayBeEmpty,
      mayHaveEffect: verb !== 'GET' && !serving.entry?.idempotent,
    },
  };
  return { row, notes };
}
