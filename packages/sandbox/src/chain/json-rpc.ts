import { isObject, type Json, writeJson } from './json.ts';

/** A JSON-RPC error. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: Json | undefined;

  constructor(code: number, message: string, data?: Json) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** -32602: invalid parameters. */
export const invalidParams = (message: string): RpcError => new RpcError(-32602, message);

/** -32601: unknown method. */
export const methodNotFound = (): RpcError => new RpcError(-32601, 'Method not found');

/** A JSON-RPC call. */
export interface RpcCall {
  readonly method: string;
  readonly params: Json;
}

/** Thrown to close the connection without an answer. */
export class ConnectionLost extends Error {}

/** The call of a request body; throws a refusal if there is none. */
function readCall(body: string): RpcCall {
  let value: Json;
  try {
    value = JSON.parse(body);
  } catch {
    throw new RpcError(-32700, 'Parse error');
  }
  const { method, params = [] } = isObject(value) ? value : {};
  if (typeof method !== 'string' || params === null || typeof params !== 'object') {
    throw new RpcError(-32600, 'Invalid request');
  }
  return { method, params };
}

/** The id of the call in a request body. */
export function idIn(body: string): Json {
  try {
    const value: Json = JSON.parse(body);
    return isObject(value) ? (value.id ?? null) : null;
  } catch {
    return null;
  }
}

/** An answer as JSON text, with its refusal if it is one. */
interface RpcAnswer {
  readonly text: string;
  readonly refusal: RpcError | undefined;
}

/** An error as JSON-RPC; errors other than refusals reveal no details. */
export function refuse(error: unknown, id: Json): RpcAnswer {
  const refusal = error instanceof RpcError ? error : new RpcError(-32603, 'Internal error');
  const { code, message, data } = refusal;
  return { text: writeJson({ jsonrpc: '2.0', error: { code, message, data }, id }), refusal };
}

/** The answer to the call in a request body, under its id. */
export async function respond(
  body: string,
  answer: (call: RpcCall) => Promise<Json>,
  id: Json = idIn(body),
): Promise<RpcAnswer> {
  try {
    const result = await answer(readCall(body));
    return { text: writeJson({ jsonrpc: '2.0', result, id }), refusal: undefined };
  } catch (error) {
    if (error instanceof ConnectionLost) throw error;
    return refuse(error, id);
  }
}
