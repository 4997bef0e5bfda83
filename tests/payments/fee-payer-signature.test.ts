import { newKeypair } from '@asset-gateway/client/node';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadSodium, nodeCrypto } from '../../packages/gateway/src/gates/crypto.ts';
import { isFeePayerSignature } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import { samples } from '../kit/rounds.ts';
import { addressOf } from './forge-market.ts';
import { malleated } from './forge-signers.ts';
import { signatureOver } from './forge-wire.ts';

const [feePayer, other] = [newKeypair(), newKeypair()];
const message = Buffer.from('the message that was paid with');
const genuine = signatureOver(message, feePayer);
const sodium = loadSodium();
const primitives = [
  ['node:crypto', nodeCrypto],
  ['libsodium', sodium ?? nodeCrypto],
] as const;

describe.each(primitives)('a signature that a facilitator reports, by %s', (_, crypto) => {
  const counts = (signature: unknown, over: Uint8Array = message) =>
    isFeePayerSignature(crypto, signature, addressOf(feePayer), over);

  it('P11 counts when it is the fee payer’s over our message', () => {
    expect(counts(bs58.encode(genuine))).toBe(true);
  });

  const reports: readonly (readonly [string, unknown])[] = [
    ['nothing', undefined],
    ['null', null],
    ['an empty text', ''],
    ['a number', 5],
    ['a list of the right one', [bs58.encode(genuine)]],
    ['an object', { toString: () => bs58.encode(genuine) }],
    ['one of another wallet', bs58.encode(signatureOver(message, other))],
    ['one over another message', bs58.encode(signatureOver(Buffer.from('another'), feePayer))],
    ['one with S beyond the order of the group', bs58.encode(malleated(genuine))],
    ['zeros', bs58.encode(Buffer.alloc(64))],
    ['one cut short', bs58.encode(genuine.subarray(0, 63))],
    ['one with a byte too many', bs58.encode(Buffer.concat([genuine, Buffer.from([0])]))],
    ['one with a zero before it', `1${bs58.encode(genuine)}`],
    ['one with a space behind it', `${bs58.encode(genuine)} `],
    ['one with a line end behind it', `${bs58.encode(genuine)}\n`],
    ['one in base64', genuine.toString('base64')],
    ['one in hex', genuine.toString('hex')],
    ['very long base58', '1'.repeat(100_000)],
    ['the address of the fee payer', addressOf(feePayer)],
  ];

  it.each(reports)('P11 does not count: %s', (_name, signature) => {
    expect(counts(signature)).toBe(false);
  });

  it('P11 does not count for any other message or with any bit changed', () => {
    const check = (bytes: Uint8Array, at: number) => {
      expect(counts(bs58.encode(genuine), bytes)).toBe(Buffer.from(bytes).equals(message));
      const flipped = Buffer.from(genuine);
      flipped.writeUInt8(flipped.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3);
      expect(counts(bs58.encode(flipped))).toBe(false);
    };
    fc.assert(fc.property(fc.uint8Array(), fc.nat(511), check));
  });

  it('P11 does not count and does not throw for any value', () => {
    const check = (signature: unknown) => {
      expect(counts(signature)).toBe(false);
    };
    const bytes = fc.uint8Array({ minLength: 64, maxLength: 64 }).map((it) => bs58.encode(it));
    fc.assert(fc.property(fc.oneof(fc.anything(), fc.string(), bytes), check), { numRuns: samples(300) });
  });
});
