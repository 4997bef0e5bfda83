import { SIWX_EXTENSION, type SiwxInfo, type SiwxMessage, siwxMessageText } from '@asset-gateway/protocol';
import { base58 } from './base58.ts';
import { GatewayError } from './error.ts';
import type { Signer } from './signer.ts';

/** The sign-in part of a challenge. */
export interface SignInChallenge {
  readonly info: SiwxInfo;
  readonly supportedChains: readonly { readonly chainId: string; readonly type: string }[];
}

const utf8 = new TextEncoder();

/** The sign-in challenge in the body of a 402; nothing when the 402 asks for something else. */
export function challengeIn(body: unknown): SignInChallenge | undefined {
  const extensions = (body as { extensions?: Record<string, unknown> } | null)?.extensions;
  return extensions?.[SIWX_EXTENSION] as SignInChallenge | undefined;
}

const rejected = (message: string): GatewayError => new GatewayError('challenge_rejected', { message });

/** Refuses to sign for anybody but the origin that was asked: a signature for another one could be carried there. */
function assertBoundTo({ domain, uri }: SiwxInfo, url: URL): void {
  if (domain !== url.host || new URL(uri).origin !== url.origin) {
    throw rejected(`the challenge from ${url.origin} asks for a signature for ${domain}`);
  }
}

function notSigned(cause: unknown): never {
  if (cause instanceof GatewayError) throw cause;
  throw new GatewayError('not_signed', { message: 'the wallet has not signed', cause });
}

/** Signs a challenge: the value of the SIGN-IN-WITH-X header. */
export async function signIn({ info, supportedChains }: SignInChallenge, signer: Signer, url: URL): Promise<string> {
  assertBoundTo(info, url);
  const chain = supportedChains.find(({ type }) => type === 'ed25519');
  if (!chain) throw rejected('the challenge offers no chain that this wallet can sign for');
  const message: SiwxMessage = { ...info, chainId: chain.chainId, address: signer.address };
  const signature = base58(await signer.signMessage(utf8.encode(siwxMessageText(message))).catch(notSigned));
  return btoa(String.fromCharCode(...utf8.encode(JSON.stringify({ ...message, type: chain.type, signature }))));
}
