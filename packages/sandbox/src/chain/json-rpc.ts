import { attempt, isObject, losslessJson, member } from '@asset-gateway/protocol';

/** A JSON-RPC error. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Returns the error -32602: invalid parameters. */
export const invalidParams = (message: string): RpcError => new RpcError(-32602, message);

/** Returns the error -32601: unknown method. */
export const methodNotFound = (): RpcError => new RpcError(-32601, 'Method not found');

/** A JSON-RPC call. */
export interface RpcCall {
  readonly method: string;
  readonly params: unknown;
}

/** Parses a request body; undefined if it is not JSON. */
const parsed = (body: string): unknown => attempt(() => JSON.parse(body), undefined);

/** Returns the call in a request body. Throws a refusal if there is none. */
function readCall(body: string): RpcCall {
  const value = parsed(body);
  if (value === undefined) throw new RpcError(-32700, 'Parse error');
  const { method, params = [] } = isObject(value) ? value : {};
  if (typeof method === 'string' && typeof params === 'object' && params !== null) return { method, params };
  throw new RpcError(-32600, 'Invalid request');
}

/** Returns the id of the call in a request body. */
export const idIn = (body: string): unknown => member(parsed(body), 'id') ?? null;

/** An answer as JSON text, with its refusal if any. */
interface RpcAnswer {
  readonly text: string;
  readonly refusal?: RpcError;
}

/** Returns an error as JSON-RPC. Only refusals reveal details. */
export function refuse(error: unknown, id: unknown): RpcAnswer {
  const refusal = error instanceof RpcError ? error : new RpcError(-32603, 'Internal error');
  const { code, message, data } = refusal;
  return { text: losslessJson({ jsonrpc: '2.0', error: { code, message, data }, id }), refusal };
}

/** Returns the answer to the call in a request body, under its id. */
export async function respond(
  body: string,
  answer: (call: RpcCall) => Promise<unknown>,
  id = idIn(body),
): Promise<RpcAnswer> {
  try {
    return { text: losslessJson({ jsonrpc: '2.0', result: await answer(readCall(body)), id }) };
  } catch (error) {
    return refuse(error, id);
  }
}
