/** A request as it goes out, without what authorises it. */
export interface SentRequest {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  /** JSON. */
  readonly body?: string | undefined;
}

/** Whether two requests are the same one, byte for byte. */
export const isSameRequest = (one: SentRequest | undefined, other: SentRequest): boolean =>
  one?.url === other.url && one.method === other.method && one.body === other.body;

/** Whether a path is one of a route's, whose parameters begin with a colon. */
export function fits(pattern: string, path: string): boolean {
  const [expected, segments] = [pattern.split('/'), path.split('/')];
  return (
    expected.length === segments.length && expected.every((each, at) => each.startsWith(':') || each === segments[at])
  );
}
