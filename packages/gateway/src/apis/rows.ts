import {
  apiPath,
  type HttpMethod,
  type InputSchemas,
  type RequestValues,
  type Route,
  type Rule,
  unchanged,
} from '@asset-gateway/protocol';
import type { TObject } from 'typebox';
import { Check } from 'typebox/schema';
import {
  DocumentFault,
  isMembers,
  itemsOf,
  type Members,
  membersOf,
  type OpenApiDocument,
  type Operation,
  shown,
} from './document.ts';
import { assertNamed, objectOf, parametersOf, templateOf } from './parameters.ts';
import { parameterName } from './paths.ts';
import { isShort, sampleOf } from './samples.ts';
import { checkedSchema, describingSchema } from './schemas.ts';

/** How an operator serves one operation. */
export interface Serving {
  readonly api: string;
  readonly access: 'siwx' | 'exact';
  /** Of paid rows: the cluster of the payment. */
  readonly cluster: 'mainnet' | 'devnet';
  /** A header or query parameter that carries the key: clients do not send it. */
  readonly keyName: string | undefined;
}

/** A name in camel case: `repos/get` becomes `reposGet`. */
function camelCase(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return words.map((word, at) => (at === 0 ? word[0]?.toLowerCase() : word[0]?.toUpperCase()) + word.slice(1)).join('');
}

/** The name of an operation: its `operationId`, or else its verb and path. */
function methodOf({ node, verb, path }: Operation): string {
  const id = typeof node.operationId === 'string' ? node.operationId : `${verb.toLowerCase()} ${path}`;
  return camelCase(id).slice(0, MAX_NAME);
}

const MAX_NAME = 64;
const MAX_DESCRIPTION = 200;
const JSON_TYPE = 'application/json';

/** The schema of a JSON body, which must be an object. */
function bodyOf(document: OpenApiDocument, { node, verb }: Operation) {
  const request = membersOf(document.resolve(node.requestBody));
  if (node.requestBody === undefined) return undefined;
  if (verb === 'GET') throw new DocumentFault('a GET has a body');
  const content = membersOf(request.content);
  const media = content[JSON_TYPE];
  const types = Object.keys(content).map(shown).join(' or ');
  if (!isMembers(media)) throw new DocumentFault(`the body is ${types || 'without a type'}, not JSON`);
  const schema = checkedSchema(document, media.schema);
  const { type, properties } = membersOf(schema);
  if (type !== 'object' && properties === undefined) throw new DocumentFault('the body is not a JSON object');
  const object = { properties: {}, ...schema, type: 'object' } as unknown as TObject;
  return { schema: object, example: exampleIn(document, media) };
}

/** The example of a media type, unless it is long or a reference to nothing. */
function exampleIn(document: OpenApiDocument, media: Members): unknown {
  const [named] = Object.values(membersOf(media.examples));
  try {
    const example = media.example ?? membersOf(document.resolve(named)).value;
    return isShort(example) ? example : undefined;
  } catch (error) {
    if (error instanceof DocumentFault) return undefined;
    throw error;
  }
}

/** The media type of an operation's JSON answer. */
function answerOf(document: OpenApiDocument, { node }: Operation): Members {
  const responses = membersOf(node.responses);
  const answered = ['200', '2XX', 'default'].find((status) => responses[status] !== undefined);
  if (answered === undefined) {
    throw new DocumentFault(`it answers ${Object.keys(responses).join(', ').slice(0, 40) || 'nothing'}, not 200`);
  }
  const content = membersOf(membersOf(document.resolve(responses[answered])).content);
  const media = content[JSON_TYPE] ?? content['*/*'];
  if (isMembers(media)) return media;
  throw new DocumentFault(`it answers ${Object.keys(content).map(shown).join(' or ') || 'without a body'}, not JSON`);
}

function resultOf(document: OpenApiDocument, media: Members): Route['result'] {
  const schema = describingSchema(document, media.schema);
  const given = exampleIn(document, media);
  const example = given !== undefined && Check(schema, given) ? given : sampleOf(schema);
  return { schema, example: isShort(example) ? (example ?? null) : null };
}

const PLACES = ['path', 'query', 'body'] as const;

/** For paths whose schemas no sample fits: documents name a target of each row. */
const texts = ({ properties }: TObject): object =>
  Object.fromEntries(Object.keys(properties).map((name) => [name, 'text']));

/** The values of a row's example that its schemas accept. */
function exampleOf(input: InputSchemas, body: unknown): Partial<RequestValues> {
  const values = PLACES.flatMap((place) => {
    const schema = input[place];
    if (!schema) return [];
    const given = place === 'body' && Check(schema, body) ? body : undefined;
    const value = given ?? sampleOf(schema) ?? (place === 'path' ? texts(schema) : undefined);
    return value === undefined ? [] : [[place, value]];
  });
  return Object.fromEntries(values);
}

const SCHEME_TYPES = ['apiKey', 'http'];

/** Throws if an operation needs more than one key in a header or query. */
function assertKey(document: OpenApiDocument, { node }: Operation): void {
  const alternatives = itemsOf(node.security ?? document.root.security).map((each) => Object.keys(membersOf(each)));
  const schemes = membersOf(membersOf(document.root.components).securitySchemes);
  const isUsable = (name: string): boolean => {
    const { type, in: place, scheme } = membersOf(document.resolve(schemes[name]));
    if (!SCHEME_TYPES.includes(String(type)) || place === 'cookie') return false;
    return type === 'apiKey' || String(scheme).toLowerCase() === 'bearer';
  };
  const isOpen = alternatives.length === 0 || alternatives.some((names) => names.length <= 1 && names.every(isUsable));
  if (isOpen) return;
  const needed = alternatives.map((names) => names.join(' and ')).join(' or ');
  throw new DocumentFault(`it needs ${shown(needed)}; only a key in a header, a query or a bearer token is sent`);
}

function summaryOf({ node, verb, path }: Operation): string {
  const text = [node.summary, node.description].find((each) => typeof each === 'string' && each.trim() !== '');
  const [line = ''] = String(text ?? `${verb} ${path}`)
    .trim()
    .split('\n', 1);
  return line.slice(0, MAX_DESCRIPTION);
}

/** Makes a value when it is first read. */
function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** What clients send: the schemas and the example of each place, and the parameters that are sent once for each item. */
function inputOf(document: OpenApiDocument, operation: Operation, template: string, keyName: string | undefined) {
  const parameters = parametersOf(document, operation, keyName);
  const inPlace = (place: string) => parameters.filter((parameter) => parameter.place === place);
  const path = objectOf(inPlace('path'), parameterName);
  assertNamed(template, path);
  const query = objectOf(inPlace('query'));
  const body = bodyOf(document, operation);
  const input: InputSchemas = { ...(path && { path }), ...(query && { query }), ...(body && { body: body.schema }) };
  const repeated = parameters.filter(({ isRepeated }) => isRepeated).map(({ name }) => name);
  return { input, repeated, example: once(() => exampleOf(input, body?.example)) };
}

const SAME_PATH = 'Must not make this path another path of the API.';

/** A server would route some values to another operation, which may have a price or may not be served. */
function rulesOf({ paths }: OpenApiDocument, { path }: Operation, input: InputSchemas): readonly Rule[] {
  if (paths.othersFor(path).next().done) return [];
  return [
    {
      ...{ name: 'samePath', in: 'path', description: SAME_PATH },
      parameters: Object.keys(input.path?.properties ?? {}),
      holds: (values) => paths.othersFor(path, values).next().done === true,
    },
  ];
}

/** The row of an operation. Throws a DocumentFault that says what a row cannot express. */
export function rowOf(document: OpenApiDocument, operation: Operation, serving: Serving): Route {
  const { api, access, cluster, keyName } = serving;
  const { verb, node } = operation;
  if (verb !== 'GET' && verb !== 'POST') throw new DocumentFault(`${verb} is not served, only GET and POST`);
  if (node.callbacks !== undefined) throw new DocumentFault('it has callbacks');
  assertKey(document, operation);
  const template = templateOf(operation.path);
  const { input, repeated, example } = inputOf(document, operation, template, keyName);
  const answer = answerOf(document, operation);
  const result = once(() => resultOf(document, answer));
  const method = methodOf(operation);
  const isPaid = access === 'exact';
  return {
    id: isPaid ? `${api}.${cluster}.${method}` : `${api}.${method}`,
    provider: api,
    surface: api,
    method,
    httpMethod: verb satisfies HttpMethod,
    path: apiPath(api, template === '/' ? '' : template, isPaid ? cluster : undefined),
    access,
    ...(isPaid && { cluster, units: 0 }),
    description: summaryOf(operation),
    input,
    rules: rulesOf(document, operation, input),
    codes: {},
    // Only descriptions need these two, so that a start makes none of them.
    get example() {
      return example();
    },
    get result() {
      return result();
    },
    upstream: { path: template, forward: unchanged, repeated },
  };
}
