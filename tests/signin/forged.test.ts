import { siwxMessageText } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { rounds } from '../kit/rounds.ts';
import { encodeHeader } from '../kit/wallet.ts';
import { askWith, challengeOf, costsNothing, refusedWith, signedPayload, statusOf } from './craft.ts';
import { forge } from './forgery.ts';
import { openSignIn } from './gateway.ts';
import { smallOrderPoints, speccheckCases, wycheproofCases } from './vectors.ts';

const GROUP_ORDER = Buffer.from('edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010', 'hex');

const { gateway, asker } = await openSignIn();

const refusal = (signature: Uint8Array): string =>
  signature.length === 64 ? 'invalid_siwx_signature' : 'invalid_siwx_malformed_signature';

async function refusesForged(publicKey: Uint8Array, signature: Uint8Array, changes = {}): Promise<void> {
  const genuine = await signedPayload(await challengeOf(asker), changes);
  const forged = { ...genuine, address: bs58.encode(publicKey), signature: bs58.encode(signature) };
  // base58 of no bytes is no text, which is not even a payload
  const code = signature.length === 0 ? 'invalid_siwx_header' : refusal(signature);
  await refusedWith(code, askWith(asker, encodeHeader(forged)));
}

describe('S10 a sign-in opens no route with a key and signature from', () => {
  it('the Wycheproof vectors', async () => {
    await costsNothing(gateway, asker, async () => {
      for (const { publicKey, signature } of wycheproofCases()) await refusesForged(publicKey, signature);
    });
  });

  it('the speccheck vectors', async () => {
    await costsNothing(gateway, asker, async () => {
      for (const { publicKey, signature } of speccheckCases()) await refusesForged(publicKey, signature);
    });
  });
});

describe('S10 a genuine sign-in is refused when its signature was', () => {
  const cases: [string, string, (signature: Buffer) => Buffer][] = [
    ['cut', 'invalid_siwx_malformed_signature', (signature) => signature.subarray(0, 63)],
    ['extended', 'invalid_siwx_malformed_signature', (signature) => Buffer.concat([signature, Buffer.of(1)])],
    ['zeroed', 'invalid_siwx_signature', () => Buffer.alloc(64)],
    ['given the group order as S', 'invalid_siwx_signature', (s) => Buffer.concat([s.subarray(0, 32), GROUP_ORDER])],
    ['turned around', 'invalid_siwx_signature', (signature) => Buffer.from(signature).reverse()],
  ];

  it.each(cases)('%s', async (_, code, change) => {
    const genuine = await signedPayload(await challengeOf(asker));
    const signature = bs58.encode(change(Buffer.from(bs58.decode(String(genuine.signature)))));
    await costsNothing(gateway, asker, () =>
      refusedWith(code, askWith(asker, encodeHeader({ ...genuine, signature }))),
    );
    expect(await statusOf(askWith(asker, encodeHeader(genuine)))).toBe(200);
  });

  it('written as hex, base64, or base58 that is not canonical', async () => {
    const genuine = await signedPayload(await challengeOf(asker));
    const [base58, bytes] = [String(genuine.signature), Buffer.from(bs58.decode(String(genuine.signature)))];
    const spellings = [
      bytes.toString('hex'),
      bytes.toString('base64'),
      `1${base58}`,
      ` ${base58}`,
      `${base58}0`,
      '1'.repeat(1000),
    ];
    await costsNothing(gateway, asker, async () => {
      for (const signature of spellings) {
        const code = 'invalid_siwx_malformed_signature';
        await refusedWith(code, askWith(asker, encodeHeader({ ...genuine, signature })));
      }
    });
    expect(await statusOf(askWith(asker, encodeHeader(genuine)))).toBe(200);
  });

  it('put beside an address that is no key', async () => {
    const genuine = await signedPayload(await challengeOf(asker));
    const addresses = [
      '1'.repeat(31),
      '1'.repeat(45),
      'z'.repeat(44),
      'O'.repeat(40),
      bs58.encode(Buffer.alloc(31, 9)),
    ];
    await costsNothing(gateway, asker, async () => {
      for (const address of addresses) {
        await refusedWith('invalid_siwx_malformed_signature', askWith(asker, encodeHeader({ ...genuine, address })));
      }
    });
  });
});

describe('S11 a sign-in that nobody signed opens no route', () => {
  const points = smallOrderPoints();
  const keyless = [points[0], points[2], points[4], points[10]].map((r) =>
    Buffer.concat([r ?? Buffer.alloc(0), Buffer.alloc(32)]),
  );

  it('for the address of 32 ones', async () => {
    expect(new Set(points.map((each) => each.toString('hex'))).size).toBe(14);
    expect(bs58.encode(points[0] ?? Buffer.alloc(0))).toBe('1'.repeat(32));
    await costsNothing(gateway, asker, async () => {
      for (const signature of keyless) await refusesForged(Buffer.alloc(32), signature);
    });
  });

  it.each(points.map((point, index) => [index, point] as const))(
    'for small-order encoding %i, with an R of small order and an S of zero',
    async (_, point) => {
      await costsNothing(gateway, asker, async () => {
        for (let round = 0; round < rounds(64); round++) {
          await Promise.all(keyless.map((signature) => refusesForged(point, signature)));
        }
      });
    },
  );

  it.each(points.map((point, index) => [index, point] as const))(
    'for small-order encoding %i, with a forgery that a lenient verifier takes',
    async (_, point) => {
      const { info, supportedChains } = await challengeOf(asker);
      const kind = { chainId: supportedChains[0]?.chainId ?? '', type: 'ed25519' };
      const unsigned = { ...info, ...kind, address: bs58.encode(point) };
      const withId = (attempt: number) => ({ ...unsigned, requestId: `attempt ${attempt}` });
      const { signature, attempt } = forge(point, (each) => siwxMessageText(withId(each)));
      const payload = { ...withId(attempt), signature: bs58.encode(signature) };
      await costsNothing(gateway, asker, () =>
        refusedWith('invalid_siwx_signature', askWith(asker, encodeHeader(payload))),
      );
    },
  );
});
