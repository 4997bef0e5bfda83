import type { Json } from './json.ts';

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
