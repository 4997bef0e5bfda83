import { type HttpMethod, Refusal } from '@asset-gateway/protocol';
import type { KeyedCall } from '../call.ts';
import { Pool } from '../pool.ts';
import { type RefusalOptions, refusalOfFailure } from './refusals.ts';
import { ResponseHandler } from './response.ts';
import type { Connection } from './upstream.ts';

/** A request to an upstream. */
export interface UpstreamRequest {
  readonly method: HttpMethod;
  /** Encoded path and query. */
  readonly path: string;
  readonly body: string | undefined;
  /** Headers of this request. They replace common headers of the same name. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Settings of an HTTP upstream. */
export interface UpstreamOptions extends RefusalOptions {
  /** The origin, an optional path prefix, and for some upstreams a query with the key. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Milliseconds from the first byte written to the last byte read. `free` applies to each call, `paid` to all calls of one request. */
  readonly deadlinesMs: { readonly free: number; readonly paid: number };
  readonly connections: number;
}

/** One exchange with an upstream: the request, and the function that reads its answer as JSON text. */
interface Exchange {
  readonly request: UpstreamRequest;
  readonly read: (response: ResponseHandler) => Promise<string>;
}

/** Pooled HTTP to one upstream. Follows no redirects, forwards no client headers, and sets one deadline per call. */
export function openHttp(options: UpstreamOptions, exchangeOf: (call: KeyedCall) => Exchange): Connection {
  const { connections } = options;
  const { free, paid } = options.deadlinesMs;
  const common = { accept: 'application/json', 'accept-encoding': 'gzip, br', ...options.headers };
  // undici's own time-outs are off, because the deadline covers the whole call.
  const times = { connectMs: Math.max(free, paid), headersTimeout: 0, bodyTimeout: 0 };
  const pool = new Pool(new URL(options.baseUrl).origin, { connections, pipelining: 1, ...times });
  return {
    /** Takes a slot, writes the request, reads the answer and releases the slot. Every failure becomes a refusal. */
    async answer(call) {
      const { request, read } = exchangeOf(call);
      const slot = await call.takeSlot();
      const { method, path, body } = request;
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      // undici expects alternating names and values.
      const headers = Object.entries({ ...common, ...type, ...request.headers, ...slot.headers }).flat();
      const handler = new ResponseHandler(call.route.access === 'exact' ? paid - slot.usedMs : free);
      try {
        pool.dispatch({ method, path, headers, body: body ?? null }, handler);
        const json = await read(await handler.head);
        return handler.statusCode === 200 ? { json } : { json, upstreamStatus: handler.statusCode };
      } catch (error) {
        if (error instanceof Refusal) throw error;
        throw refusalOfFailure(error, handler);
      } finally {
        handler.end();
        slot.release(handler.isStarted || !handler.isWritten);
      }
    },
    close: () => pool.destroy(),
  };
}
