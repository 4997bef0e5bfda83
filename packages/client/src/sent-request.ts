import type { HttpMethod } from '@asset-gateway/protocol/wire';

/** A request without the headers that sign or pay for it. */
export interface SentRequest {
  /** The whole URL, with its query. */
  readonly url: string;
  /** The HTTP method. */
  readonly method: HttpMethod;
  /** The body as JSON text; undefined without a body. */
  readonly body?: string | undefined;
}

/**
 * Tells whether two requests are equal byte for byte, so that a payment for the one buys the other.
 * @param one a request; undefined equals none
 * @param other another request
 */
export const isSameRequest = (one: SentRequest | undefined, other: SentRequest): boolean =>
  one?.url === other.url && one.method === other.method && one.body === other.body;

/** Whether a path matches a route. The route's parameters begin with a colon. */
export function fits(pattern: string, path: string): boolean {
  const [expected, segments] = [pattern.split('/'), path.split('/')];
  return (
    expected.length === segments.length && expected.every((each, at) => each.startsWith(':') || each === segments[at])
  );
}
