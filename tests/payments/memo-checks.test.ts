import { newKeypair } from '@asset-gateway/client/node';
import { REFUSALS } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { loadSodium, nodeCrypto } from '../../packages/gateway/src/gates/crypto.ts';
import { Memos } from '../../packages/gateway/src/payments/read/memo.ts';
import { type Candidate, readPresentedPayment } from '../../packages/gateway/src/payments/read/payment.ts';
import { readTransaction } from '../../packages/gateway/src/payments/read/transaction.ts';
import { type Offer, requirementOf } from '../../packages/gateway/src/payments/requirement.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { addressOf, carrying, openForge } from './forge-market.ts';
import { type Change, MEMO, memoOf, REASONS, removed, setData, TRANSFER, u64 } from './forge-table.ts';
import { signed } from './forge-wire.ts';

const forge = await stopAfterTests(openForge());
const withoutMemos = await stopAfterTests(openForge({ PAYMENT_MEMO: 'off' }));

const HASH = 'c'.repeat(64);
const ISSUED = 1_795_000_000;
const memos = new Memos(nodeCrypto, ['a secret of at least thirty-two letters']);

/** A genuine payment whose memo was issued at `ISSUED`, to be judged at another time. */
async function candidateAt(seconds: number, change: Partial<Candidate> = {}): Promise<Candidate> {
  const { draft } = await forge.genuine();
  const offer: Offer = {
    network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    asset: forge.mint,
    payTo: addressOf(forge.payee),
    destination: forge.payeeAta,
    amount: '5',
    feePayer: forge.feePayer,
  };
  const memo = memos.issue(offer, HASH, ISSUED * 1000);
  memoOf(draft).data = Buffer.from(memo);
  const wire = signed(draft, [forge.payer]);
  const transaction = readTransaction(wire);
  if (!transaction) throw new Error('not readable');
  const carried = {
    transaction: wire,
    accepted: requirementOf(offer, memo, memos.ticketOf(memo)),
    ticket: memos.ticketOf(memo),
    network: offer.network,
    version: 2,
  } as const;
  return { key: 'k', carried, transaction, offer, requestHash: HASH, nowMs: seconds * 1000, ...change };
}

describe('a memo is good', () => {
  const times: readonly (readonly [number, boolean])[] = [
    [-31, false],
    [-30, true],
    [0, true],
    [299, true],
    [300, true],
    [301, false],
    [86_400, false],
  ];

  it.each(times)('%s seconds after it was issued: %s', async (age, isGood) => {
    const candidate = await candidateAt(ISSUED + age);
    const read = () => readPresentedPayment({ crypto: nodeCrypto, memos }, candidate);
    if (isGood) expect(read().transfer).toMatchObject({ payer: addressOf(forge.payer), amount: '5' });
    else expect(read).toThrow(expect.objectContaining({ code: 'no_matching_requirements' }));
  });

  it('at the price of its challenge, also if the price has changed', async () => {
    const candidate = await candidateAt(ISSUED);
    const dearer = { ...candidate, offer: { ...candidate.offer, amount: '700' } };
    const { payment } = readPresentedPayment({ crypto: nodeCrypto, memos }, dearer);
    expect(payment.requirement.amount).toBe('5');
    expect(() => readPresentedPayment({ crypto: nodeCrypto, memos: undefined }, dearer)).toThrow(
      expect.objectContaining({ code: 'invalid_exact_svm_payload_amount_mismatch' }),
    );
  });

  it('with libsodium as without', async () => {
    const crypto = loadSodium();
    if (!crypto) throw new Error('libsodium does not load here');
    const candidate = await candidateAt(ISSUED);
    expect(readPresentedPayment({ crypto, memos }, candidate)).toEqual(
      readPresentedPayment({ crypto: nodeCrypto, memos }, candidate),
    );
  });

  it('P16 on its network only', async () => {
    const candidate = await candidateAt(ISSUED);
    const carried = { ...candidate.carried, network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' };
    expect(() => readPresentedPayment({ crypto: nodeCrypto, memos }, { ...candidate, carried })).toThrow(
      expect.objectContaining({ code: 'no_matching_requirements' }),
    );
  });
});

/** Pays with a changed transaction where requirements have no memo. */
async function payChanged(change: Change, more: readonly Uint8Array[] = []) {
  const { payload, draft } = await withoutMemos.genuine();
  change(draft, withoutMemos);
  const before = await withoutMemos.standing();
  const wire = signed(draft, [withoutMemos.payer, ...more]);
  const { status, error, body } = await withoutMemos.pay(carrying(payload, wire));
  const { calls, ...after } = await withoutMemos.standing();
  expect({ ...after, calls: before.calls }).toEqual(before);
  expect(status).toBe(402);
  return { error, message: body.message, isChainAsked: calls > before.calls };
}

const refusedWith = (error: keyof typeof REFUSALS) => ({
  error,
  message: REFUSALS[error].message,
  isChainAsked: false,
});

describe('without memos in the requirement', () => {
  it('asks for none, and takes the one that the official client makes up', async () => {
    const { payload } = await withoutMemos.genuine();
    expect(payload).toMatchObject({ accepted: { extra: { feePayer: withoutMemos.feePayer } } });
    expect(JSON.stringify(payload)).not.toContain('"memo"');
    expect((await withoutMemos.pay(payload)).status).toBe(200);
  });

  it.each([4n, 6n, 0n, 2n ** 64n - 1n, 5n + 2n ** 32n])('P10 %s micro-dollars for 5 are refused', async (amount) => {
    const told = await payChanged(setData(TRANSFER, [12, ...u64(amount), 6]));
    expect(told).toEqual(refusedWith(REASONS.amount));
  });

  it('P12 another fee payer is refused', async () => {
    const other = newKeypair();
    const told = await payChanged((draft) => draft.keys.splice(0, 1, addressOf(other)), [other]);
    expect(told).toEqual(refusedWith('invalid_exact_svm_fee_payer_mismatch'));
  });

  it('P10 still wants exactly one memo, without the advice to copy it', async () => {
    expect(await payChanged(removed(MEMO, 1))).toEqual(refusedWith(REASONS.memoCount));
  });

  it('P10 a memo that the chain cannot read moves nothing', async () => {
    await payChanged(setData(MEMO, [0xff, 0xfe]));
  });
});
