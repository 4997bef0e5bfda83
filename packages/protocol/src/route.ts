import type { TObject, TSchema } from 'typebox';
import { oneLine } from './foreign.ts';
import { objectAt } from './json.ts';
import type { Cluster } from './networks.ts';
import type { Issue } from './refusal.ts';

const ARTICLE = /^The /;

/** A row's positional parameter. */
export interface PositionalParameter {
  /** The description as a name, such as `account`. */
  readonly name: string;
  /** Whether every call needs it. */
  readonly isRequired: boolean;
  /** Its JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>;
}

const MAX_NAME = 64;

/**
 * Returns a row's positional parameters, named after their descriptions; undefined for other rows. A listed route's schema may be anything.
 */
export function positionalParameters({ input }: Pick<Route, 'input'>): readonly PositionalParameter[] | undefined {
  const { prefixItems, minItems } = objectAt(input.body, 'properties', 'params');
  if (!Array.isArray(prefixItems)) return undefined;
  return prefixItems
    .map((each) => objectAt(each))
    .map((schema, at) => ({
      name: oneLine(schema.description, MAX_NAME).replace(ARTICLE, '').replace('.', '').toLowerCase(),
      isRequired: at < Number(minItems ?? 0),
      schema,
    }));
}

/**
 * Names positional arguments in the messages of issues, because clients may give them by name.
 * @param row a row, or a listed route
 * @param issues the violations of one request
 */
export function withArgumentNames(row: Pick<Route, 'input' | 'surface'>, issues: readonly Issue[]): readonly Issue[] {
  const names = row.surface === 'rpc' ? positionalParameters(row)?.map(({ name }) => name) : undefined;
  return issues.map((issue) => {
    const name = names?.find((_, at) => issue.name === `params[${at}]`);
    return name ? { ...issue, message: issue.message.replace('Must', () => `The argument ${name} must`) } : issue;
  });
}

/** Our own families of routes. */
export type Surface = 'system' | 'tokens' | 'rpc' | 'das' | 'wallet' | 'credit';

/** The gate of a route. */
export type Access = 'public' | 'siwx' | 'exact';

/** The HTTP methods of rows. HEAD and OPTIONS follow from them. */
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
  /** The name of the rule in an `Issue`. */
  readonly name: string;
  /** The rule as a sentence. It is also the message of an issue. */
  readonly description: string;
  /** The part of the request. */
  readonly in: 'path' | 'query' | 'body';
  /** The parameters that the rule reads. */
  readonly parameters: readonly string[];
  /** For a choice: exactly one (`isExclusive`) or at least one of these names is required. Not published. */
  readonly choice?: { readonly of: readonly string[]; readonly isExclusive: boolean };
  /** Whether valid values satisfy the rule. */
  readonly holds: (values: Values) => boolean;
}

/** A body's schema. Operations of an operator's API may accept values other than objects. */
export type BodySchema = TSchema & Partial<Pick<TObject, 'properties' | 'required'>>;

/** Schemas by place. A place without a schema accepts no values. */
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
  /** `gateway`, one of our providers, or the name of an operator's API. */
  readonly provider: string;
  /** One of our surfaces, or the name of an operator's API. */
  readonly surface: string;
  /** The envelope's `method`. */
  readonly method: string;
  /** The HTTP method. */
  readonly httpMethod: HttpMethod;
  /** The path, with `:name` for a parameter. */
  readonly path: string;
  /** How a client is admitted. */
  readonly access: Access;
  /** For paid rows: the cluster of data and payment. */
  readonly cluster?: Cluster;
  /** For paid rows: the provider's units per call. */
  readonly units?: number;
  /** For paid rows, if credit is on: whether the row accepts or sells credit. */
  readonly credit?: 'accepted' | 'sold';
  /** A sentence about the route's answer. */
  readonly description: string;
  /** The schemas of the parameters. */
  readonly input: InputSchemas;
  /** Rules over several parameters. */
  readonly rules: readonly Rule[];
  /** Refusal codes of single parameters, in place of `invalid_request`. */
  readonly codes: Readonly<Record<string, 'invalid_provider_filter'>>;
  /** Valid example values. */
  readonly example: Partial<RequestValues>;
  /** The shape of the result. */
  readonly result: ResultShape;
  /** For public documents: how long clients may cache them. */
  readonly maxAgeSeconds?: number;
  /** How to call the upstream. */
  readonly upstream: {
    /** The upstream's path template. It has `:name` for a segment, or `{name}` in a segment. */
    readonly path: string;
    /** The values to send. */
    readonly forward: (values: RequestValues) => RequestValues;
    /** Query lists that the upstream reads from repeated parameters. Others are sent with commas. */
    readonly repeated?: readonly string[];
    /** Whether numbers and lists are sent as the client wrote them. */
    readonly isVerbatim?: boolean;
    /** Whether a call may have an effect, so that it is made once per payment or signature. */
    readonly mayHaveEffect?: boolean;
    /** Whether an answer without a body counts as null. */
    readonly mayBeEmpty?: boolean;
    /** Path parameters whose values may have slashes. */
    readonly slashed?: readonly string[];
    /** Additional headers of the upstream request. */
    readonly headers?: Readonly<Record<string, string>>;
  };
}

/** Sends the input unchanged. */
export const unchanged = (values: RequestValues): RequestValues => values;

/**
 * Returns the body of a success: `ok provider surface method result`, on paid routes `ok provider cluster surface method priceUsd result`.
 * It contains the upstream's JSON text unchanged, so numbers beyond 2^53 survive. The gateway's own routes have no envelope.
 */
export function envelope(route: Route, json: string, priceUsd?: string): string {
  if (route.surface === 'system') return json;
  const { provider, cluster, surface, method } = route;
  const place = cluster ? `"cluster":"${cluster}",` : '';
  const price = cluster && priceUsd !== undefined ? `"priceUsd":"${priceUsd}",` : '';
  return `{"ok":true,"provider":"${provider}",${place}"surface":"${surface}","method":"${method}",${price}"result":${json}}`;
}
