import { dollars, SIWX_EXTENSION, siwxExtension } from '@asset-gateway/protocol';
import type { Call } from '../call.ts';
import { challengedUrl } from '../gates/challenge.ts';
import type { OriginOf } from '../gates/origin.ts';
import { carriesSignIn, type SignInParts } from '../gates/siwx/sign-ins.ts';

/** What signatures that spend are asked for and judged with, of one route. */
export interface SpendingParts {
  readonly signIn: SignInParts;
  readonly originOf: OriginOf;
  /** CAIP-2: credit of another network is none here. */
  readonly network: string;
  readonly priceMicros: number;
}

/** Debits are remembered on disk, so that their nonces outlive the process, unlike those of free routes. */
export const EPOCH = 'credit';
const LIFETIME_MS = 300_000;

/** A nonce that spends once. */
export const freshNonce = ({ nonces, now }: SignInParts, origin: string): string => nonces.issue(origin, EPOCH, now());

/** Whether the caller would rather spend credit: the preference of RFC 7240. */
function prefersCredit({ inbound }: Call): boolean {
  const { prefer } = inbound.headers;
  const lines = typeof prefer === 'string' ? [prefer] : (prefer ?? []);
  return lines.some((line) => line.split(',').some((each) => each.split(';', 1)[0]?.trim().toLowerCase() === 'credit'));
}

/** A signature that spends names the path, however long it is. */
function pathUrl(call: Call, origin: string): string {
  const url = challengedUrl(call, origin);
  return url === origin ? `${origin}${call.path}` : url;
}

/** What a challenge carries for those who spend by signature: only for who asks, as clients that see it never pay. */
export function spendingExtensions(parts: SpendingParts, call: Call): Readonly<Record<string, unknown>> {
  if (!prefersCredit(call) && !carriesSignIn(call)) return {};
  const { network, originOf, signIn, priceMicros } = parts;
  const origin = originOf(call.inbound);
  const nowMs = signIn.wallNow();
  const info = {
    domain: origin.slice(origin.indexOf('//') + 2),
    uri: pathUrl(call, origin),
    version: '1' as const,
    nonce: freshNonce(signIn, origin),
    issuedAt: new Date(nowMs).toISOString(),
    expirationTime: new Date(nowMs + LIFETIME_MS).toISOString(),
    statement: `Spend ${dollars(priceMicros)} USD of your credit on this call.`,
  };
  return { [SIWX_EXTENSION]: siwxExtension(info, network) };
}
