import { createClient, type SignInChallenge } from '@asset-gateway/client';
import { newSigner } from '@asset-gateway/client/node';
import { generateKeyPairSigner } from '@solana/kit';
import {
  type CompleteSIWxInfo,
  createSIWxPayload,
  encodeSIWxHeader,
  parseSIWxHeader,
  type SIWxSigner,
  validateSIWxMessage,
  verifySIWxSignature,
} from '@x402/extensions/sign-in-with-x';
import { describe, expect, it } from 'vitest';
import { signedHeader } from '../kit/wallet.ts';
import {
  askWith,
  challengeOf,
  costsNothing,
  HEALTH,
  openSignIn,
  refusedWith,
  SEARCH,
  statusOf,
} from '../signin/craft.ts';

const { gateway, asker } = await openSignIn();

/** Expects that the reference accepts a header. */
async function referenceAccepts(header: string, address: string): Promise<void> {
  const payload = parseSIWxHeader(header);
  expect(await validateSIWxMessage(payload, new URL(gateway.url))).toEqual({ isValid: true });
  expect(await verifySIWxSignature(payload)).toEqual({ isValid: true, payer: address });
}

describe('the reference client accepts our signatures', () => {
  it('for a challenge', async () => {
    for (const target of [SEARCH, HEALTH]) {
      const signer = newSigner();
      await referenceAccepts(await signedHeader(`${gateway.url}${target}`, {}, signer), signer.address);
    }
  });

  it('for a nonce that came with an answer', async () => {
    const signer = newSigner();
    const headers: string[] = [];
    const noting: typeof fetch = (input, init) => {
      const header = new Headers(init?.headers).get('sign-in-with-x');
      if (header) headers.push(header);
      return fetch(input, init);
    };
    const client = createClient({ baseUrl: gateway.url, signer, fetch: noting });
    for (let round = 0; round < 3; round++) expect(await statusOf(client.ask(SEARCH))).toBe(200);
    expect(headers).toHaveLength(3);
    for (const header of headers) await referenceAccepts(header, signer.address);
  });
});

const infoFor = ({ info }: SignInChallenge, chain: { chainId: string } | undefined): CompleteSIWxInfo => ({
  ...info,
  chainId: chain?.chainId ?? '',
  type: 'ed25519',
});

const ours = newSigner();
const signers: [string, () => Promise<SIWxSigner>][] = [
  ['a kit signer', async () => (await generateKeyPairSigner()) as unknown as SIWxSigner],
  ['a wallet adapter', async () => ({ publicKey: ours.address, signMessage: ours.signMessage })],
];

describe('the gateway accepts signatures of the reference client', () => {
  it.each(signers)('with %s, on each chain', async (_, signerOf) => {
    const challenge = await challengeOf(asker);
    for (const chain of challenge.supportedChains) {
      const fresh = infoFor(await challengeOf(asker), chain);
      const header = encodeSIWxHeader(await createSIWxPayload(fresh, await signerOf(), `${gateway.url}${SEARCH}`));
      const arrivals = gateway.upstream.arrivals.length;
      expect(await statusOf(askWith(asker, header))).toBe(200);
      await refusedWith('invalid_siwx_nonce', askWith(asker, header));
      expect(gateway.upstream.arrivals.length).toBe(arrivals + 1);
    }
  });

  it('with every optional field', async () => {
    const challenge = await challengeOf(asker);
    const optional = {
      notBefore: challenge.info.issuedAt,
      requestId: 'request-1',
      resources: [`${gateway.url}${SEARCH}`, 'ipfs://x'],
    };
    const info = { ...infoFor(challenge, challenge.supportedChains[0]), ...optional, signatureScheme: 'siws' as const };
    const signer = { publicKey: ours.address, signMessage: ours.signMessage };
    const header = encodeSIWxHeader(await createSIWxPayload(info, signer, gateway.url));
    expect(await statusOf(askWith(asker, header))).toBe(200);
  });

  it('but not for another address', async () => {
    const challenge = await challengeOf(asker);
    const info = infoFor(challenge, challenge.supportedChains[0]);
    const signer = { publicKey: newSigner().address, signMessage: ours.signMessage };
    const header = encodeSIWxHeader(await createSIWxPayload(info, signer, gateway.url));
    await costsNothing(gateway, asker, () => refusedWith('invalid_siwx_signature', askWith(asker, header)));
  });
});
