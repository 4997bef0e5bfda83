import type { RefusalCode } from '@asset-gateway/protocol';
import { reasonIn } from './quotation.ts';
import type { ResponseHandler } from './response.ts';
import { type Ending, UpstreamRefusal } from './upstream.ts';

const MAX_PAUSE_SECONDS = 300;
/** undici's errors for an answer that is not HTTP or exceeds HTTP's limits. */
const UNREADABLE = /HPE_|HTTPParserError|HeadersOverflowError|UND_ERR_RES_CONTENT_LENGTH_MISMATCH/;
/** undici's and Node's errors for a lost connection. */
const GONE = new Set(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
/** undici's message for a proxy that opens no tunnel. */
const OF_PROXY = /^Proxy response \((\d{3})\)/;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/;

/** Seconds to wait after an upstream's Retry-After (seconds or a date), within bounds; without one, the usual seconds. */
export function pauseSeconds(retryAfter: unknown, nowMs: number, usualSeconds: number): number {
  const text = String(retryAfter ?? '');
  const date = HTTP_DATE.test(text) ? Date.parse(text) : Number.NaN;
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((date - nowMs) / 1000);
  return Number.isNaN(seconds) ? usualSeconds : Math.min(Math.max(seconds, 1), MAX_PAUSE_SECONDS);
}

/** Statuses that clients do not see, because they concern the operator's account or this connection, or because x402 uses them. */
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

/** Options of an upstream that refusals depend on. */
export interface RefusalOptions {
  /** Texts that must not appear in an answer, in any spelling. */
  readonly secrets: readonly string[];
  /** The statuses by which an operator's API rejects its key. If set, its client errors pass with their status. */
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

/** The refusal for a status that is not a success. */
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

/** The refusal for a call that failed on the way. */
export function refusalOfFailure(error: unknown, { isLate, isStarted, isWritten }: ResponseHandler): UpstreamRefusal {
  if (isLate) return new UpstreamRefusal('upstream_timeout', 'failed', { reason: 'deadline' });
  const { code = '', name = '', message = '' } = (error ?? {}) as NodeJS.ErrnoException;
  const [, status] = OF_PROXY.exec(message) ?? [];
  const reason = status ? `the proxy answers ${status}` : `${name} ${code}`.trim();
  if (isStarted || UNREADABLE.test(reason))
    return new UpstreamRefusal('upstream_invalid_response', 'failed', { reason });
  const ending = isWritten ? 'failed' : 'unsent';
  return new UpstreamRefusal('upstream_unreachable', GONE.has(code) ? 'lost' : ending, { reason });
}
