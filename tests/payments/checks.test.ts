import { createHash } from 'node:crypto';
import { newKeypair } from '@asset-gateway/client/node';
import { NETWORKS, REFUSALS, Refusal, USDC } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { nodeCrypto } from '../../packages/gateway/src/crypto.ts';
import { isFeePayerSignature, type Payment } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import { Memos, type Offer, paymentKeyOf } from '../../packages/gateway/src/payments/read/requirement.ts';
import { freePort } from '../http/ports.ts';
import { isFull, samples } from '../kit/rounds.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { answersWith, headerOf, refusedWith } from './calls.ts';
import { addressOf, carrying, type Draft, draftOf, signatureOver, signed, writable } from './drafts.ts';
import { ask, newPath, until } from './fault-buyer.ts';
import { ISSUED, openForge, openMarket } from './forge.ts';
import {
  at,
  type Change,
  COMPUTE_FORGERIES,
  FEE_PAYER,
  FEE_PAYER_FORGERIES,
  type Forgery,
  GUARD_FORGERIES,
  guarded,
  hasLamports,
  LIMIT,
  MEMO,
  MEMO_FORGERIES,
  malleated,
  PAYER,
  PRICE,
  PROGRAMS,
  SIGNATURE_FORGERIES,
  SIGNER_FORGERIES,
  setData,
  TRANSFER,
  TRANSFER_FORGERIES,
  UNCOPIED_MEMOS,
  u32,
  u64,
} from './forgeries.ts';

/** Starts a facilitator that approves everything. */
async function startApproving(feePayer: string, port = 0) {
  const server = await startStrangeGateway(port);
  const extra = { feePayer };
  const kinds = Object.values(NETWORKS).map((network) => ({ x402Version: 2, scheme: 'exact', network, extra }));
  server.answer(({ path }, response) =>
    json(response, 200, path === '/supported' ? { kinds } : { isValid: true, success: true, transaction: '' }),
  );
  return server;
}

/** What a facilitator was asked about payments. */
const asked = () => approving.arrivals.map(({ path }) => path).filter((path) => path !== '/supported');

const market = await openMarket();
afterAll(() => market.chain.close());
const { genuine, offer, payer, read } = market;

/** The refusal of a transaction in the place of the genuine one. */
function refusalOf(wire: Uint8Array): Refusal {
  try {
    market.read(carrying(genuine.payload, wire));
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error('this payment is accepted');
}

/** A forgery is refused for this reason. */
function expectRefused({ make, reason }: Forgery, message?: unknown): void {
  const wire = make({ ...genuine, draft: draftOf(genuine.wire) }, market);
  const { code, details } = refusalOf(wire);
  expect([code, details.message, details.payment]).toEqual([reason, message, { state: 'refused' }]);
}

/** For a client that copies no memo: it would pay one fresh requirement after the other in vain. */
const ADVICE = expect.stringMatching(/copy extra\.memo .*@x402\/svm 2\.10 or later\.$/);
const FEE_FORGERIES = [...FEE_PAYER_FORGERIES, ...SIGNER_FORGERIES, ...COMPUTE_FORGERIES, ...GUARD_FORGERIES];
const OTHER_FORGERIES = [...TRANSFER_FORGERIES, ...MEMO_FORGERIES, ...SIGNATURE_FORGERIES];

describe('a payment that is refused', () => {
  it('is not a genuine one, which the test encoder reproduces byte for byte', () => {
    expect(signed(draftOf(genuine.wire), [payer]).equals(genuine.wire)).toBe(true);
    expect(market.read(genuine.payload).amount).toBe('5');
  });

  it.each(FEE_FORGERIES)('P12 $name', (each) => expectRefused(each));
  it.each(OTHER_FORGERIES)('P10 $name', (each) => expectRefused(each));
  it.each(UNCOPIED_MEMOS)('P10 $name, with the advice to copy the memo', (each) => expectRefused(each, ADVICE));
});

/** A change to the genuine payment, signed by its payer. */
function changed(change: Change): Record<string, unknown> {
  const draft = draftOf(genuine.wire);
  change(draft, market);
  return carrying(genuine.payload, signed(draft, [payer]));
}

const ASSERTIONS = Array.from({ length: 13 }, (_, index) => index + 2);

describe("guards that a wallet adds to the client's transaction", () => {
  it.each([0, 1, 2, 3, 4])('P10 may stand at position %i', (position) => {
    const name = (draft: Draft) => guarded(position, [FEE_PAYER, PAYER])(draft);
    expect(read(changed(name))).toMatchObject({ amount: '5', payer: addressOf(payer), feeLamports: 10_001 });
  });

  it.each(ASSERTIONS)('P10 may be assertion %i of Lighthouse, also about the fee payer', (kind) => {
    expect(read(changed(guarded(TRANSFER, [FEE_PAYER], [kind, 0, 0])))).toMatchObject({ amount: '5' });
  });

  it('P10 may be eight, because Phantom adds four: three before the transfer and one at the end', () => {
    const phantom: Change = (draft) => {
      for (let count = 0; count < 3; count++) guarded(TRANSFER, [FEE_PAYER])(draft);
      guarded(7, [FEE_PAYER])(draft);
    };
    expect(read(changed(phantom))).toMatchObject({ amount: '5' });
    const twice: Change = (draft, parties) => [phantom, phantom].map((each) => each(draft, parties));
    expect(read(changed(twice))).toMatchObject({ amount: '5' });
  });
});

const remoteFeePayer = addressOf(newKeypair());
const approving = await startApproving(remoteFeePayer);
const forge = await openForge();
const remoteForge = await openForge({ FACILITATOR_URL: approving.url, FEE_PAYER_KEYPAIR: '' }, remoteFeePayer);
/** Gateways that settle themselves or elsewhere, and a payment for each: all forgeries are made from it, so it stays unused. */
const GATEWAYS = [
  { forge, genuine: await forge.genuine() },
  { forge: remoteForge, genuine: await remoteForge.genuine() },
];

/** Another memo than ours is no fault where the gateway itself pays the fee. */
const isOfMemo = ({ make, reason }: Forgery): boolean =>
  reason === 'no_matching_requirements' && MEMO_FORGERIES.some((each) => each.make === make);

/** One forgery for each reason; all with ROUNDS=full. */
const SENT = [...FEE_FORGERIES, ...OTHER_FORGERIES].filter((forgery, index, all) => {
  const isAlike = (other: Forgery) => other.reason === forgery.reason && isOfMemo(other) === isOfMemo(forgery);
  return isFull || all.findIndex(isAlike) === index;
});

const FEE_LAMPORTS = 10_001n;
let fees = 0n;
const lamportsAtFirst = (await forge.standing()).feePayer;

async function expectBought(): Promise<void> {
  const { payload } = await forge.genuine();
  const before = await forge.standing();
  expect((await forge.pay(payload)).status).toBe(200);
  fees += FEE_LAMPORTS;
  const moved = { transfers: before.transfers + 1, payee: before.payee + 5n, payer: before.payer - 5n };
  expect(await forge.standing()).toMatchObject({ ...moved, feePayer: before.feePayer - FEE_LAMPORTS });
}

describe('a gateway', () => {
  it('takes a genuine payment', expectBought);

  it.each(SENT)('P10 refuses without a call to chain or facilitator: $name', async (forgery) => {
    const { make, reason } = forgery;
    for (const { forge, genuine } of isOfMemo(forgery) ? GATEWAYS.slice(1) : GATEWAYS) {
      const wire = make({ ...genuine, draft: draftOf(genuine.wire) }, forge);
      const before = await forge.standing();
      const body = await answersWith(402, reason, 'refused', forge.pay(carrying(genuine.payload, wire)));
      expect(body).toMatchObject({ message: REFUSALS[reason].message, accepts: [{ scheme: 'exact' }] });
      expect(await forge.standing()).toEqual(before);
    }
    expect(asked()).toEqual([]);
  });

  it('P12 the fee payer has paid only the fees of genuine payments', async () => {
    await expectBought();
    const { feePayer, transfers } = await forge.standing();
    expect(lamportsAtFirst - feePayer).toBe(fees);
    expect(BigInt(transfers) * FEE_LAMPORTS).toBe(fees);
  });

  it('P10 a facilitator is asked about a payment that is right, and its word alone settles nothing', async () => {
    const { payload } = await remoteForge.genuine();
    await answersWith(503, 'settlement_pending', 'pending', remoteForge.pay(payload));
    expect(asked()).toEqual(['/verify', '/settle']);
    expect(remoteForge.gateway.solana.provider.arrivals).toHaveLength(1);
  });
});

it('P8 a facilitator that is down at the start: sales begin once it is up, without a restart', async () => {
  const port = await freePort();
  const variables = { FEE_PAYER_KEYPAIR: '', FACILITATOR_URL: `http://127.0.0.1:${port}` };
  const gateway = await startSellingGateway(variables, { solana: forge.gateway.solana });
  const url = gateway.url + newPath();
  const early = await ask(url);
  expect([early.status, early.code]).toEqual([503, 'facilitator_unavailable']);
  const paid = await ask(url, headerOf((await forge.genuine()).payload));
  expect(paid.outcome).toBe('503 facilitator_unavailable unused');
  await startApproving(addressOf(newKeypair()), port);
  await until(async () => (await ask(url)).status === 402);
  await gateway.stop();
});

it('P10 reordered, missing or repeated instructions are refused', () => {
  const picks = fc
    .array(fc.integer({ min: 0, max: 3 }), { maxLength: 9 })
    .filter((picked) => picked.join() !== '0,1,2,3');
  const check = (picked: number[]) => {
    const instructions = picked.flatMap((index) => genuine.draft.instructions[index] ?? []);
    const { code } = refusalOf(signed({ ...genuine.draft, instructions }, [payer]));
    expect(code).toMatch(/^(?:invalid_exact_svm_payload_\w+|no_matching_requirements)$/);
  };
  fc.assert(fc.property(picks, check), { numRuns: 60 });
});

const NOW = Date.parse('2026-11-20T12:00:00.999Z');
const SECONDS = Math.floor(NOW / 1000);
const SECRETS = ['first secret of thirty-two letters', 'second secret of thirty-two letter'];
const HASH = 'a'.repeat(64);
const REQUIREMENT: Offer = {
  network: NETWORKS.devnet,
  asset: USDC.devnet,
  payTo: 'GyGKxMyg1p9SsHfm15MkNUu1u9TN2JtTspcdmrtGUdse',
  destination: '6ndWAgFxMAVLobD8WrdBj5w41GrDeJYiQX91nNSrwkZp',
  amount: '500',
  feePayer: '9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu',
};

const memos = new Memos(nodeCrypto, SECRETS.slice(0, 1));

/** When a memo was issued, read soon after. */
const readSoon = (memo: string, offer: Offer = REQUIREMENT, hash = HASH, by = memos) =>
  by.read(memo, offer, hash, NOW + 200_000)?.issuedAt;

describe('a memo', () => {
  it('is 32 letters of base64url, tells its second for nine hours, and is never the same', () => {
    const issued = new Set<string>();
    const check = (seconds: number, age: number) => {
      const memo = memos.issue(REQUIREMENT, HASH, seconds * 1000 + 999);
      expect(memo).toMatch(/^[A-Za-z0-9_-]{32}$/);
      expect(memos.read(memo, REQUIREMENT, HASH, (seconds + age) * 1000)?.issuedAt).toBe(seconds);
      for (const wrong of [-65_536, -40_000, 33_000, 65_536, 131_072])
        expect(memos.read(memo, REQUIREMENT, HASH, (seconds + wrong) * 1000)).toBeUndefined();
      expect(issued.size).toBeLessThan(issued.add(memo).size);
    };
    const seconds = fc.oneof(fc.constant(SECONDS), fc.integer({ min: 0, max: 2 ** 33 }));
    fc.assert(fc.property(seconds, fc.integer({ min: -32_000, max: 32_000 }), check));
  });

  it('X7 proves from the chain alone who issued it, for which transfer, and its credit part', () => {
    const other = new Memos(nodeCrypto, SECRETS.slice(1));
    const rotated = new Memos(nodeCrypto, SECRETS.toReversed());
    const most = 16_777_214;
    const check = (price: number, credit: number) => {
      const offer = { ...REQUIREMENT, amount: String(price + credit) };
      const memo = memos.issue(offer, HASH, NOW, credit);
      expect(readSoon(memo, offer)).toBe(SECONDS);
      const proven = [memos, rotated, other].map((each) => each.provenCredit(memo, offer));
      expect(proven).toEqual([credit, credit, undefined]);
      for (const name of ['network', 'asset', 'payTo', 'amount'] as const)
        expect(memos.provenCredit(memo, { ...offer, [name]: `${offer[name]}1` })).toBeUndefined();
    };
    const part = fc.integer({ min: 0, max: most });
    fc.assert(fc.property(part, fc.oneof(fc.constant(0), part, fc.constant(9_999_999_999)), check));
  });

  it('X7 with any changed bit proves nothing without the request', () => {
    const bytes = Buffer.from(memos.issue({ ...REQUIREMENT, amount: '50000' }, HASH, NOW, 49_995), 'base64url');
    const proves = (bit: number) => {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      return memos.provenCredit(changed.toString('base64url'), { ...REQUIREMENT, amount: '50000' }) !== undefined;
    };
    const covered = Array.from({ length: 17 * 8 }, (_, bit) => bit);
    expect(covered.filter(proves)).toEqual([]);
  });

  it('P3 P15 is of no use with another part of the offer, or for another request', () => {
    const text = fc.string({ maxLength: 12 });
    const amount = fc.nat().map(String);
    const parts = fc.record({ network: text, asset: text, payTo: text, amount, feePayer: text, hash: text });
    type Parts = typeof parts extends fc.Arbitrary<infer T> ? T : never;
    const read = (memo: string, offer: Parts) => readSoon(memo, { ...REQUIREMENT, ...offer }, offer.hash);
    const check = (one: Parts) => {
      const memo = memos.issue({ ...REQUIREMENT, ...one }, one.hash, NOW);
      expect(read(memo, one)).toBe(SECONDS);
      for (const [name, value] of Object.entries(one)) {
        for (const other of [`${value}x`, `0${value}`]) expect(read(memo, { ...one, [name]: other })).toBeUndefined();
      }
    };
    fc.assert(fc.property(parts, check));
  });
});

it('a foreign memo is refused: with a character changed, cut short, or in another spelling', () => {
  const memo = memos.issue(REQUIREMENT, HASH, NOW);
  const others = [`${memo}A`, `${memo}=`, `${memo}\n`, ` ${memo}`, `${memo}\0`, memo.replace(/./, '+')];
  for (let at = 0; at < memo.length; at++) {
    others.push(memo.slice(0, at), ...[...'Az09-_'].map((letter) => memo.slice(0, at) + letter + memo.slice(at + 1)));
  }
  for (const other of others) {
    expect([other, readSoon(other)]).toEqual([other, other === memo ? SECONDS : undefined]);
  }
});

describe('secrets', () => {
  const [first = '', second = ''] = SECRETS;

  it('take turns: the first signs, all verify, and a removed one does not verify', () => {
    const [before, during, after] = [[first], [second, first], [second]].map((all) => new Memos(nodeCrypto, all));
    const readers = [before, during, after];
    const readBy = (issuer?: Memos) => {
      const memo = issuer?.issue(REQUIREMENT, HASH, NOW) ?? '';
      return readers.map((each) => readSoon(memo, REQUIREMENT, HASH, each));
    };
    expect(readBy(before)).toEqual([SECONDS, SECONDS, undefined]);
    expect(readBy(during)).toEqual([undefined, SECONDS, SECONDS]);
  });

  it('are needed', () => {
    expect(() => new Memos(nodeCrypto, []).issue(REQUIREMENT, HASH, NOW)).toThrow();
    expect(readSoon(memos.issue(REQUIREMENT, HASH, NOW), REQUIREMENT, HASH, new Memos(nodeCrypto, []))).toBeUndefined();
  });
});

it('the key of a payment is its network and the SHA-256 of its message, and nothing else', () => {
  const check = (network: string, message: Uint8Array) => {
    const hash = createHash('sha256').update(message).digest('hex');
    expect(paymentKeyOf(network, message)).toBe(`${network}:${hash}`);
  };
  fc.assert(fc.property(fc.string(), fc.uint8Array(), check));
});

const OTHER_REQUEST = {
  code: 'no_matching_requirements',
  details: expect.objectContaining({ payment: { state: 'refused' } }),
};

describe('a memo of a payment is good', () => {
  it.each([
    [-31, false],
    [-30, true],
    [0, true],
    [300, true],
    [301, false],
    [86_400, false],
  ])('%s seconds after it was issued: %s', (age, isGood) => {
    const readThen = () => read(genuine.payload, { nowMs: (ISSUED + age) * 1000 });
    if (isGood) expect(readThen()).toMatchObject({ payer: addressOf(market.payer), amount: '5' });
    else expect(readThen).toThrow(expect.objectContaining(OTHER_REQUEST));
  });

  it('at the price of its challenge, also if the price has changed', () => {
    const dearer = { offer: { ...offer, amount: '700' } };
    expect(read(genuine.payload, dearer).requirement.amount).toBe('5');
  });

  it.each([true, false])('P3 for its request only, also in version 1, whose fee payer is ours: %s', (isOwnFeePayer) => {
    const version1 = { x402Version: 1, scheme: 'exact', network: 'solana-devnet' };
    const payment = carrying(version1, genuine.wire);
    expect(read(payment, { isOwnFeePayer })).toMatchObject({ isBound: true, amount: '5' });
    const another = { isOwnFeePayer, requestHash: 'another request' };
    expect(() => read(payment, another)).toThrow(expect.objectContaining(OTHER_REQUEST));
  });

  it('P16 on its network only', () => {
    const elsewhere = { ...offer, network: NETWORKS.mainnet };
    expect(() => read(genuine.payload, { offer: elsewhere })).toThrow(expect.objectContaining(OTHER_REQUEST));
  });
});

const memoOf = (text: string): Change => setData(MEMO, [...Buffer.from(text)]);
const memoOfItsOwn = memoOf('for services rendered');
const memoOfOlderClients = memoOf('0123456789abcdef0123456789abcdef');

describe('a payment whose transaction has not our memo', () => {
  const other = newKeypair();
  const { accepted } = genuine.payload as { accepted: { extra: Record<string, string> } };
  const { ticket: _, ...withoutTicket } = accepted.extra;
  const version1 = { x402Version: 1, scheme: 'exact', network: 'solana-devnet', payload: {} };
  const ours = { isOwnFeePayer: true };

  const paying = (changes: readonly Change[], payload: Record<string, unknown> = genuine.payload) => {
    const draft = draftOf(genuine.wire);
    for (const change of changes) change(draft, market);
    return carrying(payload, signed(draft, [market.payer, other]));
  };
  const byAnother: Change = (draft) => draft.staticAccounts.splice(0, 1, addressOf(other));
  const ofAmount = (amount: bigint): Change => setData(TRANSFER, [12, ...u64(amount), 6]);

  it.each([
    ['a memo of its own', memoOfItsOwn],
    ['a memo as older clients make it', memoOfOlderClients],
  ])('P10 but %s is good with the challenge that comes with it', (_, change) => {
    const presented = read(paying([change]), ours);
    const { memo } = accepted.extra;
    expect(presented).toMatchObject({ memo, isBound: false, hasTicket: true, amount: '5', creditMicros: 0 });
  });

  it('P10 is good in version 1 of x402, which names no challenge, at the present price', () => {
    const expected = { memo: undefined, isBound: false, hasTicket: false, amount: '5' };
    expect(read(paying([memoOfItsOwn], version1), ours)).toMatchObject(expected);
  });

  const MEMO_REASON = 'memo of another request or transfer';
  const atPrice = (amount: string) => ({ ...ours, offer: { ...offer, amount } });
  const elsewhere = { ...genuine.payload, accepted: market.challengeFor('another request') };
  const unproven = { ...genuine.payload, accepted: { ...accepted, extra: withoutTicket } };
  it.each<[string, readonly Change[], Parameters<typeof read>[1], string, Record<string, unknown>?]>([
    ['P10 a memo of its own, where another key pays', [memoOfItsOwn], {}, MEMO_REASON],
    ['P10 a memo of an older client, where another key pays', [memoOfOlderClients], {}, MEMO_REASON],
    ['P10 4 micro-dollars for 5', [memoOfItsOwn, ofAmount(4n)], ours, MEMO_REASON],
    ['P10 6 micro-dollars for 5', [memoOfItsOwn, ofAmount(6n)], ours, MEMO_REASON],
    ['P10 an amount that is right in its lower half', [memoOfItsOwn, ofAmount(5n + 2n ** 32n)], ours, MEMO_REASON],
    ['P10 version 1 where the price is 4', [memoOfItsOwn], atPrice('4'), 'amount', version1],
    ['P10 version 1 where the price is 6', [memoOfItsOwn], atPrice('6'), 'amount', version1],
    ['P10 its own memo and another request', [], { ...ours, requestHash: 'another request' }, MEMO_REASON, elsewhere],
    ['P12 another fee payer than ours', [memoOfItsOwn, byAnother], ours, MEMO_REASON],
    ['P12 another fee payer than ours, in version 1', [memoOfItsOwn, byAnother], ours, MEMO_REASON, version1],
    ['P14 no ticket of its challenge', [memoOfItsOwn], ours, 'accepted', unproven],
  ])('is refused with %s', (_, changes, candidate, reason, payload) => {
    const code = reason === 'amount' ? 'invalid_exact_svm_payload_amount_mismatch' : 'no_matching_requirements';
    const details = expect.objectContaining({ reason, payment: { state: 'refused' } });
    expect(() => read(paying(changes, payload), candidate)).toThrow(expect.objectContaining({ code, details }));
  });
});

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
    ['P12 is at most 20,000 lamports with the most units', 20_000n, setCost(400_000, 25_000n)],
    ['P12 is at most 20,000 lamports with few units at a high price', 20_000n, setCost(20_000, 500_000n)],
    ['P12 is 10,000 lamports when no priority is paid for', 10_000n, setCost(400_000, 0n)],
    ['P12 does not grow with a memo that the payer signs', 10_001n, (draft) => at(draft, MEMO).accountIndices.push(1)],
    ['P12 does not grow with guards of its wallet', 10_001n, (draft) => guarded(4, [FEE_PAYER, PAYER])(draft)],
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
  ['a guard about more lamports than the payer has', guarded(4, [PAYER], hasLamports(2n ** 63n))],
  ['too few units', setCost(1, 1n)],
  [
    'token accounts that may not be written',
    (draft) => Object.assign(draft.header, { numReadonlyNonSignerAccounts: 6 }),
  ],
  ['a blockhash that never was', (draft) => Object.assign(draft, { lifetimeToken: PROGRAMS.memo })],
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
const feePayerSignature = signatureOver(message, feePayer);
describe('a signature that a facilitator reports', () => {
  const counts = (signature: unknown, over: Uint8Array = message) =>
    isFeePayerSignature(nodeCrypto, signature, {
      message: over,
      requirement: { extra: { feePayer: addressOf(feePayer) } } as Payment['requirement'],
    });

  it('P11 counts when it is the fee payer’s over our message', () => {
    expect(counts(bs58.encode(feePayerSignature))).toBe(true);
  });

  const reports: readonly (readonly [string, unknown])[] = [
    ['an empty text', ''],
    ['a list of the right one', [bs58.encode(feePayerSignature)]],
    ['one of another wallet', bs58.encode(signatureOver(message, other))],
    ['one over another message', bs58.encode(signatureOver(Buffer.from('another'), feePayer))],
    ['one with S beyond the order of the group', bs58.encode(malleated(feePayerSignature))],
    ['zeros', bs58.encode(Buffer.alloc(64))],
    ['one cut short', bs58.encode(feePayerSignature.subarray(0, 63))],
    ['one with a byte too many', bs58.encode(Buffer.concat([feePayerSignature, Buffer.from([0])]))],
    ['one with a zero before it', `1${bs58.encode(feePayerSignature)}`],
    ['one with a space behind it', `${bs58.encode(feePayerSignature)} `],
    ['one with a line end behind it', `${bs58.encode(feePayerSignature)}\n`],
    ['one in base64', feePayerSignature.toString('base64')],
    ['very long base58', '1'.repeat(100_000)],
    ['the address of the fee payer', addressOf(feePayer)],
  ];

  it.each(reports)('P11 does not count: %s', (_name, signature) => {
    expect(counts(signature)).toBe(false);
  });

  it('P11 does not count for any other message or with any bit changed', () => {
    const check = (bytes: Uint8Array, at: number) => {
      expect(counts(bs58.encode(feePayerSignature), bytes)).toBe(Buffer.from(bytes).equals(message));
      const flipped = Buffer.from(feePayerSignature);
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
