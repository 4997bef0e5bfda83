import type { Lifetime } from './lifetimes.ts';

/** How an answer came to be that is not from the cache (RFC 9211). */
export interface Fetched {
  readonly forwarded: 'miss' | 'stale';
  /** Another request's call answered this one too. */
  readonly isCollapsed: boolean;
}

/** What an answer that is kept says of itself; a hit unless it was fetched for this request. */
export function cacheHeaders(
  ageSeconds: number,
  { freshSeconds }: Pick<Lifetime, 'freshSeconds'>,
  fetched: Fetched | undefined,
  tag: string,
): Readonly<Record<string, string>> {
  const timeToLive = Math.floor(freshSeconds - ageSeconds);
  const status = fetched
    ? `fwd=${fetched.forwarded}; stored${fetched.isCollapsed ? '; collapsed' : ''}`
    : `hit; ttl=${timeToLive}`;
  return {
    Age: String(Math.floor(ageSeconds)),
    'Cache-Control': `private, max-age=${Math.max(0, timeToLive)}`,
    'Cache-Status': `asset-gateway; ${status}`,
    ETag: tag,
  };
}
