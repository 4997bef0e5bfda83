import { HEADERS, type PaymentRequired, type RefusalCode } from '@asset-gateway/protocol';
import type { Call, Challenge } from '../../call.ts';
import type { Requirement } from './terms.ts';

const MAX_URL_LENGTH = 256;

/** The challenge of a paid route: x402's PaymentRequired with one requirement, in a header and in the body. */
export function paymentChallenge(call: Call, origin: string, code: RefusalCode, requirement: Requirement): Challenge {
  const path = `${origin}${call.path}`;
  const full = call.query === undefined ? path : `${path}?${call.query}`;
  const url = [full, path].find((candidate) => candidate.length <= MAX_URL_LENGTH) ?? origin;
  const members: Omit<PaymentRequired, 'error'> = {
    x402Version: 2,
    resource: { url, description: call.route.description, mimeType: 'application/json' },
    accepts: [requirement],
    extensions: {},
  };
  const required: PaymentRequired = { ...members, error: code };
  return {
    headers: { [HEADERS.paymentRequired]: Buffer.from(JSON.stringify(required)).toString('base64') },
    members,
  };
}
