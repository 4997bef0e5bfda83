import type { RefusalCode } from '@asset-gateway/protocol';
import { readJson } from './body.ts';
import type { UpstreamResponse } from './response-handler.ts';
import { UpstreamRefusal } from './upstream-refusal.ts';

const MAX_PAUSE_SECONDS = 300;
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_MESSAGE_LENGTH = 200;
/** undici's and its parser's names for an answer that is not HTTP, or not within HTTP's limits. */
const UNREADABLE = /HPE_|HTTPParserError|HeadersOverflowError|UND_ERR_RES_CONTENT_LENGTH_MISMATCH/;
/** undici's and Node's names for a connection that is gone. */
const GONE = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;
const PRINTABLE = /^[\p{L}\p{N}\p{P}\p{S} ]+$/u;

/** How long an upstream's Retry-After asks to wait: seconds or a date, within sensible bounds; else as long as usual. */
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
  return messageIn(error) ?? Reflect.get(value, 'message');
}

/** An upstream's own short message, when it is safe to pass on. */
async function quotable(response: UpstreamResponse, secrets: readonly string[]): Promise<string | undefined> {
  try {
    const message = messageIn((await readJson(response, MAX_ERROR_BYTES)).value);
    if (typeof message !== 'string' || message.length > MAX_MESSAGE_LENGTH || !PRINTABLE.test(message))
      return undefined;
    return secrets.some((secret) => message.toLowerCase().includes(secret.toLowerCase())) ? undefined : message;
  } catch {
    return undefined;
  }
}

function codeOf(status: number): RefusalCode {
  if (status > 200 && status < 300) return 'upstream_invalid_response';
  if (status === 400 || status === 404 || status === 422) return 'upstream_rejected';
  if (status === 401 || status === 403) return 'upstream_auth_failed';
  if (status === 429) return 'upstream_rate_limited';
  return status >= 300 && status < 400 ? 'upstream_redirect' : 'upstream_error';
}

/** What of an upstream's options decides how its refusals are passed on. */
export interface RefusalOptions {
  /** In every spelling: what must never stand in an answer. */
  readonly secrets: readonly string[];
  /** For how long it is left alone after a 429 that does not say. */
  readonly usualPauseSeconds: number;
}

/** That the upstream wants to be left alone, and for how long. */
export const rateLimited = (
  reason: string,
  { headers }: UpstreamResponse,
  { usualPauseSeconds }: RefusalOptions,
): UpstreamRefusal =>
  new UpstreamRefusal('upstream_rate_limited', 'answered', {
    reason,
    retryAfterSeconds: pauseSeconds(headers['retry-after'], Date.now(), usualPauseSeconds),
  });

/** What a status other than 200 means to the caller. */
export async function refusalOfStatus(response: UpstreamResponse, options: RefusalOptions): Promise<UpstreamRefusal> {
  const { statusCode } = response;
  const code = codeOf(statusCode);
  // An upstream that blames the request, or our key, is there.
  const ending = statusCode >= 400 && statusCode < 500 ? 'answered' : 'failed';
  const hint = code === 'upstream_auth_failed' ? '; is its key right?' : '';
  const reason = `upstream status ${statusCode}${hint}`;
  if (code === 'upstream_rate_limited') return rateLimited(reason, response, options);
  if (code !== 'upstream_rejected') return new UpstreamRefusal(code, ending, { reason });
  const message = await quotable(response, options.secrets);
  return new UpstreamRefusal(code, ending, {
    reason,
    status: statusCode,
    ...(message && { message: `The upstream says: ${message}` }),
  });
}

/** What a call that broke off means to the caller, by whether its answer had started. */
export function refusalOfFailure(error: unknown, deadlinePassed: boolean, started: boolean): UpstreamRefusal {
  if (deadlinePassed) return new UpstreamRefusal('upstream_timeout', 'failed', { reason: 'deadline' });
  const { code = '', name = '' } = (error ?? {}) as NodeJS.ErrnoException;
  const reason = `${name} ${code}`.trim();
  if (started || UNREADABLE.test(reason)) return new UpstreamRefusal('upstream_invalid_response', 'failed', { reason });
  return new UpstreamRefusal('upstream_unreachable', GONE.has(code) ? 'lost' : 'failed', { reason });
}
