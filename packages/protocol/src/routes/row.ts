import Type, { type TProperties, type TSchema } from 'typebox';
import type { Cluster } from '../networks.ts';
import { type HttpMethod, type RequestValues, type ResultShape, type Route, unchanged } from '../route.ts';

/** The parts of a row that most rows leave out. */
export interface RowOptions extends Partial<Pick<Route, 'rules' | 'codes' | 'example' | 'result' | 'maxAgeSeconds'>> {
  readonly path?: TProperties;
  readonly query?: TProperties;
  readonly body?: TProperties;
  readonly forward?: (values: RequestValues) => RequestValues;
  /** The path at the upstream, if each method has its own there. */
  readonly upstreamPath?: string;
}

/** The parts of a row; without a described result it answers any JSON. */
interface RowParts extends Omit<Route, keyof RowOptions | 'httpMethod' | 'input' | 'upstream'>, RowOptions {
  /** The verb and the path: `GET /v1/catalog`. */
  readonly endpoint: string;
}

const strictObject = (properties: TProperties) => Type.Object(properties, { additionalProperties: false });

/** An object in a body that is closed against unknown names. */
export const closed = (description: string, properties: TProperties) =>
  Type.Object(properties, { additionalProperties: false, description });

export function rowOf(parts: RowParts): Route {
  const { endpoint, path, query, body, upstreamPath = '', forward = unchanged, ...row } = parts;
  const [verb, ourPath] = endpoint.split(' ') as [HttpMethod, string];
  return {
    rules: [],
    codes: {},
    example: {},
    result: { schema: Type.Unknown(), example: null },
    ...row,
    httpMethod: verb,
    path: ourPath,
    input: {
      ...(path && { path: strictObject(path) }),
      ...(query && { query: strictObject(query) }),
      ...(body && { body: strictObject(body) }),
    },
    upstream: { path: upstreamPath, forward },
  };
}

/** One row behind the payment gate. */
export function paidRow(parts: Omit<RowParts, 'id' | 'access'>): Route {
  const { surface, cluster, provider, method } = parts;
  return rowOf({ ...parts, id: `${surface}.${cluster}.${provider}.${method}`, access: 'exact' });
}

/** A method of JSON-RPC. */
export interface RpcMethod extends Pick<RowOptions, 'rules'> {
  readonly description: string;
  /** Alchemy's compute units; undefined if Alchemy does not serve it. */
  readonly alchemy?: number;
  /** Helius' credits. */
  readonly helius: number;
  readonly params: TSchema;
  readonly example: unknown;
}

/** A surface of JSON-RPC: one row for each method, cluster and provider that serves it. */
export const rpcRows = <Name extends string>(
  surface: string,
  methods: Readonly<Record<Name, RpcMethod>>,
  results: Readonly<Record<Name, ResultShape>>,
  served: readonly (readonly [Cluster, 'alchemy' | 'helius'])[],
): Route[] =>
  served.flatMap(([cluster, provider]) =>
    Object.entries<RpcMethod>(methods).flatMap(([method, { params, example, alchemy, helius, ...row }]) => {
      const units = { alchemy, helius }[provider];
      if (units === undefined) return [];
      const endpoint = `POST /v1/x402/solana/${cluster}/${provider}/${surface}/${method}`;
      const place = { provider, surface, cluster, method, endpoint, units, result: results[method as Name] };
      return [paidRow({ ...row, ...place, body: { params }, example: { body: { params: example } } })];
    }),
  );
