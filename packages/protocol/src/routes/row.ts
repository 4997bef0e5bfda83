import Type, { type TProperties, type TSchema } from 'typebox';
import type { Cluster } from '../networks.ts';
import { type HttpMethod, type RequestValues, type ResultShape, type Route, unchanged } from '../route.ts';

/** Parts that most rows leave out. */
export interface RowOptions extends Partial<Pick<Route, 'rules' | 'codes' | 'example' | 'result' | 'maxAgeSeconds'>> {
  readonly path?: TProperties;
  readonly query?: TProperties;
  readonly body?: TProperties;
  readonly forward?: (values: RequestValues) => RequestValues;
  /** The upstream's path, if each method has its own. */
  readonly upstreamPath?: string;
}

/** The parts of a row. Without a described result, the row answers any JSON. */
interface RowParts extends Omit<Route, keyof RowOptions | 'httpMethod' | 'input' | 'upstream'>, RowOptions {
  /** HTTP method and path: `GET /v1/catalog`. */
  readonly endpoint: string;
}

const inputObject = (properties: TProperties) => Type.Object(properties, { additionalProperties: false });

/** Returns an object in a body, without unknown members. */
export const strictObject = (description: string, properties: TProperties) =>
  Type.Object(properties, { additionalProperties: false, description });

export function defineRow(parts: RowParts): Route {
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
      ...(path && { path: inputObject(path) }),
      ...(query && { query: inputObject(query) }),
      ...(body && { body: inputObject(body) }),
    },
    upstream: { path: upstreamPath, forward },
  };
}

/** One row behind the payment gate. */
export function paidRow(parts: Omit<RowParts, 'id' | 'access'>): Route {
  const { surface, cluster, provider, method } = parts;
  return defineRow({ ...parts, id: `${surface}.${cluster}.${provider}.${method}`, access: 'exact' });
}

/** A JSON-RPC method. */
export interface RpcMethod extends Pick<RowOptions, 'rules'> {
  readonly description: string;
  /** Its price in Alchemy's compute units; undefined if Alchemy does not serve the method. */
  readonly alchemy?: number;
  /** Its price in Helius' credits. */
  readonly helius: number;
  readonly params: TSchema;
  readonly example: unknown;
}

/** Returns a JSON-RPC surface: one row per method, cluster and provider that serves the method. */
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
      const identity = { provider, surface, cluster, method, endpoint, units, result: results[method as Name] };
      return [paidRow({ ...row, ...identity, body: { params }, example: { body: { params: example } } })];
    }),
  );
