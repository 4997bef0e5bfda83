import type { Signer, SignInChallenge } from '@asset-gateway/client';
import { newSigner } from '@asset-gateway/client/node';
import { type SiwxMessage, siwxMessageText } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { standIn } from '../kit/stand-in.ts';

export const HEALTH = '/v1/x402/tokens/health';
export const SEARCH = '/v1/x402/tokens/assets/search?q=sol';

/** Fields to sign; an undefined one is left out. */
export type Changes = Readonly<Record<string, unknown>>;

/** Drops undefined fields. */
export const compact = (fields: Changes): Changes =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** A payload with changed fields, signed by a wallet. */
export async function signedPayload(
  { info, supportedChains }: SignInChallenge,
  changes: Changes = {},
  signer: Signer = newSigner(),
): Promise<Record<string, unknown>> {
  const chain = supportedChains[0];
  const message = compact({ ...info, address: signer.address, ...chain, ...changes });
  const bytes = new TextEncoder().encode(siwxMessageText(standIn<SiwxMessage>(message)));
  return { signature: bs58.encode(await signer.signMessage(bytes)), ...message };
}
