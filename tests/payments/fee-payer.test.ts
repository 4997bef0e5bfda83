import { newKeypair } from '@asset-gateway/client/node';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadSodium, nodeCrypto } from '../../packages/gateway/src/gates/crypto.ts';
import { isFeePayerSignature } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import { samples } from '../kit/rounds.ts';
import { refusedWith } from './calls.ts';
import { addressOf, carrying, openForge, signatureOver, signed, writable } from './forge.ts';
import { at, type Change, instruction, LIMIT, MEMO, malleated, PRICE, PROGRAMS, u32, u64 } from './forgeries.ts';

const forge = await openForge();

/** Pays with a changed transaction that its payer has signed. */
async function payChanged(change: Change, payer = forge.payer): Promise<Response> {
  const { payload, draft } = await forge.genuine(payer);
  change(draft, forge);
  return forge.pay(carrying(payload, signed(draft, [payer])));
}

/** A wallet of its own: failed payments are limited per payer. */
async function newPayer(): Promise<Uint8Array> {
  const payer = newKeypair();
  await forge.gateway.solana.devnet.fundUsdc(addressOf(payer), 1_000_000n);
  return payer;
}

const setCost =
  (units: number, microLamports: bigint): Change =>
  (draft) => {
    at(draft, LIMIT).data = Uint8Array.from([2, ...u32(units)]);
    at(draft, PRICE).data = Uint8Array.from([3, ...u64(microLamports)]);
  };

describe('the cost of an accepted payment to the fee payer', () => {
  it.each<[string, bigint, Change]>([
    ['P12 is 10,001 lamports as the official client makes it', 10_001n, () => undefined],
    ['P12 is at most 20,000 lamports', 20_000n, setCost(200_000, 50_000n)],
    ['P12 is 10,000 lamports when no priority is paid for', 10_000n, setCost(200_000, 0n)],
    ['P12 does not grow with a memo that the payer signs', 10_001n, (draft) => at(draft, MEMO).accounts.push(1)],
    ['P12 does not grow with keys that nothing uses', 10_001n, (draft) => writable(draft, PROGRAMS.lighthouse)],
  ])('%s', async (_, lamports, change) => {
    const before = await forge.standing();
    expect((await payChanged(change)).status).toBe(200);
    const after = await forge.standing();
    expect([after.payee - before.payee, before.feePayer - after.feePayer]).toEqual([5n, lamports]);
  });
});

/** Reads through our checks, and fails where the chain looks at it: nothing may be sent for it. */
const UNRUNNABLE: readonly (readonly [string, Change])[] = [
  [
    'a check of Lighthouse, which this chain does not know',
    (draft) => draft.instructions.push(instruction(draft, PROGRAMS.lighthouse, [1], [0])),
  ],
  ['too few units', setCost(1, 1n)],
  ['token accounts that may not be written', (draft) => Object.assign(draft, { readonlyOthers: 6 })],
  ['a blockhash that never was', (draft) => Object.assign(draft, { blockhash: PROGRAMS.memo })],
];

describe('a payment that only the chain can refuse', () => {
  it.each(UNRUNNABLE)('P12 %s: nothing is sent', async (_, change) => {
    const payer = await newPayer();
    const before = await forge.standing();
    await refusedWith('invalid_exact_svm_transaction_simulation_failed', payChanged(change, payer));
    expect({ ...(await forge.standing()), calls: before.calls }).toEqual(before);
    const asked = forge.gateway.solana.devnet.calls.slice(before.calls).map(({ method }) => method);
    expect(asked).toContain('simulateTransaction');
    expect(asked).not.toContain('sendTransaction');
  });
});

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
    ['an empty text', ''],
    ['a list of the right one', [bs58.encode(genuine)]],
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
