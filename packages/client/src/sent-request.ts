import type { HttpMethod } from '@asset-gateway/protocol/wire';

/** A request without its authorisation. */
export interface SentRequest {
  readonly url: string;
  readonly method: HttpMethod;
  /** JSON. */
  readonly body?: string | undefined;
}

/** Whether two requests are equal byte for byte. */
export const isSameRequest = (one: SentRequest | undefined, other: SentRequest): boolean =>
  one?.url === other.url && one.method === other.method && one.body === other.body;

/** Whether a path matches a route, whose parameters begin with a colon. */
export function fits(pattern: string, path: string): boolean {
  const [expected, segments] = [pattern.split('/'), path.split('/')];
  return (
    expected.length === segments.length && expected.every((each, at) => each.startsWith(':') || each === segments[at])
  );
}
