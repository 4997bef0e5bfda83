import { describe, expect, it } from 'vitest';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { ask, askUntilDecided, receiptIn } from './fault-buyer.ts';
import { type Orders, openRemoteFixture, type RemoteFixture } from './fault-facilitator.ts';

const open = stoppedAfterTests(async (settle: Orders, variables: Record<string, string> = {}) => {
  const fixture = await openRemoteFixture(variables);
  await fixture.order({ settle });
  return fixture;
});

/** The end of every story in which money moved: the stored answer, one call, one transfer. */
async function expectStored({ url, payment, chain, solana }: RemoteFixture): Promise<void> {
  const reply = await askUntilDecided(url, payment, 40_000);
  expect([reply.status, reply.isReplayed]).toEqual([200, true]);
  expect(receiptIn(reply)).toMatchObject({ success: true, transaction: chain.transfers[0]?.signature });
  expect([chain.transfers.length, solana.provider.arrivals.length]).toEqual([1, 1]);
}

const DUPLICATE = { success: false, errorReason: 'duplicate_settlement', transaction: '', network: '' };
const PENDING = { success: false, errorReason: 'settlement_pending', transaction: '', network: '' };
const FAILED = { success: false, errorReason: 'invalid_exact_svm_transaction_failed', transaction: '', network: '' };

/** It has paid, and says something else. The answer is served at once, for the chain shows the payment. */
const PAID_AND: Readonly<Record<string, Orders>> = {
  'P6 clean': {},
  'P6 slow_answer': { delayMs: 2_000 },
  'P6 double_402': { status: 402, answer: DUPLICATE },
  'P6 5xx_after_settle': { status: 502, answer: 'Bad gateway' },
  'P6 reset_after_settle': { status: 'reset' },
  'P6 not JSON': { answer: '<html>' },
  'P6 an empty body': { answer: '' },
  'P6 a list': { answer: [] },
  'P6 settlement_pending': { answer: PENDING },
  'P6 transaction_failed': { answer: FAILED },
  'P11 settled with an empty signature': { answer: { ...PENDING, success: true } },
  'P11 settled with a malformed signature': { answer: { success: true, transaction: '0OIl', network: '' } },
};

describe.concurrent('P6 a facilitator that has paid', () => {
  it('P6 accept_then_timeout: 503 when the deadline is over, then the stored answer', { timeout: 90_000 }, async () => {
    const fixture = await open({ hang: true });
    const first = await ask(fixture.url, fixture.payment);
    expect([first.status, first.code]).toEqual([503, 'settlement_pending']);
    expect(first.headers.has('payment-required')).toBe(false);
    await expectStored(fixture);
  });

  it.each(Object.entries(PAID_AND))(
    '%s: served, and then stored; one transfer',
    { timeout: 90_000 },
    async (_, how) => {
      const fixture = await open(how);
      const first = await ask(fixture.url, fixture.payment);
      expect([first.status, first.isReplayed]).toEqual([200, false]);
      await expectStored(fixture);
      expect((await fixture.calls()).filter(({ url }) => url === '/settle')).toHaveLength(1);
    },
  );

  it('P6 reconcile_unavailable: 503 while neither chain nor facilitator answers, then the stored answer', async () => {
    const fixture = await open({ status: 503, answer: 'down' });
    fixture.chain.faults.status = 503;
    fixture.chain.faults.only = new Set(['getSignaturesForAddress', 'getSignatureStatuses']);
    for (let round = 0; round < 3; round++) {
      const reply = await ask(fixture.url, fixture.payment);
      expect([reply.status, reply.code]).toEqual([503, 'settlement_pending']);
      expect(receiptIn(reply)).toMatchObject({ success: false, errorReason: 'settlement_pending' });
    }
    fixture.chain.faults.reset();
    await expectStored(fixture);
  });

  it('P6 without an own RPC: settle is called again, and a proved success counts', async () => {
    const fixture = await open({ status: 502 }, { SOLANA_MAINNET_RPC_URL: '', SOLANA_DEVNET_RPC_URL: '' });
    const first = await ask(fixture.url, fixture.payment);
    expect([first.status, first.code]).toEqual([503, 'settlement_pending']);
    const transaction = fixture.chain.transfers[0]?.signature;
    const foreign = { success: true, transaction: `${transaction?.slice(0, -4)}1111`, network: '' };
    await fixture.order({ settle: { does: false, answer: foreign } });
    expect((await ask(fixture.url, fixture.payment)).status).toBe(503);
    await fixture.order({ settle: { does: false, answer: { success: true, transaction, network: '' } } });
    await expectStored(fixture);
  });
});

describe.concurrent('P5 a facilitator that refuses', () => {
  it('P5 declared_safe: 402 with a receipt that says so, and no byte of the result', async () => {
    const reason = 'invalid_exact_svm_transaction_simulation_failed';
    const answer = { success: false, errorReason: reason, transaction: '', network: '' };
    const fixture = await open({ does: false, answer });
    fixture.solana.provider.faults.body = '{"canary":"CANARY_result_0123456789"}';
    for (let round = 0; round < 2; round++) {
      const reply = await ask(fixture.url, fixture.payment);
      expect([reply.status, reply.code]).toEqual([402, reason]);
      expect(reply.headers.has('payment-required')).toBe(true);
      expect(receiptIn(reply)).toMatchObject({ success: false, transaction: '' });
      const all = reply.text + JSON.stringify([...reply.headers]) + JSON.stringify(receiptIn(reply));
      expect(all).not.toContain('CANARY_result');
    }
    expect(fixture.solana.provider.arrivals).toHaveLength(1);
    await fixture.order({});
    const renewed = await ask(fixture.url, await fixture.buyer.pay(fixture.url));
    expect([renewed.status, fixture.chain.transfers.length]).toEqual([200, 1]);
  });
});
