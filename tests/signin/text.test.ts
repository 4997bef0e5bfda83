import { readFileSync } from 'node:fs';
import { type SiwxMessage, siwxMessageText } from '@asset-gateway/protocol';
import { createSignInMessageText } from '@solana/wallet-standard-util';
import { type CompleteSIWxInfo, createSIWxMessage } from '@x402/extensions/sign-in-with-x';
import bs58 from 'bs58';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nodeCrypto } from '../../packages/gateway/src/gates/crypto.ts';
import { readSignIn } from '../../packages/gateway/src/gates/siwx/sign-in.ts';
import { samples } from '../kit/rounds.ts';

interface Vector {
  readonly message: string;
  readonly payload: SiwxMessage & { readonly signature: string };
  readonly header: string;
}

const file = new URL('../vectors/x402-vectors.json', import.meta.url);
const { siwx: vectors } = JSON.parse(readFileSync(file, 'utf8')) as { siwx: Vector[] };

const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 60 });
const maybe = fc.option(fc.string({ unit: 'grapheme', maxLength: 60 }), { nil: undefined });

const messages = fc.record(
  {
    domain: text,
    address: text,
    uri: text,
    version: text,
    chainId: fc.stringMatching(/^solana:[1-9A-HJ-NP-Za-km-z]{1,32}$/),
    nonce: text,
    issuedAt: text,
    statement: maybe,
    expirationTime: maybe,
    notBefore: maybe,
    requestId: maybe,
    resources: fc.option(fc.array(text, { minLength: 1, maxLength: 8 }), { nil: undefined }),
  },
  { requiredKeys: ['domain', 'address', 'uri', 'version', 'chainId', 'nonce', 'issuedAt'] },
);

/** Drops undefined members. */
const compact = (message: object): SiwxMessage =>
  Object.fromEntries(Object.entries(message).filter(([, value]) => value !== undefined)) as unknown as SiwxMessage;

it('the message text equals that of the wallet standard and of the official client', () => {
  fc.assert(
    fc.property(messages, (fields) => {
      const message = compact(fields);
      const chainId = message.chainId.slice('solana:'.length);
      expect(siwxMessageText(message)).toBe(createSignInMessageText({ ...message, chainId }));
      const info = { ...message, type: 'ed25519' } as unknown as CompleteSIWxInfo;
      expect(siwxMessageText(message)).toBe(createSIWxMessage(info, message.address));
    }),
    { numRuns: samples(5_000) },
  );
});

expect(vectors).toHaveLength(3);
it.each(vectors)('a published vector has the same text, payload and signature ($payload.chainId)', (vector) => {
  expect(siwxMessageText(vector.payload)).toBe(vector.message);
  expect(readSignIn(vector.header)).toEqual(vector.payload);
  const [signature, address] = [bs58.decode(vector.payload.signature), bs58.decode(vector.payload.address)];
  expect(nodeCrypto.verify(signature, Buffer.from(vector.message), address)).toBe(true);
});
