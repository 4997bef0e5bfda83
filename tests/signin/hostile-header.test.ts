import { describe, expect, it } from 'vitest';
import { encodeHeader, newSigner } from '../kit/wallet.ts';
import {
  askWith,
  challengeOf,
  costsNothing,
  rawStatusWith,
  refusedWith,
  signedPayload,
  signInFor,
  statusOf,
} from './craft.ts';
import { openSignIn } from './gateway.ts';

const { gateway, asker } = await openSignIn();

const MALFORMED = 'invalid_siwx_header';
const refuses = (header: string): Promise<unknown> => refusedWith(MALFORMED, askWith(asker, header));

const rawStatus = (header: string): Promise<number> => rawStatusWith(gateway, header);

describe('S12 a control character is refused', () => {
  const characters = ['\n', '\r', '\0', '\u0001', '\t', '\u001f', '\u007f', '\u0085', '\u2028', '\u2029'];
  const fields = [
    'domain',
    'address',
    'statement',
    'uri',
    'version',
    'chainId',
    'type',
    'nonce',
    'issuedAt',
    'expirationTime',
    'notBefore',
    'requestId',
    'signatureScheme',
    'signature',
  ];

  it.each(fields)('in %s', async (field) => {
    const challenge = await challengeOf(asker);
    const genuine = await signedPayload(challenge);
    await costsNothing(gateway, asker, async () => {
      for (const character of characters) {
        const value = `${genuine[field] ?? ''}${character}`;
        await refuses(encodeHeader(await signedPayload(challenge, { [field]: value })));
        await refuses(encodeHeader({ ...genuine, [field]: value }));
      }
    });
    expect(await statusOf(askWith(asker, encodeHeader(genuine)))).toBe(200);
  });

  it('in resources', async () => {
    const challenge = await challengeOf(asker);
    for (const character of characters) {
      await refuses(encodeHeader(await signedPayload(challenge, { resources: ['https://a.test/', `b${character}`] })));
    }
  });

  it('so that no signature reads as two payloads with two nonces', async () => {
    const [first, second] = [await challengeOf(asker), await challengeOf(asker)];
    const signer = newSigner();
    const tail = `\nVersion: 1\nChain ID: ${first.supportedChains[0]?.chainId.split(':')[1]}\nNonce: ${first.info.nonce}`;
    const twofold = await signedPayload(second, { uri: `${first.info.uri}${tail}` }, signer);
    await costsNothing(gateway, asker, () => refuses(encodeHeader(twofold)));
  });
});

describe('S13 the size of', () => {
  const padded = async (length: number): Promise<string> => {
    const challenge = await challengeOf(asker);
    const signer = newSigner();
    const missing = (resources: string[]) => signedPayload(challenge, { resources }, signer).then(encodeHeader);
    const bare = (await missing(['', '', '', ''])).length;
    const fill = Math.floor(((length - bare) * 3) / 4);
    return missing([1, 2, 3, 4].map((part) => 'r'.repeat(Math.floor((fill + part - 1) / 4))));
  };

  it('a sign-in may be 4 KiB, and no more', async () => {
    const [fitting, larger] = [await padded(4090), await padded(4104)];
    expect(fitting.length).toBeLessThanOrEqual(4096);
    expect(larger.length).toBeGreaterThan(4096);
    expect(await statusOf(askWith(asker, fitting))).toBe(200);
    await costsNothing(gateway, asker, () => refuses(larger));
  });

  it('all headers may be 16 KiB: below they are a 402 here, beyond a 431', async () => {
    await costsNothing(gateway, asker, async () => {
      for (const kibibytes of [5, 8, 12, 15]) expect(await rawStatus('A'.repeat(kibibytes * 1024))).toBe(402);
      for (const kibibytes of [17, 24, 32, 64]) expect(await rawStatus('A'.repeat(kibibytes * 1024))).toBe(431);
    });
  });

  it('a list of resources may be 8, and of a field 1,024 characters', async () => {
    const challenge = await challengeOf(asker);
    const signed = async (changes: object) => encodeHeader(await signedPayload(challenge, { ...changes }));
    await costsNothing(gateway, asker, async () => {
      await refuses(await signed({ resources: Array.from({ length: 9 }, () => 'r') }));
      await refuses(await signed({ statement: 's'.repeat(1025) }));
      await refuses(await signed({ resources: ['r'.repeat(1025)] }));
    });
    expect(await statusOf(askWith(asker, await signed({ resources: Array.from({ length: 8 }, () => 'r') })))).toBe(200);
    const fresh = await signInFor(asker, undefined, { statement: 's'.repeat(1024) });
    expect(await statusOf(askWith(asker, fresh))).toBe(200);
  });
});
