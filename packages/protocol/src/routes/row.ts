import Type, { type TProperties } from 'typebox';
import { type HttpMethod, type RequestValues, type Route, unchanged } from '../route.ts';

/** The parts of a row that most rows leave out. */
export interface RowOptions extends Partial<Pick<Route, 'rules' | 'codes' | 'example' | 'result' | 'maxAgeSeconds'>> {
  readonly path?: TProperties;
  readonly query?: TProperties;
  readonly body?: TProperties;
  readonly forward?: (values: RequestValues) => RequestValues;
}

/** The parts that each row has of its own. */
type RowFields = Omit<Route, keyof RowOptions | 'input' | 'upstream'> & Pick<Route, 'path'>;

const strictObject = (properties: TProperties) => Type.Object(properties, { additionalProperties: false });

/** An object in a body that is closed against unknown names. */
export const closed = (description: string, properties: TProperties) =>
  Type.Object(properties, { additionalProperties: false, description });

/** Splits a row's `VERB /path` into the two. */
export function verbAndPath(endpoint: string): { httpMethod: HttpMethod; path: string } {
  const [verb, path] = endpoint.split(' ');
  if ((verb !== 'GET' && verb !== 'POST') || !path) throw new TypeError(`not an endpoint: ${endpoint}`);
  return { httpMethod: verb, path };
}

/** A row; without a described result it answers any JSON. `upstreamPath`: if each method has its own there. */
export function rowOf(fields: RowFields, options: RowOptions, upstreamPath = ''): Route {
  const { path, query, body, forward = unchanged, ...rest } = options;
  return {
    rules: [],
    codes: {},
    example: {},
    result: { schema: Type.Unknown(), example: null },
    ...rest,
    ...fields,
    input: {
      ...(path && { path: strictObject(path) }),
      ...(query && { query: strictObject(query) }),
      ...(body && { body: strictObject(body) }),
    },
    upstream: { path: upstreamPath, forward },
  };
}

/** A row behind the payment gate. */
interface PaidFields extends Omit<RowFields, 'id' | 'access' | 'httpMethod' | 'path'> {
  readonly endpoint: string;
  readonly upstreamPath?: string;
}

/** One row behind the payment gate. */
export function paidRow({ endpoint, upstreamPath, ...row }: PaidFields, options: RowOptions): Route {
  const { surface, cluster, provider, method } = row;
  const id = `${surface}.${cluster}.${provider}.${method}`;
  return rowOf({ ...row, id, access: 'exact', ...verbAndPath(endpoint) }, options, upstreamPath);
}
