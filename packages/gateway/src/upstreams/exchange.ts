import { type HttpMethod, Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { KeyedCall } from '../call.ts';
import { LIMITS } from '../limits.ts';
import { AnswerTooLarge, Pool, ResponseHandler } from '../pool.ts';
import { reasonIn } from './quotation.ts';
import { type Connection, type Ending, UpstreamRefusal } from './upstream.ts';

const MAX_PAUSE_SECONDS = 300;
/** Matches undici's errors for an answer that is not HTTP, or that exceeds HTTP's limits. */
const UNREADABLE = /HPE_|HTTPParserError|HeadersOverflowError|UND_ERR_RES_CONTENT_LENGTH_MISMATCH/;
/** The codes of undici and Node for a lost connection. */
const GONE = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
/** Matches undici's message if a proxy refuses a tunnel. */
const OF_PROXY = /^Proxy response \((\d{3})\)/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/**
 * Returns how many seconds to wait after an upstream's Retry-After (seconds or a date), within bounds. Without one, returns `usualSeconds`.
 */
export function pauseSeconds(retryAfter: unknown, nowMs: number, usualSeconds: number): number {
  const text = String(retryAfter ?? '');
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((date - nowMs) / 1000);
  return Number.isNaN(seconds) ? usualSeconds : Math.min(Math.max(seconds, 1), MAX_PAUSE_SECONDS);
}

/** The statuses that clients do not see. They concern the operator's account or this connection, or x402 uses them. */
const NOT_FOR_CLIENTS = [402, 407, 408, 429];

function refusalCodeFor(status: number, refusedKey: readonly number[] | undefined): RefusalCode {
  if (refusedKey?.includes(status)) return 'upstream_auth_failed';
  if (refusedKey && status >= 400 && status < 500 && !NOT_FOR_CLIENTS.includes(status)) return 'upstream_rejected';
  if (status > 200 && status < 300) return 'upstream_invalid_response';
  if (status === 400 || status === 404 || status === 422) return 'upstream_rejected';
  if (status === 401 || status === 403) return 'upstream_auth_failed';
  if (status === 429) return 'upstream_rate_limited';
  return status >= 300 && status < 400 ? 'upstream_redirect' : 'upstream_error';
}

/** Returns how a call with this status ended. An upstream that rejects the request or our key counts as up. */
function endingOf(status: number): Ending {
  if (status >= 400 && status < 500) return 'answered';
  return status >= 502 && status <= 504 ? 'down' : 'failed';
}

/** The options of an upstream on which refusals depend. */
export interface RefusalOptions {
  /** The texts that must not appear in an answer, in any spelling. */
  readonly secrets: readonly string[];
  /** The statuses by which an operator's API rejects its key. If set, its client errors pass with their status. */
  readonly refusedKey?: readonly number[] | undefined;
  /** The pause after a 429 without Retry-After, in seconds. */
  readonly usualPauseSeconds: number;
}

/** Returns the refusal for an upstream's rate limit, with its pause. */
export const rateLimited = (
  reason: string,
  { headers }: ResponseHandler,
  { usualPauseSeconds }: RefusalOptions,
): UpstreamRefusal =>
  new UpstreamRefusal('upstream_rate_limited', 'answered', {
    reason,
    retryAfterSeconds: pauseSeconds(headers['retry-after'], Date.now(), usualPauseSeconds),
  });

/** Returns the refusal for a status that is not a success. */
export async function refusalOfStatus(response: ResponseHandler, options: RefusalOptions): Promise<UpstreamRefusal> {
  const { statusCode } = response;
  const code = refusalCodeFor(statusCode, options.refusedKey);
  const ending = endingOf(statusCode);
  const hint = code === 'upstream_auth_failed' ? '; is its key right?' : '';
  const reason = `upstream status ${statusCode}${hint}`;
  if (code === 'upstream_rate_limited') return rateLimited(reason, response, options);
  if (code !== 'upstream_rejected') return new UpstreamRefusal(code, ending, { reason });
  const message = await reasonIn(response, options.secrets);
  return new UpstreamRefusal(code, ending, { reason, status: statusCode, ...(message && { message }) });
}

/** Returns the refusal for a call that failed on the way. */
function refusalOfFailure(error: unknown, { isLate, isStarted, isWritten }: ResponseHandler): UpstreamRefusal {
  // The request decides the size of the answer, so the upstream is not at fault.
  if (error instanceof AnswerTooLarge)
    return new UpstreamRefusal('upstream_invalid_response', 'answered', { reason: error.message });
  if (isLate) return new UpstreamRefusal('upstream_timeout', 'failed', { reason: 'deadline' });
  const { code = '', name = '', message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  const [, status] = OF_PROXY.exec(message) ?? [];
  const reason = status ? `the proxy answers ${status}` : `${name} ${code}`.trim();
  if (isStarted || UNREADABLE.test(reason))
    return new UpstreamRefusal('upstream_invalid_response', 'failed', { reason });
  const ending = isWritten ? 'failed' : 'unsent';
  return new UpstreamRefusal('upstream_unreachable', GONE.has(code) ? 'lost' : ending, { reason });
}

/** A request to an upstream. */
export interface UpstreamRequest {
  readonly method: HttpMethod;
  /** The encoded path and query. */
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
  /**
   * The time from the first byte written to the last byte read, in milliseconds. `free` limits each call, `paid` all calls of one request
   * together.
   */
  readonly deadlinesMs: { readonly free: number; readonly paid: number };
  readonly connections: number;
}

/** One exchange with an upstream: the request, and the function that reads its answer as JSON text. */
interface Exchange {
  readonly request: UpstreamRequest;
  readonly read: (response: ResponseHandler) => Promise<string>;
}

/**
 * Opens pooled HTTP connections to one upstream. They follow no redirects, forward no headers of the client, and give each call a deadline.
 */
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
      const deadlineMs = call.route.access === 'exact' ? paid - slot.usedMs : free;
      const handler = new ResponseHandler(deadlineMs, LIMITS.oneAnswerBytes);
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
