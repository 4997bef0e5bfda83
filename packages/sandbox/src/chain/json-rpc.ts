import { isObject, type Json, readJson, writeJson } from './json.ts';

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

/** -32600: invalid request. */
export const invalidRequest = (message = 'Invalid request'): RpcError => new RpcError(-32600, message);

/** A JSON-RPC call; its id is echoed unchanged. */
export interface RpcCall {
  readonly id: Json;
  readonly method: string;
  readonly params: Json;
}

/** Answers a call; throws a refusal. */
type AnswerCall = (call: RpcCall) => Promise<Json>;

/** Thrown to close the connection without an answer. */
export class ConnectionLost extends Error {}

/** The calls of a request body: one, or a batch. Throws a refusal if there is none. */
export function readCalls(body: string): { readonly isBatch: boolean; readonly values: readonly Json[] } {
  let value: Json;
  try {
    value = readJson(body);
  } catch {
    throw new RpcError(-32700, 'Parse error');
  }
  const isBatch = Array.isArray(value);
  const values: readonly Json[] = Array.isArray(value) ? value : [value];
  if (values.length === 0) throw invalidRequest();
  return { isBatch, values };
}

/** Reads one call; throws a refusal if it is invalid. */
function readCall(value: Json): RpcCall {
  if (!isObject(value) || value.jsonrpc !== '2.0' || typeof value.method !== 'string') throw invalidRequest();
  const { id = null, method, params = [] } = value;
  if (params === null || typeof params !== 'object' || (id !== null && typeof id === 'object')) throw invalidRequest();
  return { id, method, params };
}

const idOf = (value: Json): Json => {
  const id = isObject(value) ? (value.id ?? null) : null;
  return typeof id === 'object' ? null : id;
};

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

/** The answer to one call. */
export async function respond(value: Json, answer: AnswerCall): Promise<RpcAnswer> {
  try {
    const call = readCall(value);
    const result = await answer(call);
    return { text: writeJson({ jsonrpc: '2.0', result, id: call.id }), refusal: undefined };
  } catch (error) {
    if (error instanceof ConnectionLost) throw error;
    return refuse(error, idOf(value));
  }
}

/** The answer to a request body or a batch; a batch itself is never a refusal. */
export async function respondToBody(body: string, answer: AnswerCall): Promise<RpcAnswer> {
  let calls: ReturnType<typeof readCalls>;
  try {
    calls = readCalls(body);
  } catch (error) {
    return refuse(error, null);
  }
  const answers = await Promise.all(calls.values.map((value) => respond(value, answer)));
  const [only] = answers;
  return calls.isBatch || !only ? { text: `[${answers.map(({ text }) => text).join(',')}]`, refusal: undefined } : only;
}
