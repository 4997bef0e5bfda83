import { HEADERS, type PaymentRequired, type RefusalCode } from '@asset-gateway/protocol';
import type { Call, Challenge, Gate } from '../call.ts';
import { BAZAAR_EXTENSION, type Describe, MAX_CHALLENGE_BYTES } from '../describe/discovery.ts';

/** The gate of public routes, which admits every client. */
export const publicGate: Gate = {
  serve: async (_call, _facts, prepare) => ({ answer: await prepare()({}), receipt: { headers: {} } }),
  challenge: () => undefined,
};

/** The parts of a challenge that its gate decides. */
export interface ChallengeTerms extends Pick<PaymentRequired, 'accepts' | 'extensions'> {
  readonly code: RefusalCode;
  readonly url: string;
}

/**
 * Returns the challenge of a 402: x402's PaymentRequired of version 2, with the largest discovery extension that fits the header. Version 2
 * also answers a payment of version 1. The refusal's body repeats its members, besides the code that it has anyway.
 */
export function challenge(
  call: Call,
  { code, url, accepts, extensions }: ChallengeTerms,
  describe: Describe,
): Challenge {
  const { resource, discoveries } = describe(call.parameters);
  const bare = { x402Version: 2, error: code, resource: { url, ...resource }, accepts, extensions } as const;
  const withDiscovery = discoveries.map((each) => ({
    ...bare,
    extensions: { ...extensions, [BAZAAR_EXTENSION]: each },
  }));
  let json = '';
  const fits = (each: PaymentRequired): boolean => {
    json = JSON.stringify(each);
    return Buffer.byteLength(json) <= MAX_CHALLENGE_BYTES;
  };
  const { error: _, ...members }: PaymentRequired = [...withDiscovery, bare].find(fits) ?? bare;
  return { headers: { [HEADERS.paymentRequired]: Buffer.from(json).toString('base64') }, members };
}
