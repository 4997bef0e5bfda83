import { type RefusalCode, SIWX_EXTENSION, type SiwxInfo, siwxExtension } from '@asset-gateway/protocol';
import type { Call, Challenge } from '../../call.ts';
import type { Describe } from '../../describe/discovery.ts';
import { challenge, challengedUrl } from '../challenge.ts';

const LIFETIME_MS = 300_000;
const STATEMENT = 'Sign in with your wallet. This is free and moves no money.';

/** What a challenge is made from. */
export interface ChallengeParts {
  readonly call: Call;
  readonly origin: string;
  readonly nonce: string;
  readonly nowMs: number;
  readonly code: RefusalCode;
  readonly describe: Describe;
  /** Off: the text to sign names the bare origin, so that one signature opens every route until it expires. */
  readonly singleUse: boolean;
}

/** The challenge of a free route: nothing to pay, and a text to sign. */
export function signInChallenge(parts: ChallengeParts): Challenge {
  const { call, origin, nonce, nowMs, code, describe, singleUse } = parts;
  const url = challengedUrl(call, origin);
  const info: SiwxInfo = {
    domain: origin.slice(origin.indexOf('//') + 2),
    uri: singleUse ? url : origin,
    version: '1',
    nonce,
    issuedAt: new Date(nowMs).toISOString(),
    expirationTime: new Date(nowMs + LIFETIME_MS).toISOString(),
    statement: STATEMENT,
  };
  const extensions = { [SIWX_EXTENSION]: siwxExtension(info) };
  const { headers, members } = challenge(call, { code, url, accepts: [], extensions }, describe);
  return { headers: { ...headers, 'WWW-Authenticate': `SIWX realm="${origin}", error="${code}"` }, members };
}
