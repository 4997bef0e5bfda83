import { createHash } from 'node:crypto';
import { newKeypair } from '@asset-gateway/client/node';
import { NETWORKS, USDC } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { loadSodium, nodeCrypto } from '../../packages/gateway/src/gates/crypto.ts';
import { Memos, type Offer, paymentKeyOf } from '../../packages/gateway/src/payments/read/requirement.ts';
import { anyText } from '../kit/any-text.ts';
import { addressOf, carrying, draftOf, ISSUED, openForge, openMarket, signed } from './forge.ts';
import { type Change, MEMO, REASONS, removed, setData, TRANSFER, u64 } from './forgeries.ts';

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

describe('a memo', () => {
  it('is 32 letters of base64url, tells any second, and is never the same', () => {
    const issued = new Set<string>();
    const check = (seconds: number) => {
      const memo = memos.issue(REQUIREMENT, HASH, seconds * 1000 + 999);
      expect(memo).toMatch(/^[A-Za-z0-9_-]{32}$/);
      expect(memos.read(memo, REQUIREMENT, HASH)).toBe(seconds);
      expect(issued.size).toBeLessThan(issued.add(memo).size);
    };
    fc.assert(fc.property(fc.oneof(fc.constant(SECONDS), fc.integer({ min: 0, max: 2 ** 32 - 1 })), check));
  });

  it('P3 P15 is of no use with another part of the offer, or for another request', () => {
    const text = fc.string({ maxLength: 12 });
    const amount = fc.nat().map(String);
    const parts = fc.record({ network: text, asset: text, payTo: text, amount, feePayer: text, hash: text });
    type Parts = typeof parts extends fc.Arbitrary<infer T> ? T : never;
    const read = (memo: string, offer: Parts) => memos.read(memo, { ...REQUIREMENT, ...offer }, offer.hash);
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
    expect([other, memos.read(other, REQUIREMENT, HASH)]).toEqual([other, other === memo ? SECONDS : undefined]);
  }
});

describe('secrets', () => {
  const [first = '', second = ''] = SECRETS;

  it('take turns: the first signs, all verify, and one that is gone does not', () => {
    const [before, during, after] = [[first], [second, first], [second]].map((all) => new Memos(nodeCrypto, all));
    const readers = [before, during, after];
    const readBy = (issuer?: Memos) => {
      const memo = issuer?.issue(REQUIREMENT, HASH, NOW) ?? '';
      return readers.map((each) => each?.read(memo, REQUIREMENT, HASH));
    };
    expect(readBy(before)).toEqual([SECONDS, SECONDS, undefined]);
    expect(readBy(during)).toEqual([undefined, SECONDS, SECONDS]);
  });

  it('are needed', () => {
    expect(() => new Memos(nodeCrypto, []).issue(REQUIREMENT, HASH, NOW)).toThrow();
    expect(new Memos(nodeCrypto, []).read(memos.issue(REQUIREMENT, HASH, NOW), REQUIREMENT, HASH)).toBeUndefined();
  });

  it('read the same memos with libsodium and without', async () => {
    const sodium = await loadSodium();
    if (!sodium) throw new Error('libsodium does not load here');
    const check = (secret: string, amount: string, hash: string) => {
      const requirement = { ...REQUIREMENT, amount };
      const [one, other] = [new Memos(nodeCrypto, [secret]), new Memos(sodium, [secret])];
      expect(other.read(one.issue(requirement, hash, NOW), requirement, hash)).toBe(SECONDS);
      expect(one.read(other.issue(requirement, hash, NOW), requirement, hash)).toBe(SECONDS);
    };
    fc.assert(fc.property(anyText({ minLength: 1 }), fc.string(), fc.string(), check));
  });
});

it('the key of a payment is its network and the SHA-256 of its message, and nothing else', () => {
  const check = (network: string, message: Uint8Array) => {
    const hash = createHash('sha256').update(message).digest('hex');
    expect(paymentKeyOf(network, message)).toBe(`${network}:${hash}`);
  };
  fc.assert(fc.property(fc.string(), fc.uint8Array(), check));
});

const market = await openMarket();
afterAll(() => market.chain.close());
const { genuine, offer, read } = market;

const OTHER_REQUEST = { code: REASONS.other, details: expect.objectContaining({ payment: { state: 'refused' } }) };

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
    expect(() => read(genuine.payload, { ...dearer, memos: undefined })).toThrow(
      expect.objectContaining({ code: REASONS.amount }),
    );
  });

  it('P16 on its network only', () => {
    const elsewhere = { ...offer, network: NETWORKS.mainnet };
    expect(() => read(genuine.payload, { offer: elsewhere })).toThrow(expect.objectContaining(OTHER_REQUEST));
  });
});

describe('without memos in the requirement', () => {
  it('asks for none, and takes the one that the official client makes up', async () => {
    const forge = await openForge({ PAYMENT_MEMO: 'off' });
    const { payload } = await forge.genuine();
    expect(payload).toMatchObject({ accepted: { extra: { feePayer: forge.feePayer } } });
    expect(JSON.stringify(payload)).not.toContain('"memo"');
    expect((await forge.pay(payload)).status).toBe(200);
  });

  const other = newKeypair();
  it.each<[string, string, Change]>([
    ...[4n, 6n, 5n + 2n ** 32n].map((amount): [string, string, Change] => [
      `P10 ${amount} micro-dollars for 5 are`,
      REASONS.amount,
      setData(TRANSFER, [12, ...u64(amount), 6]),
    ]),
    [
      'P12 another fee payer is',
      'invalid_exact_svm_fee_payer_mismatch',
      ({ keys }) => keys.splice(0, 1, addressOf(other)),
    ],
    ['P10 no memo is, without the advice to copy one,', REASONS.memoCount, removed(MEMO, 1)],
  ])('%s refused', (_, code, change) => {
    const draft = draftOf(genuine.wire);
    change(draft, market);
    const payment = carrying(genuine.payload, signed(draft, [market.payer, other]));
    expect(() => read(payment, { memos: undefined })).toThrow(
      expect.objectContaining({ code, details: { reason: expect.any(String), payment: { state: 'refused' } } }),
    );
  });
});
