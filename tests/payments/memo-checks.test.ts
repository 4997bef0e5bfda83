import { newKeypair } from '@asset-gateway/client/node';
import { NETWORKS } from '@asset-gateway/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { addressOf, carrying, ISSUED, openForge, openMarket } from './forge-market.ts';
import { type Change, MEMO, REASONS, removed, setData, TRANSFER, u64 } from './forge-table.ts';
import { draftOf, signed } from './forge-wire.ts';

const market = await openMarket();
afterAll(() => market.chain.close());
const { genuine, offer, read } = market;

const OTHER_REQUEST = { code: REASONS.other, details: expect.objectContaining({ payment: { state: 'refused' } }) };

describe('a memo is good', () => {
  it.each([
    [-31, false],
    [-30, true],
    [0, true],
    [300, true],
    [301, false],
    [86_400, false],
  ])('%s seconds after it was issued: %s', (age, isGood) => {
    const readThen = () => read(genuine.payload, { nowMs: (ISSUED + age) * 1000 });
    if (isGood) expect(readThen().transfer).toMatchObject({ payer: addressOf(market.payer), amount: '5' });
    else expect(readThen).toThrow(expect.objectContaining(OTHER_REQUEST));
  });

  it('at the price of its challenge, also if the price has changed', () => {
    const dearer = { offer: { ...offer, amount: '700' } };
    expect(read(genuine.payload, dearer).payment.requirement.amount).toBe('5');
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
    const forge = await stopAfterTests(openForge({ PAYMENT_MEMO: 'off' }));
    const { payload } = await forge.genuine();
    expect(payload).toMatchObject({ accepted: { extra: { feePayer: forge.feePayer } } });
    expect(JSON.stringify(payload)).not.toContain('"memo"');
    expect((await forge.pay(payload)).status).toBe(200);
  });

  const other = newKeypair();
  it.each<[string, string, Change]>([
    ...[4n, 6n, 0n, 2n ** 64n - 1n, 5n + 2n ** 32n].map((amount): [string, string, Change] => [
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
