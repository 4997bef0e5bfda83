import { GatewayError } from '@asset-gateway/client';
import { isRedirect, readBytes, TooLarge } from '@asset-gateway/protocol';

/** The limits of one request. */
interface Limits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

/** Fetches JSON. `body` is undefined if the answer is not JSON. Throws `unreachable`, `timeout` or `answer_too_large`. */
export async function fetchJson(url: URL, init: RequestInit, { timeoutMs, maxBytes, signal }: Limits) {
  const time = AbortSignal.timeout(timeoutMs);
  const ends = signal ? AbortSignal.any([time, signal]) : time;
  try {
    const response = await fetch(url, { ...init, redirect: 'manual', signal: ends });
    if (isRedirect(response) && response.status !== 304) {
      const message = `${url.origin} redirects; set ASSET_GATEWAY_URL to the redirect's target`;
      throw new GatewayError('unreachable', { message });
    }
    const bytes = await readBytes(response.body, maxBytes);
    const body: unknown = await new Response(bytes).json().catch(() => undefined);
    return { response, body };
  } catch (cause) {
    signal?.throwIfAborted();
    const { host, pathname } = url;
    if (cause instanceof TooLarge) {
      const message = `${host} answers ${pathname} with more than ${maxBytes} bytes`;
      throw new GatewayError('answer_too_large', { message });
    }
    if (cause instanceof GatewayError) throw cause;
    if (!time.aborted) throw new GatewayError('unreachable', { message: `${host} broke off its answer`, cause });
    const message = `${host} did not answer ${pathname} within ${timeoutMs / 1000} seconds`;
    throw new GatewayError('timeout', { message });
  }
}
