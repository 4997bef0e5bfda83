import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSodium, nodeCrypto } from '../../packages/gateway/src/gates/crypto.ts';
import { Memos } from '../../packages/gateway/src/payments/read/memo.ts';
import { type Judgement, readPresentedPayment } from '../../packages/gateway/src/payments/read/payment.ts';
import { readTransaction } from '../../packages/gateway/src/payments/read/transaction.ts';
import { type Offer, requirementOf } from '../../packages/gateway/src/payments/requirement.ts';
import { addressOf, type Forge, openForge } from './forge-market.ts';
import { memoOf } from './forge-table.ts';
import { signed } from './forge-wire.ts';

const HASH = 'c'.repeat(64);
const ISSUED = 1_795_000_000;
const memos = new Memos(nodeCrypto, ['a secret of at least thirty-two letters']);

let forge: Forge;
beforeAll(async () => {
  forge = await openForge();
});
afterAll(() => forge.stop());

/** A genuine payment whose memo was issued at `ISSUED`, to be judged at another time. */
async function judgementAt(seconds: number, change: Partial<Judgement> = {}): Promise<Judgement> {
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
    const judgement = await judgementAt(ISSUED + age);
    const read = () => readPresentedPayment({ crypto: nodeCrypto, memos }, judgement);
    if (isGood) expect(read().transfer).toMatchObject({ payer: addressOf(forge.payer), amount: '5' });
    else expect(read).toThrow(expect.objectContaining({ code: 'no_matching_requirements' }));
  });

  it('at the price that it was quoted with, whatever is asked now', async () => {
    const judgement = await judgementAt(ISSUED);
    const dearer = { ...judgement, offer: { ...judgement.offer, amount: '700' } };
    const { payment } = readPresentedPayment({ crypto: nodeCrypto, memos }, dearer);
    expect(payment.requirement.amount).toBe('5');
    expect(() => readPresentedPayment({ crypto: nodeCrypto, memos: undefined }, dearer)).toThrow(
      expect.objectContaining({ code: 'invalid_exact_svm_payload_amount_mismatch' }),
    );
  });

  it('with libsodium as without', async () => {
    const crypto = loadSodium();
    if (!crypto) throw new Error('libsodium does not load here');
    const judgement = await judgementAt(ISSUED);
    expect(readPresentedPayment({ crypto, memos }, judgement)).toEqual(
      readPresentedPayment({ crypto: nodeCrypto, memos }, judgement),
    );
  });

  it('P16 on its network only', async () => {
    const judgement = await judgementAt(ISSUED);
    const carried = { ...judgement.carried, network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp' };
    expect(() => readPresentedPayment({ crypto: nodeCrypto, memos }, { ...judgement, carried })).toThrow(
      expect.objectContaining({ code: 'no_matching_requirements' }),
    );
  });
});
