import { describe, expect, it } from 'vitest';
import type { ChainFaultKnobs } from '../../packages/sandbox/src/chain/chain.ts';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { ask, askUntilDecided, newBuyer, newPath, ROOMY, receiptIn, until } from './fault-buyer.ts';

const open = stoppedAfterTests(() => startSellingGateway(ROOMY));

const BROKEN: Readonly<Record<string, ChainFaultKnobs>> = {
  'answers 503': { status: 503 },
  'answers 500 to simulations only': { status: 500, only: new Set(['simulateTransaction']) },
  'answers nonsense': { status: 200 },
  'is behind': { refuse: { simulateTransaction: { code: -32005, message: 'Node is behind by 42 slots' } } },
  'limits us': { refuse: { simulateTransaction: { code: 429, message: 'Too many requests' } } },
  'hangs at simulations': { hang: new Set(['simulateTransaction']) },
  'hangs at heights': { hang: new Set(['getLatestBlockhash']) },
};

describe.concurrent('P8 an RPC that cannot be used at verify', () => {
  it.each(Object.entries(BROKEN))('P8 %s: 503, payment unused, no upstream call; then it serves', async (_, knobs) => {
    const gateway = await open();
    const { mainnet, provider } = gateway.solana;
    const url = gateway.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    Object.assign(mainnet.faults, knobs);
    const reply = await ask(url, payment);
    expect([reply.status, reply.code]).toEqual([503, 'facilitator_unavailable']);
    expect(reply.text).toContain('"state":"unused"');
    expect(reply.headers.has('retry-after')).toBe(true);
    expect(reply.headers.has('payment-required')).toBe(false);
    expect(provider.arrivals).toHaveLength(0);
    mainnet.faults.reset();
    const served = await askUntilDecided(url, payment);
    expect([served.status, served.isReplayed]).toEqual([200, false]);
    expect(mainnet.transfers).toHaveLength(1);
  });

  it('P8 an RPC that fails between verify and settle: 503, nothing sent, the same payment buys later', async () => {
    const gateway = await open();
    const { mainnet, provider } = gateway.solana;
    const url = gateway.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    provider.faults.delayMs = 500;
    const asked = ask(url, payment);
    await until(() => provider.arrivals.length === 1);
    mainnet.faults.status = 503;
    const reply = await asked;
    expect([reply.status, reply.code]).toEqual([503, 'facilitator_unavailable']);
    expect(reply.text).toContain('"state":"unused"');
    expect(mainnet.calls.some(({ method }) => method === 'sendTransaction')).toBe(false);
    mainnet.faults.reset();
    provider.faults.reset();
    expect((await askUntilDecided(url, payment)).status).toBe(200);
    expect(mainnet.transfers).toHaveLength(1);
  });
});

describe.concurrent('P13 a blockhash that expires while the upstream is slow', () => {
  it('P13 is a refusal with a fresh challenge; nothing moved, nothing was sent, and a new payment buys', async () => {
    const gateway = await open();
    const { mainnet, provider } = gateway.solana;
    const url = gateway.url + newPath();
    const buyer = await newBuyer(mainnet);
    const payment = await buyer.pay(url);
    provider.faults.delayMs = 500;
    const asked = ask(url, payment);
    await until(() => provider.arrivals.length === 1);
    mainnet.faults.expireBlockhashes();
    const reply = await asked;
    expect([reply.status, reply.code]).toEqual([402, 'invalid_exact_svm_transaction_simulation_failed']);
    expect(reply.headers.has('payment-required')).toBe(true);
    expect(receiptIn(reply)).toMatchObject({ success: false, transaction: '' });
    expect(mainnet.calls.some(({ method }) => method === 'sendTransaction')).toBe(false);
    expect(mainnet.transfers).toHaveLength(0);
    provider.faults.reset();
    expect((await ask(url, await buyer.pay(url))).status).toBe(200);
    expect(mainnet.transfers).toHaveLength(1);
  });
});

describe.concurrent('P11 an RPC that lies', () => {
  it('P11 statusMissing: never a challenge, and the stored answer when it stops', async () => {
    const gateway = await open();
    const { mainnet, provider } = gateway.solana;
    const url = gateway.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    mainnet.faults.lie = { statusMissing: true };
    const first = ask(url, payment);
    await until(() => mainnet.transfers.length === 1);
    expect((await ask(url, payment)).code).toBe('payment_in_progress');
    mainnet.faults.reset();
    expect((await first).status).toBe(200);
    expect((await askUntilDecided(url, payment)).isReplayed).toBe(true);
    expect([mainnet.transfers.length, provider.arrivals.length]).toEqual([1, 1]);
  });

  it('P11 simulateOk: a payment that cannot succeed is never served', async () => {
    const gateway = await open();
    const { mainnet } = gateway.solana;
    const url = gateway.url + newPath();
    const payment = await (await newBuyer(mainnet, 1n)).pay(url);
    mainnet.faults.lie = { simulateOk: true };
    const reply = await ask(url, payment);
    expect([reply.status, receiptIn(reply).success]).toEqual([402, false]);
    expect((await ask(url, payment)).status).toBe(402);
    expect(mainnet.transfers).toHaveLength(0);
  });

  it('P11 statusConfirmed: said of everything, it still moves a payment once and serves it once', async () => {
    const gateway = await open();
    const { mainnet, provider } = gateway.solana;
    const url = gateway.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    mainnet.faults.lie = { statusConfirmed: true };
    const replies = await Promise.all(Array.from({ length: 10 }, () => askUntilDecided(url, payment)));
    expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(replies.filter(({ isReplayed }) => !isReplayed)).toHaveLength(1);
    expect([mainnet.transfers.length, provider.arrivals.length]).toEqual([1, 1]);
  });
});
