import {
  HEADERS,
  type PaymentRequired,
  type RefusalCode,
  SIWX_EXTENSION,
  type SiwxInfo,
  siwxExtension,
} from '@asset-gateway/protocol';
import type { Call, Challenge } from '../../call.ts';

const MAX_URL_LENGTH = 256;
const LIFETIME_MS = 300_000;
const STATEMENT = 'Sign in with your wallet. This is free and moves no money.';

/** What a challenge is made from. */
export interface ChallengeParts {
  readonly call: Call;
  readonly origin: string;
  readonly nonce: string;
  readonly nowMs: number;
  readonly code: RefusalCode;
}

/** The URL asked for; too long a one is cut to what a signature for it still covers: its path, or the bare origin. */
function signedUrl({ path, query }: Call, origin: string): string {
  const full = query === undefined ? `${origin}${path}` : `${origin}${path}?${query}`;
  return [full, `${origin}${path}`].find((url) => url.length <= MAX_URL_LENGTH) ?? origin;
}

/** The challenge of a 402: x402's PaymentRequired with nothing to pay, in a header and in the body. */
export function signInChallenge({ call, origin, nonce, nowMs, code }: ChallengeParts): Challenge {
  const url = signedUrl(call, origin);
  const info: SiwxInfo = {
    domain: origin.slice(origin.indexOf('//') + 2),
    uri: url,
    version: '1',
    nonce,
    issuedAt: new Date(nowMs).toISOString(),
    expirationTime: new Date(nowMs + LIFETIME_MS).toISOString(),
    statement: STATEMENT,
  };
  const required: PaymentRequired = {
    x402Version: 2,
    error: code,
    resource: { url, description: call.route.description, mimeType: 'application/json' },
    accepts: [],
    extensions: { [SIWX_EXTENSION]: siwxExtension(info) },
  };
  const { error: _, ...members } = required;
  return {
    headers: {
      [HEADERS.paymentRequired]: Buffer.from(JSON.stringify(required)).toString('base64'),
      'WWW-Authenticate': `SIWX realm="${origin}", error="${code}"`,
    },
    members,
  };
}
