import { newKeypair } from '@asset-gateway/client/node';
import { REFUSALS } from '@asset-gateway/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { loadSodium, nodeCrypto } from '../../packages/gateway/src/gates/crypto.ts';
import { Memos } from '../../packages/gateway/src/payments/read/memo.ts';
import { type Candidate, readPresentedPayment } from '../../packages/gateway/src/payments/read/payment.ts';
import { readTransaction } from '../../packages/gateway/src/payments/read/transaction.ts';
import { type Offer, requirementOf } from '../../packages/gateway/src/payments/requirement.ts';
import { addressOf, carrying, type Forge, openForge } from './forge-market.ts';
import { type Change, copyOf, instruction, memoOf, PROGRAMS, REASONS, transferOf, u64 } from './forge-table.ts';
import { signed } from './forge-wire.ts';

const forge = await openForge();
const withoutMemos = await openForge({ PAYMENT_MEMO: 'off' });
afterAll(() => Promise.all([forge.stop(), withoutMemos.stop()]));

/** Pays with a changed transaction, and expects a refusal without any RPC call. Returns its code and message. */
async function toldBy({ genuine, standing, pay, payer }: Forge, change: Change) {
  const { payload, draft } = await genuine();
  change(draft, forge);
  const before = await standing();
  const { status, error, body } = await pay(carrying(payload, signed(draft, [payer])));
  expect(status).toBe(402);
  expect(body).toMatchObject({ payment: { state: 'refused' }, accepts: [{ scheme: 'exact' }] });
  expect(await standing()).toEqual(before);
  return { error, message: body.message };
}

const says =
  (words: string): Change =>
  (draft) => {
    memoOf(draft).data = Buffer.from(words);
  };
const ADVICE = expect.stringMatching(/copy extra\.memo .*@x402\/svm 2\.10 or later\.$/);

describe('a client that does not copy the memo gets advice', () => {
  it.each<[string, string, Change]>([
    ['32 hex digits, as stock clients make up', REASONS.other, says('0123456789abcdef0123456789abcdef')],
    ['words of its own', REASONS.other, says('for services rendered')],
    ['an empty memo', REASONS.other, says('')],
    ['no memo', REASONS.memoCount, ({ instructions }) => instructions.splice(3, 1)],
    [
      'a check in place of the memo',
      REASONS.memoCount,
      (draft) => draft.instructions.splice(3, 1, instruction(draft, PROGRAMS.lighthouse, [1], [0])),
    ],
    [
      'two that stock clients make up',
      REASONS.memoCount,
      (draft) => {
        says('0123456789abcdef0123456789abcdef')(draft, forge);
        draft.instructions.push(copyOf(memoOf(draft)));
      },
    ],
  ])('when it pays with %s', async (_, code, change) => {
    expect(await toldBy(forge, change)).toEqual({ error: code, message: ADVICE });
  });
});

describe('a client that copied a memo gets the reason', () => {
  it.each<[string, keyof typeof REFUSALS, Change]>([
    [
      'one that was issued for something else',
      REASONS.other,
      (draft) => {
        const memo = memoOf(draft);
        memo.data = Buffer.from(
          Buffer.from(memo.data)
            .toString()
            .replace(/^./, (it) => (it === 'A' ? 'B' : 'A')),
        );
      },
    ],
    ['the same twice', REASONS.memoCount, (draft) => draft.instructions.push(copyOf(memoOf(draft)))],
    ['a transaction that is wrong elsewhere', REASONS.length, ({ instructions }) => instructions.splice(2, 2)],
  ])('when it pays with %s', async (_, code, change) => {
    expect(await toldBy(forge, change)).toEqual({ error: code, message: REFUSALS[code].message });
  });
});

describe('where requirements have no memo', () => {
  it('the refusal does not mention memos', async () => {
    const told = await toldBy(withoutMemos, ({ instructions }) => instructions.splice(3, 1));
    expect(told).toEqual({ error: REASONS.memoCount, message: REFUSALS[REASONS.memoCount].message });
  });
});

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

async function payChanged(change: Change, more: readonly Uint8Array[] = []) {
  const { payload, draft } = await withoutMemos.genuine();
  change(draft, withoutMemos);
  const before = await withoutMemos.standing();
  const told = await withoutMemos.pay(carrying(payload, signed(draft, [withoutMemos.payer, ...more])));
  return { told, before, after: await withoutMemos.standing() };
}

const setAmount =
  (amount: bigint): Change =>
  (draft) =>
    Object.assign(transferOf(draft), { data: Uint8Array.from([12, ...u64(amount), 6]) });

describe('without memos in the requirement', () => {
  it('asks for none, and takes the one that the official client makes up', async () => {
    const { payload } = await withoutMemos.genuine();
    expect(payload).toMatchObject({ accepted: { extra: { feePayer: withoutMemos.feePayer } } });
    expect(JSON.stringify(payload)).not.toContain('"memo"');
    expect((await withoutMemos.pay(payload)).status).toBe(200);
  });

  it.each([4n, 6n, 0n, 2n ** 64n - 1n, 5n + 2n ** 32n])('P10 %s micro-dollars for 5 are refused', async (amount) => {
    const { told, before, after } = await payChanged(setAmount(amount));
    expect({ status: told.status, error: told.error }).toEqual({ status: 402, error: REASONS.amount });
    expect(after).toEqual(before);
  });

  it('P12 another fee payer is refused', async () => {
    const other = newKeypair();
    const { told, before, after } = await payChanged((draft) => draft.keys.splice(0, 1, addressOf(other)), [other]);
    expect({ status: told.status, error: told.error }).toEqual({
      status: 402,
      error: 'invalid_exact_svm_fee_payer_mismatch',
    });
    expect(after).toEqual(before);
  });

  it('P10 still wants exactly one memo', async () => {
    const { told, before, after } = await payChanged(({ instructions }) => instructions.splice(3, 1));
    expect({ status: told.status, error: told.error }).toEqual({ status: 402, error: REASONS.memoCount });
    expect(after).toEqual(before);
  });

  it('P10 a memo that the chain cannot read moves nothing', async () => {
    const { told, before, after } = await payChanged((draft) => {
      memoOf(draft).data = Uint8Array.from([0xff, 0xfe]);
    });
    expect(told.status).toBe(402);
    expect({ ...after, calls: before.calls }).toEqual(before);
  });
});
