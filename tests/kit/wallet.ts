import { challengeIn, type Signer, type SignInChallenge, signIn } from '@asset-gateway/client';
import { newSigner } from '@asset-gateway/client/node';

export { newSigner };

/** Sends a request without a sign-in. Returns the challenge. */
export async function challengeFor(url: string, init: RequestInit = {}): Promise<SignInChallenge> {
  const response = await fetch(url, init);
  const challenge = challengeIn(await response.json());
  if (!challenge) throw new Error(`no challenge but ${response.status} from ${url}`);
  return challenge;
}

/** A header that opens this URL once. */
export async function signedHeader(url: string, init: RequestInit = {}, signer: Signer = newSigner()): Promise<string> {
  return signIn(await challengeFor(url, init), signer, new URL(url));
}

/** Sends a request with a fresh sign-in. */
export async function askSigned(url: string, init: RequestInit = {}, signer: Signer = newSigner()): Promise<Response> {
  const header = await signedHeader(url, init, signer);
  return fetch(url, { ...init, headers: { ...init.headers, 'SIGN-IN-WITH-X': header } });
}

/** The JSON payload in a sign-in header, for tests that change it. */
export const decodeHeader = (header: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, unknown>;

export const encodeHeader = (payload: unknown): string => Buffer.from(JSON.stringify(payload)).toString('base64');
