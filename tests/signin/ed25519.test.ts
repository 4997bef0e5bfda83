import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { newSigner } from '@asset-gateway/client/node';
import { type SiwxMessage, siwxMessageText } from '@asset-gateway/protocol';
import { createSignInMessageText } from '@solana/wallet-standard-util';
import { type CompleteSIWxInfo, createSIWxMessage } from '@x402/extensions/sign-in-with-x';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Crypto,
  decodeBase58,
  equalSecrets,
  loadSodium,
  nodeCrypto,
} from '../../packages/gateway/src/gates/crypto.ts';
import { readSignIn } from '../../packages/gateway/src/gates/siwx/sign-in.ts';
import { samples } from '../kit/rounds.ts';
import { compact } from './craft.ts';
import {
  type Ed25519Case,
  forge,
  malleated,
  smallOrderPoints,
  speccheckCases,
  verifyLeniently,
  wycheproofCases,
} from './vectors.ts';

const sodium = loadSodium();
const paths: [string, Crypto][] = [['node:crypto', nodeCrypto]];
if (sodium) paths.push(['libsodium', sodium]);

const accepts = (crypto: Crypto, { signature, message, publicKey }: Ed25519Case): boolean =>
  crypto.verify(signature, message, publicKey);

/** A signature without a key: with S = 0 and a key of small order, R alone can satisfy the equation. */
const keyless = (r: Buffer): Buffer => Buffer.concat([r, Buffer.alloc(32)]);

it('libsodium loads, so both implementations are tested', () => {
  expect(sodium).toBeDefined();
});

describe.each(paths)('%s', (_, crypto) => {
  it('S10 agrees with every Wycheproof case', () => {
    const cases = wycheproofCases();
    expect(cases).toHaveLength(151);
    expect(cases.filter((each) => accepts(crypto, each) !== each.valid).map(({ name }) => name)).toEqual([]);
  });

  it('S10 agrees with a strict verifier on every speccheck case', () => {
    const verdicts = speccheckCases().map((each) => (accepts(crypto, each) ? 'V' : 'X'));
    expect(verdicts.join(' ')).toBe('X X X V X X X X X X X X');
  });

  it('S10 refuses a truncated, extended, malleated or damaged signature', async () => {
    const [signer, message] = [newSigner(), randomBytes(80)];
    const key = bs58.decode(signer.address);
    const signature = Buffer.from(await signer.signMessage(message));
    expect(crypto.verify(signature, message, key)).toBe(true);
    const bad = [
      Buffer.alloc(0),
      signature.subarray(0, 63),
      Buffer.concat([signature, Buffer.alloc(1)]),
      malleated(signature),
    ];
    for (const each of bad) expect(crypto.verify(each, message, key)).toBe(false);
    for (let bit = 0; bit < 512; bit++) {
      const damaged = Buffer.from(signature);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(crypto.verify(damaged, message, key)).toBe(false);
    }
  });

  it('S11 refuses a signature made without a key for a point of small order', () => {
    let dangerous = 0;
    for (const publicKey of smallOrderPoints()) {
      for (const r of smallOrderPoints()) {
        const message = randomBytes(64);
        if (verifyLeniently(keyless(r), message, publicKey)) dangerous++;
        expect(crypto.verify(keyless(r), message, publicKey)).toBe(false);
      }
    }
    expect(dangerous).toBeGreaterThan(0);
  });

  it('S11 refuses a signature with a well-formed R for a point of small order', () => {
    const points = smallOrderPoints();
    expect(new Set(points.map((point) => point.toString('hex'))).size).toBe(14);
    for (const publicKey of points) {
      const { signature, message } = forge(publicKey, (attempt) => `message ${attempt}`);
      expect(crypto.verify(signature, Buffer.from(message), publicKey)).toBe(false);
    }
  });

  it('S10 refuses a key of another length without throwing', () => {
    for (const length of [0, 31, 33, 64]) {
      expect(crypto.verify(randomBytes(64), randomBytes(10), randomBytes(length))).toBe(false);
    }
  });
});

it('nodes with and without libsodium compute the same MACs', () => {
  const bytes = fc.uint8Array({ maxLength: 300 });
  const key = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(key, bytes, (secret, message) => {
      expect(Buffer.from(nodeCrypto.mac(secret, message))).toEqual(Buffer.from(sodium?.mac(secret, message) ?? []));
    }),
    { numRuns: samples(1_000) },
  );
});

it('S25 secrets of unequal length compare as different without throwing', () => {
  const secret = randomBytes(32);
  expect(equalSecrets(secret, Buffer.from(secret))).toBe(true);
  expect(equalSecrets(secret, randomBytes(32))).toBe(false);
  for (const length of [0, 1, 31, 33, 64]) {
    const other = Buffer.concat([secret, secret]).subarray(0, length);
    expect(equalSecrets(secret, other)).toBe(false);
    expect(equalSecrets(other, secret)).toBe(false);
  }
});

const DIGITS = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** The bytes that bs58 decodes, if there are this many. */
function expected(text: string, length: number): Buffer | undefined {
  const bytes = bs58.decodeUnsafe(text);
  return bytes?.length === length ? Buffer.from(bytes) : undefined;
}

it.each([32, 64])('base58 of %i bytes decodes as in bs58, leading zeros included', (length) => {
  for (let zeros = 0; zeros <= length; zeros++) {
    const bytes = Buffer.concat([Buffer.alloc(zeros), randomBytes(length - zeros)]);
    expect(decodeBase58(bs58.encode(bytes), length)).toEqual(bytes);
  }
});

it.each([32, 64])('other texts decode as in bs58, or not at all if not %i bytes', (length) => {
  const digits = fc.constantFrom(...DIGITS, '1', 'z', 'z');
  const texts = fc.string({ unit: digits, minLength: Math.floor(length * 1.3), maxLength: Math.ceil(length * 1.4) });
  const anything = fc.oneof(
    texts,
    fc.string({ unit: fc.constantFrom(...DIGITS, '0', 'O', 'l', ' ', '\u00e9', '\u0131') }),
  );
  fc.assert(
    fc.property(anything, (text) => {
      expect(decodeBase58(text, length)).toEqual(expected(text, length));
    }),
    { numRuns: samples(2_000) },
  );
});

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

it('the message text equals that of the wallet standard and of the official client', () => {
  fc.assert(
    fc.property(messages, (fields) => {
      const message = compact(fields) as unknown as SiwxMessage;
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
