import { describe, expect, it } from 'vitest';
import type { ChainFaultKnobs } from '../../packages/sandbox/src/chain/chain.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { PENDING, ROOMY, receiptIn, until } from './fault-buyer.ts';
import { openRemoteFixture, type RemoteOrders } from './fault-facilitator.ts';
import { expectStored, newSale, type Sale } from './sale.ts';

/** Faults of the chain where the gateway settles itself; where a remote facilitator settles, its orders. */
type Fault = { readonly chain: ChainFaultKnobs } | RemoteOrders;

const openSale = async (micros?: bigint): Promise<Sale> => newSale(await startSellingGateway(ROOMY), micros);

/** A payment under a fault, and the end of the fault. */
async function openUnder(fault: Fault) {
  if ('chain' in fault) {
    const sale = await openSale();
    Object.assign(sale.faults, fault.chain);
    return { sale, mend: () => sale.faults.reset(), settlements: () => sale.chain.calls.filter(isSending).length };
  }
  const sale = await openRemoteFixture(fault);
  const mend = () => {
    sale.orders = {};
  };
  return { sale, mend, settlements: () => sale.judged().filter(({ path }) => path === '/settle').length };
}

const isSending = ({ method }: { readonly method: string }) => method === 'sendTransaction';
const refuses = (errorReason: string) => ({ success: false, errorReason, transaction: '', network: '' });
const succeeds = (transaction: unknown) => ({ success: true, transaction, network: '' });
/** The reply of sendTransaction is lost, and the chain shows nothing yet. */
const UNHEARD: ChainFaultKnobs = { dropAfterBroadcast: true, lie: { statusMissing: true } };

/** Faults at settling, and the first answer. If the chain shows the payment, it is served at once; without any reply it is pending. */
const UNKNOWN: readonly (readonly [name: string, first: string, fault: Fault])[] = [
  ['P6 the reply of sendTransaction is lost', '200', { chain: { dropAfterBroadcast: true } }],
  ['P6 that, and the chain shows nothing yet', PENDING, { chain: UNHEARD }],
  ['P6 a status that comes late', '200', { chain: { confirmAfterMs: 3_000 } }],
  ['P6 sendTransaction hangs and nothing was sent', PENDING, { chain: { hang: new Set(['sendTransaction']) } }],
  ['P6 accept_then_timeout', PENDING, { settle: { hang: true } }],
  ['P6 double_402', '200', { settle: { status: 402, answer: refuses('duplicate_settlement') } }],
  ['P6 5xx_after_settle', '200', { settle: { status: 502, answer: 'Bad gateway' } }],
  ['P6 not JSON', '200', { settle: { answer: '<html>' } }],
  ['P6 transaction_failed', '200', { settle: { answer: refuses('invalid_exact_svm_transaction_failed') } }],
  ['P11 settled with an empty signature', '200', { settle: { answer: succeeds('') } }],
];

const LONG = { timeout: 90_000 };

describe.concurrent('P6 an unknown outcome', () => {
  it.each(UNKNOWN)('%s: one transfer, and the stored answer', LONG, async (_, outcome, fault) => {
    const { sale, mend, settlements } = await openUnder(fault);
    const first = await sale.ask();
    expect(first.outcome).toBe(outcome);
    if (outcome === PENDING) {
      expect(first.headers.get('retry-after')).toBe('2');
      expect(receiptIn(first)).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    }
    if (outcome === PENDING && 'chain' in fault) {
      expect((await sale.ask()).outcome).toBe(PENDING);
      expect(sale.moved()).toEqual([fault.chain.hang ? 0 : 1, 1]);
      mend();
    } else expect(settlements()).toBe(1);
    await expectStored(sale, sale.payment, 40_000);
  });

  it('P6 is settled within 5 s after the chain shows it, without a request', async () => {
    const sale = await openSale();
    Object.assign(sale.faults, UNHEARD);
    expect((await sale.ask()).outcome).toBe(PENDING);
    sale.faults.reset();
    const seen = sale.chain.calls.length;
    const shown = performance.now();
    const isLookedUp = () => sale.chain.calls.slice(seen).some(({ method }) => method === 'getSignatureStatuses');
    await until(isLookedUp, 5_000);
    await until(async () => (await sale.ask()).status === 200, 5_000 - (performance.now() - shown));
    await expectStored(sale);
  });

  it('P6 a transaction without a block is refused only once its blockhash has expired', async () => {
    const sale = await openSale();
    Object.assign(sale.faults, { loseBroadcast: true, hang: new Set(['sendTransaction']) });
    expect((await sale.ask()).outcome).toBe(PENDING);
    sale.faults.expireBlockhashes();
    expect((await sale.ask()).outcome).toBe(PENDING);
    sale.chain.advanceBlocks(150);
    const last = await sale.decided();
    expect(last.outcome).toMatch(/^402 \w+ refused$/);
    expect(receiptIn(last)).toMatchObject({ success: false, transaction: '' });
    sale.faults.reset();
    expect((await sale.ask(await sale.renew())).outcome).toBe('200');
    expect(sale.moved()[0]).toBe(1);
  });

  it('P6 a new payment for the same request waits while the first one is open, and gets its answer', async () => {
    const sale = await openSale();
    Object.assign(sale.faults, UNHEARD);
    expect((await sale.ask()).outcome).toBe(PENDING);
    const second = await sale.renew();
    expect((await sale.ask(second)).outcome).toBe('503 settlement_pending unused');
    sale.faults.reset();
    await expectStored(sale, second);
    await expectStored(sale);
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

describe.concurrent('P5 a refusal that proves something', () => {
  it('P5 money that is gone between verify and settle: 402, no byte of the result, nothing moved', async () => {
    const first = await openSale(500n);
    const second = await newSale(first.gateway, first.buyer);
    first.provider.faults.body = '{"canary":"CANARY_result_0123456789"}';
    first.provider.faults.delayMs = 400;
    const replies = await Promise.all([first.ask(), second.ask()]);
    const outcomes = replies.map(({ outcome }) => outcome).sort();
    expect(outcomes).toEqual(['200', '402 invalid_exact_svm_transaction_simulation_failed refused']);
    const refused = replies.filter(({ status }) => status === 402);
    expect(refused.map(({ text }) => text).join()).not.toContain('CANARY_result');
    expect(refused.map(receiptIn)).toEqual([expect.objectContaining({ success: false, transaction: '' })]);
    expect(first.chain.transfers).toHaveLength(1);
  });

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

it('P11 a facilitator that says settled, with the signature of another payment, is not believed', LONG, async () => {
  const sale = await openRemoteFixture();
  expect((await (await newSale(sale.gateway, sale.buyer)).ask()).outcome).toBe('200');
  const transfers = [...sale.chain.transfers];
  sale.orders = { settle: { does: false, answer: succeeds(transfers[0]?.signature) } };
  for (let call = 0; call < 3; call++) {
    const reply = await sale.ask();
    expect(reply.outcome).toBe(PENDING);
    expect(reply.text).not.toContain('"result"');
  }
  sale.chain.advanceBlocks(300);
  expect((await sale.decided()).status).toBe(402);
  expect(sale.chain.transfers).toEqual(transfers);
});

const UNAVAILABLE = '503 facilitator_unavailable unused';
const INVALID = '502 facilitator_invalid_response unused';
/** Faults at verify. */
const UNUSABLE: readonly (readonly [name: string, outcome: string, fault: Fault])[] = [
  ['P8 an RPC answers 503', UNAVAILABLE, { chain: { status: 503 } }],
  ['P8 an RPC answers nonsense', UNAVAILABLE, { chain: { status: 200 } }],
  ['P8 an RPC hangs at simulations', UNAVAILABLE, { chain: { hang: new Set(['simulateTransaction']) } }],
  ['P8 resets', UNAVAILABLE, { verify: { status: 'reset' } }],
  ['P9 hangs', UNAVAILABLE, { verify: { hang: true } }],
  ['P8 answers HTML', INVALID, { verify: { answer: '<html>' } }],
];

describe.concurrent('P8 an RPC or a facilitator that cannot be used', () => {
  it.each(UNUSABLE)('%s at verify: unused, no upstream call; later it buys', async (_, outcome, fault) => {
    const { sale, mend } = await openUnder(fault);
    const reply = await sale.ask();
    expect([reply.outcome, reply.headers.has('retry-after')]).toEqual([outcome, outcome === UNAVAILABLE]);
    expect(sale.moved()).toEqual([0, 0]);
    mend();
    expect([(await sale.decided()).outcome, sale.moved()]).toEqual(['200', [1, 1]]);
  });

  it('P13 a blockhash that expires while the upstream is slow: a refusal once that is final; a new payment buys', async () => {
    const sale = await openSale();
    sale.provider.faults.delayMs = 500;
    const first = sale.ask();
    await until(() => sale.provider.arrivals.length === 1);
    sale.faults.expireBlockhashes();
    expect([(await first).outcome, sale.moved()[0]]).toEqual([PENDING, 0]);
    sale.provider.faults.reset();
    sale.chain.advanceBlocks(150);
    const reply = await sale.decided();
    expect(reply.outcome).toMatch(/^402 \w+ refused$/);
    expect(receiptIn(reply)).toMatchObject({ success: false, transaction: '' });
    expect((await sale.ask(await sale.renew())).outcome).toBe('200');
    expect(sale.moved()[0]).toBe(1);
  });
});

it('P11 an RPC that confirms every signature: a payment still moves once and is served once', async () => {
  const sale = await openSale();
  sale.faults.lie = { statusConfirmed: true };
  const replies = await Promise.all(Array.from({ length: 10 }, () => sale.decided()));
  const outcomes = replies.map(({ outcome }) => outcome).sort();
  expect(outcomes).toEqual(['200', ...Array(9).fill('200 again')]);
  expect(sale.moved()).toEqual([1, 1]);
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
