import {
  oneLine,
  SIGN_IN_NETWORKS,
  SIWX_DATE,
  SIWX_EXTENSION,
  type SiwxInfo,
  type SiwxMessage,
  siwxMessageText,
} from '@asset-gateway/protocol/wire';
import { GatewayError } from './error.ts';
import { base58, base64, type Signer } from './signer.ts';

/** The sign-in part of a 402, as in x402's extension sign-in-with-x. */
export interface SignInChallenge {
  /** The fields to sign. */
  readonly info: SiwxInfo;
  /** The chains (CAIP-2) and kinds of signatures that the gateway accepts and this client can make. */
  readonly supportedChains: readonly { readonly chainId: string; readonly type: string }[];
}

type SignInMembers = Readonly<Record<string, unknown>>;

const utf8 = new TextEncoder();
/** Matches one line. A line break in a field could turn the signed text into another sign-in. */
const LINE = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]{0,1024}$/u;
/** The signed fields of a challenge and their formats. */
const FIELDS = {
  domain: LINE,
  uri: LINE,
  version: /^1$/,
  nonce: /^[0-9a-f]{32}$/,
  issuedAt: SIWX_DATE,
  expirationTime: SIWX_DATE,
  statement: LINE,
};
const OPTIONAL = ['expirationTime', 'statement'];

const rejected = (message: string): GatewayError => new GatewayError('challenge_rejected', { message });

/**
 * Reads the sign-in challenge in the body of a 402.
 * @param body the parsed body
 * @returns undefined if the 402 asks for no signature
 * @throws GatewayError `challenge_rejected` for a malformed challenge
 */
export function challengeIn(body: unknown): SignInChallenge | undefined {
  const { extensions } = ((body as SignInMembers | null) ?? {}) as { readonly extensions?: SignInMembers | null };
  const challenge = extensions?.[SIWX_EXTENSION] as SignInMembers | null | undefined;
  if (challenge === undefined) return undefined;
  const given = (challenge?.info ?? {}) as SignInMembers;
  const info = Object.entries(FIELDS).map(([name, form]) => {
    const value = given[name];
    if (value === undefined && OPTIONAL.includes(name)) return [];
    const isUsable =
      typeof value === 'string' && form.test(value) && !(form === SIWX_DATE && Number.isNaN(Date.parse(value)));
    if (!isUsable) throw rejected(`the challenge has an unusable ${name}`);
    return [name, value];
  });
  const chains = (
    Array.isArray(challenge?.supportedChains) ? challenge.supportedChains : []
  ) as (SignInMembers | null)[];
  const supportedChains = chains.flatMap((chain) => {
    const chainId = SIGN_IN_NETWORKS.find((network) => network === chain?.chainId);
    return chainId && chain?.type === 'ed25519' ? [{ chainId, type: 'ed25519' }] : [];
  });
  return { info: Object.fromEntries(info.filter(({ length }) => length > 0)), supportedChains };
}

/** Throws unless the challenge is for the requested URL, because a signature for another place could be replayed there. */
function assertBoundTo({ domain, uri }: SiwxInfo, { host, origin, pathname, search }: URL): void {
  const places = [origin, origin + pathname, origin + pathname + search];
  if (domain !== host || !places.includes(uri))
    throw rejected(`the challenge from ${origin} asks for a signature for ${oneLine(`${domain} ${uri}`, 300)}`);
}

const SIGNATURE_BYTES = 64;

/** Returns the base58 signature of a text. Throws `not_signed` if the wallet fails. */
async function signatureOf(signer: Signer, text: string): Promise<string> {
  try {
    const signature = await signer.signMessage(utf8.encode(text));
    if (signature.length === SIGNATURE_BYTES) return base58(signature);
    throw new Error('the signature does not have 64 bytes');
  } catch (cause) {
    if (cause instanceof GatewayError) throw cause;
    throw new GatewayError('not_signed', { message: 'the wallet did not sign', cause });
  }
}

/**
 * Signs a challenge for one request.
 * @param challenge the challenge in the body of the 402
 * @param signer the wallet
 * @param url the requested URL: a challenge for another place is not signed
 * @param network the network to sign for (CAIP-2); default: the first that the challenge offers
 * @returns the value of the header `SIGN-IN-WITH-X`
 * @throws GatewayError `challenge_rejected` for a challenge of another place or chain, `not_signed` if the wallet fails
 * @example
 * const url = new URL('/v1/x402/tokens/assets/search?q=gold', gateway);
 * const challenge = challengeIn(await (await fetch(url)).json());
 * const response = await fetch(url, { headers: { 'SIGN-IN-WITH-X': await signIn(challenge, signer, url) } });
 */
export async function signIn(challenge: SignInChallenge, signer: Signer, url: URL, network?: string): Promise<string> {
  const { info, supportedChains } = challenge;
  assertBoundTo(info, url);
  const chain = supportedChains.find(({ chainId }) => network === undefined || chainId === network);
  if (!chain) throw rejected('the challenge offers no chain that this wallet signs for here');
  const message: SiwxMessage = { ...info, chainId: chain.chainId, address: signer.address };
  const signature = await signatureOf(signer, siwxMessageText(message));
  return base64(JSON.stringify({ ...message, type: 'ed25519', signature }));
}
