import { type HttpMethod, Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { KeyedCall } from '../call.ts';
import { Pool } from '../pool.ts';
import { ResponseHandler, readJson } from './response.ts';
import { type Connection, type Ending, UpstreamRefusal } from './upstream.ts';

const MAX_PAUSE_SECONDS = 300;
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_MESSAGE_LENGTH = 200;
/** undici's errors for an answer that is not HTTP or exceeds HTTP's limits. */
const UNREADABLE = /HPE_|HTTPParserError|HeadersOverflowError|UND_ERR_RES_CONTENT_LENGTH_MISMATCH/;
/** undici's and Node's errors for a lost connection. */
const GONE = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
/** undici's words for a proxy that opens no tunnel. */
const OF_PROXY = /^Proxy response \((\d{3})\)/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const PRINTABLE = /^[\p{L}\p{N}\p{P}\p{S} ]+$/u;

/** The wait that an upstream's Retry-After (seconds or a date) asks for, within bounds; else the usual wait. */
export function pauseSeconds(retryAfter: unknown, nowMs: number, usualSeconds: number): number {
  const text = String(retryAfter ?? '');
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((date - nowMs) / 1000);
  return Number.isNaN(seconds) ? usualSeconds : Math.min(Math.max(seconds, 1), MAX_PAUSE_SECONDS);
}

function messageIn(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  const error: unknown = Reflect.get(value, 'error');
  if (typeof error === 'string') return error;
  const own = ['message', 'detail', 'title'].map((name) => Reflect.get(value, name));
  return messageIn(error) ?? own.find((each) => typeof each === 'string');
}

const ENTITY = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi;
const SIGNS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Whether a text has one of these secrets, as it is or as HTML escapes it. */
export function holdsAny(text: string, secrets: readonly string[], read = (spelled: string) => spelled): boolean {
  const sign = (entity: string, decimal?: string, hex?: string, name = '') => {
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal);
    return SIGNS[name.toLowerCase()] ?? (code <= MAX_ASCII ? String.fromCharCode(code) : entity);
  };
  const texts = [text, text.includes('&') ? text.replace(ENTITY, sign) : text].map(read);
  return secrets.some((secret) => texts.some((each) => each.includes(read(secret))));
}

const MAX_ASCII = 0x7f;

/** A message with an address tells how the upstream is built. */
const ADDRESS = /:\/\/|\d\.\d{1,3}\.\d{1,3}\.\d/;

/** An upstream's own words as a sentence of ours, if they are short, printable and without secrets. */
export function quotation(words: unknown, secrets: readonly string[]): string | undefined {
  if (typeof words !== 'string' || words.length > MAX_MESSAGE_LENGTH || !PRINTABLE.test(words)) return undefined;
  const isSecret = ADDRESS.test(words) || holdsAny(words, secrets, (spelled) => spelled.toLowerCase());
  return isSecret ? undefined : `The upstream says: ${words}`;
}

/** The upstream's reason in the body of its refusal, if it may be passed on. */
async function reasonIn(response: ResponseHandler, secrets: readonly string[]): Promise<string | undefined> {
  const body = await readJson(response, MAX_ERROR_BYTES).catch(() => undefined);
  return quotation(messageIn(body?.value), secrets);
}

/** Statuses that are about the operator's account or this connection, or that x402 uses: they do not pass. */
const KEPT = [402, 407, 408, 429];

function codeOf(status: number, refusedKey: readonly number[] | undefined): RefusalCode {
  if (refusedKey?.includes(status)) return 'upstream_auth_failed';
  if (refusedKey && status >= 400 && status < 500 && !KEPT.includes(status)) return 'upstream_rejected';
  if (status > 200 && status < 300) return 'upstream_invalid_response';
  if (status === 400 || status === 404 || status === 422) return 'upstream_rejected';
  if (status === 401 || status === 403) return 'upstream_auth_failed';
  if (status === 429) return 'upstream_rate_limited';
  return status >= 300 && status < 400 ? 'upstream_redirect' : 'upstream_error';
}

/** An upstream that rejects the request or our key is up. */
function endingOf(status: number): Ending {
  if (status >= 400 && status < 500) return 'answered';
  return status >= 502 && status <= 504 ? 'down' : 'failed';
}

/** Upstream options that refusals need. */
export interface RefusalOptions {
  /** Texts, in every spelling, that must not appear in an answer. */
  readonly secrets: readonly string[];
  /** Of an operator's API, whose client errors pass with their status: the statuses by which it refuses its key. */
  readonly refusedKey?: readonly number[] | undefined;
  /** The pause after a 429 without Retry-After. */
  readonly usualPauseSeconds: number;
}

/** The refusal for an upstream's rate limit, with its pause. */
export const rateLimited = (
  reason: string,
  { headers }: ResponseHandler,
  { usualPauseSeconds }: RefusalOptions,
): UpstreamRefusal =>
  new UpstreamRefusal('upstream_rate_limited', 'answered', {
    reason,
    retryAfterSeconds: pauseSeconds(headers['retry-after'], Date.now(), usualPauseSeconds),
  });

/** The refusal for a status other than 200. */
export async function refusalOfStatus(response: ResponseHandler, options: RefusalOptions): Promise<UpstreamRefusal> {
  const { statusCode } = response;
  const code = codeOf(statusCode, options.refusedKey);
  const ending = endingOf(statusCode);
  const hint = code === 'upstream_auth_failed' ? '; is its key right?' : '';
  const reason = `upstream status ${statusCode}${hint}`;
  if (code === 'upstream_rate_limited') return rateLimited(reason, response, options);
  if (code !== 'upstream_rejected') return new UpstreamRefusal(code, ending, { reason });
  const message = await reasonIn(response, options.secrets);
  return new UpstreamRefusal(code, ending, { reason, status: statusCode, ...(message && { message }) });
}

/** The refusal for a call that broke off. */
function refusalOfFailure(error: unknown, { isLate, isStarted, isWritten }: ResponseHandler): UpstreamRefusal {
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
  /** Path and query, encoded. */
  readonly path: string;
  readonly body: string | undefined;
  /** Headers of this request; they replace usual ones. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Connection settings of an HTTP upstream. */
export interface UpstreamOptions extends RefusalOptions {
  /** Origin, optional path prefix, and for some upstreams a query with the key. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  /** From the first byte written to the last byte read: of each call of a free row, of all calls of one request of a paid row. */
  readonly deadlinesMs: { readonly free: number; readonly paid: number };
  readonly connections: number;
}

/** One exchange with an upstream: what is written, and how its answer is read as JSON text. */
interface Exchange {
  readonly request: UpstreamRequest;
  readonly read: (response: ResponseHandler) => Promise<string>;
}

/** Pooled HTTP to one upstream: follows no redirects, forwards no client headers, one deadline per call. */
export function openPool(options: UpstreamOptions, exchangeOf: (call: KeyedCall) => Exchange): Connection {
  const { connections } = options;
  const { free, paid } = options.deadlinesMs;
  const common = { accept: 'application/json', 'accept-encoding': 'gzip, br', ...options.headers };
  // Only the deadline of the whole call applies.
  const times = { connectMs: Math.max(free, paid), headersTimeout: 0, bodyTimeout: 0 };
  const pool = new Pool(new URL(options.baseUrl).origin, { connections, pipelining: 1, ...times });
  return {
    /** Takes a slot, writes the request, reads the answer and releases the slot. Every failure becomes a refusal. */
    async answer(call) {
      const { request, read } = exchangeOf(call);
      const slot = await call.takeSlot();
      const { method, path, body } = request;
      const type = body === undefined ? {} : { 'content-type': 'application/json' };
      // Alternating names and values, as undici expects.
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
