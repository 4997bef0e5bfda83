import type { TObject, TSchema } from 'typebox';
import type { Cluster } from './networks.ts';

const ARTICLE = /^The /;

/** A positional parameter of a row. */
export interface PositionalParameter {
  /** Its description as a name, such as `account`. */
  readonly name: string;
  /** Whether every call needs it. */
  readonly isRequired: boolean;
  /** Its JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** The positional parameters of a row, named after their descriptions; undefined for other rows. */
export function positionalParameters({ input }: Pick<Route, 'input'>): readonly PositionalParameter[] | undefined {
  const params = input.body?.properties?.params as
    | { prefixItems?: readonly Readonly<Record<string, unknown>>[]; minItems?: number }
    | undefined;
  const minimum = params?.minItems ?? 0;
  return params?.prefixItems?.map((schema, at) => ({
    name: String(schema.description).replace(ARTICLE, '').replace('.', '').toLowerCase(),
    isRequired: at < minimum,
    schema,
  }));
}

/** Our own families of routes. */
export type Surface = 'system' | 'tokens' | 'rpc' | 'das' | 'wallet' | 'credit';

/** The gate of a route. */
export type Access = 'public' | 'siwx' | 'exact';

/** The verbs of rows; HEAD and OPTIONS follow from them. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Values by name. */
export type Values = Readonly<Record<string, unknown>>;

/** A request's values by place. */
export interface RequestValues {
  /** The parameters of the path. */
  readonly path: Values;
  /** The parameters of the query. */
  readonly query: Values;
  /** The members of the body. */
  readonly body: Values;
}

/** A rule over several parameters, which the schemas of single parameters cannot express. */
export interface Rule {
  /** What an `Issue` calls the rule. */
  readonly name: string;
  /** The rule as a sentence, which is also the message of an issue. */
  readonly description: string;
  /** The part of the request. */
  readonly in: 'path' | 'query' | 'body';
  /** The parameters that it reads. */
  readonly parameters: readonly string[];
  /** For a choice: exactly one (`isExclusive`) or at least one of these names is required. Not published. */
  readonly choice?: { readonly of: readonly string[]; readonly isExclusive: boolean };
  /** Whether valid values satisfy the rule. */
  readonly holds: (values: Values) => boolean;
}

/** The schema of a body. Operations of the operator's APIs may take another value than an object. */
export type BodySchema = TSchema & Partial<Pick<TObject, 'properties' | 'required'>>;

/** Schemas by place; a place without a schema takes no values. */
export interface InputSchemas {
  /** The parameters of the path. */
  readonly path?: TObject;
  /** The parameters of the query. */
  readonly query?: TObject;
  /** The body. */
  readonly body?: BodySchema;
}

/** The `result` of a success. */
export interface ResultShape {
  /** Its JSON Schema. */
  readonly schema: TSchema;
  /** A small valid answer with invented numbers. */
  readonly example: unknown;
  /** Default: JSON. */
  readonly mediaType?: string;
}

/** The default media type of answers. */
export const JSON_MEDIA_TYPE = 'application/json';

/** A row of the table: everything known about one endpoint. */
export interface Route {
  /** Unique in the table, such as `tokens.search`. */
  readonly id: string;
  /** `gateway`, one of our providers, or the name of an API of the operator. */
  readonly provider: string;
  /** One of our surfaces, or the name of an API of the operator. */
  readonly surface: string;
  /** The envelope's `method`. */
  readonly method: string;
  /** The verb. */
  readonly httpMethod: HttpMethod;
  /** The path, with `:name` for a parameter. */
  readonly path: string;
  /** What admits a client. */
  readonly access: Access;
  /** Paid rows: the cluster of the data and of the payment. */
  readonly cluster?: Cluster;
  /** Paid rows: the provider's units per call. */
  readonly units?: number;
  /** Paid rows with credit on: whether the row accepts credit or sells it. */
  readonly credit?: 'accepted' | 'sold';
  /** What the route answers, as a sentence. */
  readonly description: string;
  /** The schemas of the parameters. */
  readonly input: InputSchemas;
  /** Rules over several parameters. */
  readonly rules: readonly Rule[];
  /** Refusal codes of single parameters, instead of `invalid_request`. */
  readonly codes: Readonly<Record<string, 'invalid_provider_filter'>>;
  /** Valid values. */
  readonly example: Partial<RequestValues>;
  /** The shape of the result. */
  readonly result: ResultShape;
  /** Public documents: how long they may be cached. */
  readonly maxAgeSeconds?: number;
  /** How the upstream is called. */
  readonly upstream: {
    /** The upstream's path template, with `:name` for a segment or `{name}` in one. */
    readonly path: string;
    /** The values to send. */
    readonly forward: (values: RequestValues) => RequestValues;
    /** Lists of the query that the upstream reads from repeated parameters, not from one with commas. */
    readonly repeated?: readonly string[];
    /** Numbers and lists are sent as the client has written them. */
    readonly isVerbatim?: boolean;
    /** It may have an effect, so a payment or a signature asks for it once. */
    readonly isOnce?: boolean;
    /** An answer without a body is null. */
    readonly mayBeEmpty?: boolean;
    /** Parameters of the path whose values may have slashes. */
    readonly slashed?: readonly string[];
    /** Headers of the upstream request beside the usual ones. */
    readonly headers?: Readonly<Record<string, string>>;
  };
}

/** Sends the input unchanged. */
export const unchanged = (values: RequestValues): RequestValues => values;

/**
 * The success body: `ok provider surface method result`, on paid routes `ok provider cluster surface method priceUsd result`. The
 * upstream's JSON text is spliced in unchanged, so numbers beyond 2^53 survive. The gateway's own routes have no envelope.
 */
export function envelope(route: Route, json: string, priceUsd?: string): string {
  if (route.surface === 'system') return json;
  const { provider, cluster, surface, method } = route;
  const place = cluster ? `"cluster":"${cluster}",` : '';
  const price = cluster && priceUsd !== undefined ? `"priceUsd":"${priceUsd}",` : '';
  return `{"ok":true,"provider":"${provider}",${place}"surface":"${surface}","method":"${method}",${price}"result":${json}}`;
}
