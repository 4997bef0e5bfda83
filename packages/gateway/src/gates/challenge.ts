import { HEADERS, type PaymentRequired, Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Arrival, Call, Challenge } from '../call.ts';
import { BAZAAR_EXTENSION, type Describe } from '../describe/discovery.ts';

/** The public origin of a request: scheme, host, port. Refuses foreign hosts. */
export type OriginOf = (arrival: Arrival) => string;

/** The configured origin; Host is ignored. */
export const fixedOrigin =
  (origin: string): OriginOf =>
  () =>
    origin;

/** For local use: the loopback name and port that the client dialled. */
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
/** The bytes in 4,096 characters of base64. */
const MAX_JSON_BYTES = 3072;
/** The extension's name with its punctuation. */
const BAZAAR_MEMBER_BYTES = `,"${BAZAAR_EXTENSION}":`.length;

/** The gate's part of a challenge. */
export interface Demand {
  readonly code: RefusalCode;
  readonly url: string;
  readonly accepts: PaymentRequired['accepts'];
  readonly extensions: PaymentRequired['extensions'];
}

/** The requested URL; if too long, cut to its path or the bare origin, which a signature for it still covers. */
export function challengedUrl({ path, query }: Call, origin: string): string {
  const full = query === undefined ? `${origin}${path}` : `${origin}${path}?${query}`;
  return [full, `${origin}${path}`].find((url) => url.length <= MAX_URL_LENGTH) ?? origin;
}

/** The challenge as a header and as members of the refusal's body, which already has the code. */
function written(required: PaymentRequired): Challenge {
  const { error: _, ...members } = required;
  return { headers: { [HEADERS.paymentRequired]: Buffer.from(JSON.stringify(required)).toString('base64') }, members };
}

/** The challenge of a 402: x402's PaymentRequired with the largest discovery extension that fits the header. */
export function challenge(call: Call, { code, url, accepts, extensions }: Demand, describe: Describe): Challenge {
  const { resource, discoveries } = describe(call.parameters);
  const bare = { x402Version: 2, error: code, resource: { url, ...resource }, accepts, extensions } as const;
  const room = MAX_JSON_BYTES - Buffer.byteLength(JSON.stringify(bare)) - BAZAAR_MEMBER_BYTES;
  const found = discoveries.find(({ bytes }) => bytes <= room);
  return written(found ? { ...bare, extensions: { ...extensions, [BAZAAR_EXTENSION]: found.discovery } } : bare);
}
