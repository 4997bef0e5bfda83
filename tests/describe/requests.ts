import { Refusal, type Route, type Rule, routes, type Values } from '@asset-gateway/protocol';
import fc, { type Arbitrary } from 'fast-check';
import { createMatch } from '../../packages/gateway/src/stages/match.ts';
import { createReader } from '../../packages/gateway/src/stages/validate.ts';
import { fits, type JsonSchema, published } from './json-schema.ts';
import { changedOf, valuesOf } from './values.ts';

/** A place without a schema takes nothing. */
const NOTHING: JsonSchema = { type: 'object', additionalProperties: false };

type Place = Rule['in'];

/** The schemas of a row's three places, as they are published. */
export type Published = Readonly<Record<Place, JsonSchema>>;

export const publishedOf = ({ input }: Route): Published => ({
  path: input.path ? published(input.path) : NOTHING,
  query: input.query ? published(input.query) : NOTHING,
  body: input.body ? published(input.body) : NOTHING,
});

/** The values of a request. */
export interface Carried {
  readonly path: Values;
  readonly query: Values;
  readonly body: unknown;
}

const textOf = (value: unknown): string => (Array.isArray(value) ? value.join(',') : String(value));

/** Writes a request: integers in decimal digits, lists comma-joined, booleans as true and false. */
export function send({ path }: Route, carried: Carried) {
  const filled = path.replace(/(?<=\/):(\w+)/g, (_, name: string) => encodeURIComponent(textOf(carried.path[name])));
  const pairs = Object.entries(carried.query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(value))}`,
  );
  return { target: pairs.length > 0 ? `${filled}?${pairs.join('&')}` : filled, body: JSON.stringify(carried.body) };
}

/** A query text as the JSON type of its schema, if it is canonical. */
function typed(text: string, { type }: JsonSchema): unknown {
  if (type === 'array') return text.split(',');
  if (type === 'integer' && String(Number(text)) === text) return Number(text);
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return text;
}

/** A request as JSON, with typed query values. */
export function carriedBy({ path, query, body }: Carried, schemas: Published): Carried {
  const { properties = {} } = schemas.query;
  const entries = Object.entries(query).map(([name, value]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, typed(textOf(value), schema ?? {})];
  });
  return { path, query: Object.fromEntries(entries) as Values, body: JSON.parse(JSON.stringify(body)) as unknown };
}

/** Whether the published schemas accept it. */
export const isTaken = (carried: Carried, schemas: Published): boolean =>
  fits(schemas.path, carried.path) && fits(schemas.query, carried.query) && fits(schemas.body, carried.body);

const match = createMatch(routes.map((route) => ({ route, read: createReader(route) })));
const utf8 = new TextEncoder();

/** The code or the broken rules of a refusal; undefined if accepted. */
export function refusalOf(
  { id, httpMethod }: Route,
  { target, body }: ReturnType<typeof send>,
): string | readonly string[] | undefined {
  const headers = httpMethod === 'POST' ? { 'content-type': 'application/json' } : {};
  const inbound = { method: httpMethod, target, headers, hosts: ['localhost'], port: 80, client: '' };
  try {
    const call = match({ ...inbound, body: utf8.encode(body) });
    if (call.route.id !== id) return 'another route';
    call.endpoint.read(call);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return error.details.issues?.map(({ rule }) => rule) ?? error.code;
  }
}

/** A lone surrogate cannot be written in a URL. */
const isWritable = ({ path, query }: Carried): boolean =>
  [path, query].every((place) => Object.entries(place).every((pair) => !/\p{Cs}/u.test(pair.map(textOf).join())));

const objects = (values: Arbitrary<unknown>): Arbitrary<Values> =>
  values.filter((value): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value));

/** Requests that the published schemas accept. */
export function requestsOf({ path, query, body }: Published): Arbitrary<Carried> {
  return fc.record({ path: objects(valuesOf(path)), query: objects(valuesOf(query)), body: valuesOf(body) });
}

/** Requests with one thing changed in one place. */
export function changedRequestsOf(schemas: Published, { httpMethod }: Route): Arbitrary<Carried> {
  const { path, query, body } = schemas;
  const good = requestsOf(schemas);
  const names = Object.entries(path.properties ?? {});
  const changedPaths = names.map(([name, schema]) =>
    fc.tuple(good, changedOf(schema)).map(([request, value]) => ({ ...request, path: { [name]: textOf(value) } })),
  );
  const changedQuery = fc
    .tuple(good, objects(changedOf(query)))
    .map(([request, changed]) => ({ ...request, query: changed }));
  const changedBody = fc.tuple(good, changedOf(body)).map(([request, changed]) => ({ ...request, body: changed }));
  return fc.oneof(...changedPaths, changedQuery, ...(httpMethod === 'POST' ? [changedBody] : [])).filter(isWritable);
}
