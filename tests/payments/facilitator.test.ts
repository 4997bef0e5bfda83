import { randomBytes } from 'node:crypto';
import bs58 from 'bs58';
import { describe, expect, it } from 'vitest';
import { nodeCrypto } from '../../packages/gateway/src/gates/crypto.ts';
import type { Payment } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import { RemoteFacilitator } from '../../packages/gateway/src/payments/facilitator/remote.ts';
import { inSuite } from '../kit/in-suite.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { PENDING, receiptIn } from './fault-buyer.ts';
import { type Orders, openRemoteFixture, type RemoteOrders } from './fault-facilitator.ts';
import { expectStored, newSale } from './sale.ts';

const refuses = (errorReason: string) => ({ success: false, errorReason, transaction: '', network: '' });
const succeeds = (transaction: unknown) => ({ success: true, transaction, network: '' });

/** It has paid, and says something else. The answer is served at once, as the chain shows the payment; without any reply it is pending. */
const PAID_AND: readonly (readonly [name: string, first: string, orders: Orders])[] = [
  ['P6 accept_then_timeout', PENDING, { hang: true }],
  ['P6 double_402', '200', { status: 402, answer: refuses('duplicate_settlement') }],
  ['P6 5xx_after_settle', '200', { status: 502, answer: 'Bad gateway' }],
  ['P6 reset_after_settle', '200', { status: 'reset' }],
  ['P6 not JSON', '200', { answer: '<html>' }],
  ['P6 a list', '200', { answer: [] }],
  ['P6 transaction_failed', '200', { answer: refuses('invalid_exact_svm_transaction_failed') }],
  ['P11 settled with an empty signature', '200', { answer: succeeds('') }],
  ['P11 settled with a malformed signature', '200', { answer: succeeds('0OIl') }],
];

const LONG = { timeout: 90_000 };

describe.concurrent('P6 a facilitator that has paid', () => {
  it.each(PAID_AND)('%s: served, and then stored; one transfer', LONG, async (_, outcome, settle) => {
    const sale = await openRemoteFixture({ settle });
    expect((await sale.ask()).outcome).toBe(outcome);
    await expectStored(sale, sale.payment, 40_000);
    expect(sale.judged().filter(({ path }) => path === '/settle')).toHaveLength(1);
  });

  it('P6 whose facilitator does not come back: served once the chain shows the payment; one transfer', async () => {
    const sale = await openRemoteFixture();
    Object.assign(sale.faults, { dropAfterBroadcast: true, lie: { statusMissing: true } });
    expect((await sale.ask()).outcome).toBe(PENDING);
    await sale.crash();
    expect((await sale.ask()).outcome).toBe(PENDING);
    sale.faults.reset();
    await expectStored(sale);
  });

  it('P6 reconcile_unavailable: 503 while neither chain nor facilitator answers, then the stored answer', async () => {
    const sale = await openRemoteFixture({ settle: { status: 503, answer: 'down' } });
    const only = new Set(['getSignaturesForAddress', 'getSignatureStatuses']);
    Object.assign(sale.faults, { status: 503, only });
    for (let round = 0; round < 3; round++) {
      const reply = await sale.ask();
      expect(reply.outcome).toBe(PENDING);
      expect(receiptIn(reply)).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    }
    sale.faults.reset();
    await expectStored(sale, sale.payment, 40_000);
  });

  it('P6 without an own RPC: settle is called again, and a proved success counts', async () => {
    const sale = await openRemoteFixture(
      { settle: { status: 502 } },
      { SOLANA_MAINNET_RPC_URL: '', SOLANA_DEVNET_RPC_URL: '' },
    );
    expect((await sale.ask()).outcome).toBe(PENDING);
    const transaction = sale.chain.transfers[0]?.signature;
    sale.orders = { settle: { does: false, answer: succeeds(`${transaction?.slice(0, -4)}1111`) } };
    expect((await sale.ask()).status).toBe(503);
    sale.orders = { settle: { does: false, answer: succeeds(transaction) } };
    await expectStored(sale, sale.payment, 40_000);
  });
});

describe.concurrent('P5 a facilitator that refuses', () => {
  it('P5 declared_safe: 402 with a receipt that says so, and no byte of the result', async () => {
    const reason = 'invalid_exact_svm_transaction_simulation_failed';
    const sale = await openRemoteFixture({ settle: { does: false, answer: refuses(reason) } });
    sale.provider.faults.body = '{"canary":"CANARY_result_0123456789"}';
    for (let round = 0; round < 2; round++) {
      const reply = await sale.ask();
      expect(reply.outcome).toBe(`402 ${reason} refused`);
      expect(receiptIn(reply)).toMatchObject({ success: false, transaction: '' });
      const all = reply.text + JSON.stringify([...reply.headers]) + JSON.stringify(receiptIn(reply));
      expect(all).not.toContain('CANARY_result');
    }
    expect(sale.moved()).toEqual([0, 1]);
    sale.orders = {};
    expect([(await sale.ask(await sale.renew())).outcome, sale.moved()[0]]).toEqual(['200', 1]);
  });
});

describe('P6 a refusal of a remote facilitator', () => {
  const server = inSuite(startStrangeGateway);
  const extra = { feePayer: '1'.repeat(32) };
  const payment = { key: 'key', transaction: 'AAAA', message: new Uint8Array(), requirement: { extra } } as Payment;

  /** The outcomes of one payment that is settled twice and refused each time. */
  async function settleTwice(transaction: string): Promise<string[]> {
    const refusal = { ...refuses('invalid_exact_svm_transaction_simulation_failed'), transaction };
    server.answer((_, response) => json(response, 402, refusal));
    const facilitator = new RemoteFacilitator({ url: server.url, authorization: undefined, crypto: nodeCrypto });
    const outcomes = [await facilitator.settle(payment), await facilitator.settle(payment)];
    await facilitator.close();
    return outcomes.map(({ outcome }) => outcome);
  }

  it('P6 proves that nothing was sent only if it answers the first settlement', async () => {
    expect(await settleTwice('')).toEqual(['refused', 'unknown']);
  });

  it('P6 proves nothing if it names a transaction', async () => {
    expect(await settleTwice('1'.repeat(64))).toEqual(['unknown', 'unknown']);
  });
});

/** Reported by a facilitator that has not paid. */
const SIGNATURES: Readonly<Record<string, unknown>> = {
  'an empty signature': '',
  'a number': 7,
  'an unknown signature': bs58.encode(randomBytes(64)),
  'the signature of another payment': 'other',
};

describe.concurrent('P11 a facilitator that says settled and has not', () => {
  it.each(Object.entries(SIGNATURES))('P11 with %s is not believed', async (_, signature) => {
    const sale = await openRemoteFixture();
    if (signature === 'other') expect((await (await newSale(sale.gateway, sale.buyer)).ask()).outcome).toBe('200');
    const transfers = [...sale.chain.transfers];
    const told = signature === 'other' ? transfers[0]?.signature : signature;
    sale.orders = { settle: { does: false, answer: succeeds(told) } };
    for (let call = 0; call < 3; call++) {
      const reply = await sale.ask();
      expect(reply.outcome).toBe(PENDING);
      expect(reply.text).not.toContain('"result"');
    }
    sale.chain.advanceBlocks(300);
    expect((await sale.decided()).status).toBe(402);
    expect(sale.chain.transfers).toEqual(transfers);
  });
});

const UNAVAILABLE = '503 facilitator_unavailable unused';
const INVALID = '502 facilitator_invalid_response unused';
/** At verify. */
const DOWN: readonly (readonly [name: string, outcome: string, orders: Orders])[] = [
  ['P8 answers valid with 500', UNAVAILABLE, { status: 500, answer: { isValid: true } }],
  ['P8 answers 429', UNAVAILABLE, { status: 429, answer: 'slow down' }],
  ['P8 resets', UNAVAILABLE, { status: 'reset' }],
  ['P9 hangs', UNAVAILABLE, { hang: true }],
  ['P8 answers HTML', INVALID, { answer: '<html>' }],
  ['P8 answers valid with 402', INVALID, { status: 402, answer: { isValid: true } }],
  ['P8 answers neither yes nor no', INVALID, { answer: '{"isValid":"yes"}' }],
];

describe.concurrent('P8 a facilitator that cannot be used at verify', () => {
  it.each(DOWN)('%s: unused, no upstream call; later it buys', async (_, outcome, verify) => {
    const sale = await openRemoteFixture({ verify });
    expect((await sale.ask()).outcome).toBe(outcome);
    expect(sale.moved()).toEqual([0, 0]);
    sale.orders = {};
    expect([(await sale.decided()).outcome, sale.moved()]).toEqual(['200', [1, 1]]);
  });

  it('P8 is gone: 503, payment unused, no upstream call; restarted, it buys', async () => {
    const sale = await openRemoteFixture();
    await sale.crash();
    expect([(await sale.ask()).outcome, sale.moved()]).toEqual([UNAVAILABLE, [0, 0]]);
    await sale.restart();
    expect([(await sale.decided()).outcome, sale.moved()]).toEqual(['200', [1, 1]]);
  });
});

const CRLF = '\r\nSet-Cookie: stolen=1\r\n\r\n<script>';
const settled = (answer: object): RemoteOrders => ({ settle: { does: false, answer } });
const SAID: Readonly<Record<string, RemoteOrders>> = {
  'at verify': { verify: { answer: { isValid: false, invalidReason: CRLF, invalidMessage: CRLF, payer: CRLF } } },
  'in a reason that looks like a code': settled({ ...refuses(`invalid_exact_svm_payload_${CRLF}`), payer: CRLF }),
  'in everything at settle': settled({ ...succeeds(CRLF), errorReason: CRLF, payer: CRLF, network: CRLF }),
};

describe.concurrent('the words of a facilitator', () => {
  it.each(Object.entries(SAID))('P21 line breaks %s reach no client', async (_, orders) => {
    const sale = await openRemoteFixture(orders);
    const reply = await sale.ask();
    expect([402, 503]).toContain(reply.status);
    expect(reply.headers.has('set-cookie')).toBe(false);
    expect(reply.text + JSON.stringify(receiptIn(reply))).not.toContain('stolen');
  });

  it('P23 gets the same Idempotency-Key on verify and settle, and another for each payment', async () => {
    const sale = await openRemoteFixture();
    const other = await newSale(sale.gateway, sale.buyer);
    const outcomes = [await sale.ask(), await sale.ask(), await other.ask()].map(({ outcome }) => outcome);
    expect(outcomes).toEqual(['200', '200 again', '200']);
    const calls = sale.judged();
    expect(calls.map(({ path }) => path)).toEqual(['/verify', '/settle', '/verify', '/settle']);
    const keys = calls.map(({ headers }) => String(headers['idempotency-key']));
    expect([keys[0], keys[2]]).toEqual([keys[1], keys[3]]);
    expect(new Set(keys).size).toBe(2);
    expect(keys.every((key) => key.length >= 32)).toBe(true);
    expect(calls.every(({ headers }) => headers.authorization === 'Bearer facilitator')).toBe(true);
  });
});
