import { HEADERS, type PaymentRequired, Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Arrival, Call, Challenge } from '../call.ts';
import { BAZAAR_EXTENSION, type Describe } from '../describe/discovery.ts';

/** The public origin that a request was made to: scheme, host, port. Refuses a request to any other. */
export type OriginOf = (arrival: Arrival) => string;

/** The configured origin, whatever Host says. */
export const fixedOrigin =
  (origin: string): OriginOf =>
  () =>
    origin;

/** For local use: the loopback name that the client dialled, on the port that it reached. */
export function localOrigins(listeningHost: string): OriginOf {
  const names = new Set([listeningHost.toLowerCase(), 'localhost', '127.0.0.1', '[::1]']);
  return ({ hosts, port }) => {
    const host = (hosts[0] ?? '').toLowerCase();
    const name = port === 80 ? host : host.slice(0, -`:${port}`.length);
    const dialled = port === 80 ? name : `${name}:${port}`;
    if (dialled !== host || !names.has(name)) throw new Refusal('bad_request', { reason: 'foreign Host' });
    return `http://${host}`;
  };
}

const MAX_URL_LENGTH = 256;
/** What 4,096 characters of base64 hold. */
const MAX_JSON_BYTES = 3072;
/** The name of the extension, and the signs around it. */
const BAZAAR_MEMBER_BYTES = `,"${BAZAAR_EXTENSION}":`.length;

/** What a gate asks for, beside what every challenge says. */
export interface Demand {
  readonly code: RefusalCode;
  readonly url: string;
  readonly accepts: PaymentRequired['accepts'];
  readonly extensions: PaymentRequired['extensions'];
}

/** The URL asked for; too long a one is cut to what a signature for it still covers: its path, or the bare origin. */
export function challengedUrl({ path, query }: Call, origin: string): string {
  const full = query === undefined ? `${origin}${path}` : `${origin}${path}?${query}`;
  return [full, `${origin}${path}`].find((url) => url.length <= MAX_URL_LENGTH) ?? origin;
}

/** The challenge's header, and its members in the body of a refusal, which has the code already. */
function written(required: PaymentRequired): Challenge {
  const { error: _, ...members } = required;
  return { headers: { [HEADERS.paymentRequired]: Buffer.from(JSON.stringify(required)).toString('base64') }, members };
}

/**
 * The challenge of a 402: x402's PaymentRequired, in a header and in the body, with as much of the discovery extension
 * as the header has room for.
 */
export function challenge(call: Call, { code, url, accepts, extensions }: Demand, describe: Describe): Challenge {
  const { resource, discoveries } = describe(call.parameters);
  const bare = { x402Version: 2, error: code, resource: { url, ...resource }, accepts, extensions } as const;
  const room = MAX_JSON_BYTES - Buffer.byteLength(JSON.stringify(bare)) - BAZAAR_MEMBER_BYTES;
  const found = discoveries.find(({ bytes }) => bytes <= room);
  return written(found ? { ...bare, extensions: { ...extensions, [BAZAAR_EXTENSION]: found.discovery } } : bare);
}
