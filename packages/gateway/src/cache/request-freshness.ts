/** How new an answer a request asks for. */
export interface RequestFreshness {
  /** No older than that; nothing when the request leaves it to the gateway. */
  readonly maxAgeSeconds: number | undefined;
  /** Whatever is kept will not do. */
  readonly noCache: boolean;
}

/** Longer ones are read as far as this; nobody needs as much. */
const MAX_LENGTH = 256;
const SECONDS = /^[0-9]{1,9}$/;

const ANY_AGE: RequestFreshness = { maxAgeSeconds: undefined, noCache: false };

/** Reads a request's `Cache-Control` (RFC 9111, 5.2.1): `no-cache` and `max-age`. Others, and what is malformed, change nothing. */
export function requestFreshness(header: string | readonly string[] | undefined): RequestFreshness {
  if (header === undefined) return ANY_AGE;
  const directives = String(header)
    .slice(0, MAX_LENGTH)
    .split(',')
    .map((each) => each.trim().toLowerCase());
  const ages = directives
    .filter((each) => each.startsWith('max-age='))
    .map((each) => each.slice('max-age='.length))
    .filter((text) => SECONDS.test(text))
    .map(Number);
  const noCache = directives.includes('no-cache') || directives.includes('no-store') || ages.includes(0);
  return { maxAgeSeconds: ages.length > 0 ? Math.min(...ages) : undefined, noCache };
}
