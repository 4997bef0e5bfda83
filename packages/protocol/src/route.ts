import Type, { type TObject, type TProperties, type TSchema } from 'typebox';
import type { Cluster } from './networks.ts';
import type { Provider } from './providers.ts';

/** A family of routes. */
export type Surface = 'system' | 'tokens' | 'rpc' | 'das' | 'wallet' | 'credit';

/** Which gate a route is behind. */
export type Access = 'public' | 'siwx' | 'exact';

/** The verbs that a row can have; HEAD and OPTIONS follow from them. */
export type HttpMethod = 'GET' | 'POST';

/** Values by name, as they came out of a schema. */
export type Values = Readonly<Record<string, unknown>>;

/** The three places that a request carries values in. */
export interface RequestValues {
  readonly path: Values;
  readonly query: Values;
  readonly body: Values;
}

/** A rule over several parameters, one that a JSON Schema of single parameters cannot say. */
export interface Rule {
  readonly name: string;
  readonly description: string;
  readonly in: 'path' | 'query' | 'body';
  readonly parameters: readonly string[];
  /** Where the rule is a choice: the names of which one, or at least one, has to be given. Not published. */
  readonly choice?: { readonly of: readonly string[]; readonly isExclusive: boolean };
  readonly holds: (values: Values) => boolean;
}

/** The schemas of the three places; a place without a schema takes nothing. */
export interface InputSchemas {
  readonly path?: TObject;
  readonly query?: TObject;
  readonly body?: TObject;
}

/** What a success holds in its `result`. */
export interface ResultShape {
  /** Field by field, as JSON Schema. */
  readonly schema: TSchema;
  /** A small answer that fits the schema; its numbers are invented. */
  readonly example: unknown;
  /** The media type of the whole answer, where it is not JSON. */
  readonly mediaType?: string;
}

/** The media type of every answer whose row names no other. */
export const JSON_MEDIA_TYPE = 'application/json';

/** One row of the table: everything known about one endpoint. */
export interface Route {
  readonly id: string;
  readonly provider: Provider;
  readonly surface: Surface;
  /** The envelope's `method`. */
  readonly method: string;
  readonly httpMethod: HttpMethod;
  readonly path: string;
  readonly access: Access;
  /** Paid rows: the cluster that is asked and paid on. */
  readonly cluster?: Cluster;
  /** Paid rows: what the provider counts for one call. */
  readonly units?: number;
  /** Where credit is on, paid rows: whether credit pays for a call, or is all that is sold. */
  readonly credit?: 'accepted' | 'sold';
  readonly description: string;
  readonly input: InputSchemas;
  readonly rules: readonly Rule[];
  /** A refusal code of its own for a parameter, instead of `invalid_request`. */
  readonly codes: Readonly<Record<string, 'invalid_provider_filter'>>;
  /** Values that pass the row's own schemas and rules. */
  readonly example: Partial<RequestValues>;
  readonly result: ResultShape;
  /** Public documents: for how long anybody may keep one. */
  readonly maxAgeSeconds?: number;
  /** Where the request goes: an upstream's path template, and what is sent there when it differs from the input. */
  readonly upstream: { readonly path: string; readonly forward: (values: RequestValues) => RequestValues };
}

/** What a row builder is told beyond the row's name. */
export interface RowOptions {
  readonly path?: TProperties;
  readonly query?: TProperties;
  readonly body?: TProperties;
  readonly rules?: readonly Rule[];
  readonly codes?: Route['codes'];
  readonly example?: Partial<RequestValues>;
  readonly result?: ResultShape;
  readonly maxAgeSeconds?: number;
  readonly forward?: (values: RequestValues) => RequestValues;
}

const closed = (properties: TProperties): TObject => Type.Object(properties, { additionalProperties: false });

/** The schemas of a row, closed against unknown names. */
export function schemasOf({ path, query, body }: RowOptions): InputSchemas {
  return {
    ...(path && { path: closed(path) }),
    ...(query && { query: closed(query) }),
    ...(body && { body: closed(body) }),
  };
}

/** Splits a row's `VERB /path` into the two. */
export function verbAndPath(endpoint: string): { httpMethod: HttpMethod; path: string } {
  const [verb, path] = endpoint.split(' ');
  if ((verb !== 'GET' && verb !== 'POST') || !path) throw new TypeError(`not an endpoint: ${endpoint}`);
  return { httpMethod: verb, path };
}

/** The upstream's own JSON, which the row does not describe. */
export const ANYTHING: ResultShape = { schema: Type.Unknown(), example: null };

/** Sends the input as it is. */
export const unchanged = (values: RequestValues): RequestValues => values;

/**
 * The success body: `ok provider surface method result`, on paid routes `ok provider cluster surface method priceUsd result`, the upstream's JSON text spliced in unchanged,
 * so that numbers beyond 2^53 and the upstream's own formatting survive. The gateway's own routes have no envelope.
 */
export function envelope(route: Route, json: string, priceUsd?: string): string {
  if (route.surface === 'system') return json;
  const { provider, cluster, surface, method } = route;
  const head = cluster
    ? { ok: true, provider, cluster, surface, method, priceUsd }
    : { ok: true, provider, surface, method };
  return `${JSON.stringify(head).slice(0, -1)},"result":${json}}`;
}

const ARTICLE = /^The /;

/** A positional parameter of a row: its name among the caller's, and its schema. */
export interface PositionalParameter {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: Readonly<Record<string, unknown>>;
}

/**
 * The parameters of a row whose body holds them by position, under the names that callers give them: what their descriptions call
 * them. Nothing for any other row.
 */
export function positionalParameters({ input }: Route): readonly PositionalParameter[] | undefined {
  const params = input.body?.properties.params as
    | { prefixItems?: readonly Readonly<Record<string, unknown>>[]; minItems?: number }
    | undefined;
  const minimum = params?.minItems ?? 0;
  return params?.prefixItems?.map((schema, at) => ({
    name: String(schema.description).replace(ARTICLE, '').replace('.', '').toLowerCase(),
    isRequired: at < minimum,
    schema,
  }));
}
