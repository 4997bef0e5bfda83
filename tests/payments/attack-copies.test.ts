import type { PaymentRequired } from '@asset-gateway/protocol';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, askUntilDecided, type Buyer, newBuyer, newPath, type Reply, ROOMY } from './fault-buyer.ts';

const gateway = await startSellingGateway(ROOMY);
afterEach(() => {
  vi.restoreAllMocks();
  // The official packages print errors that they also return.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  gateway.solana.provider.faults.reset();
  gateway.solana.mainnet.faults.reset();
});
afterAll(() => gateway.stop());

/** For two gateways: each takes the other's memos for its own. */
const SECRET = { ...ROOMY, GATEWAY_SECRET: 'a secret that both of them have and use' };

/** Two gateways with one secret and separate databases. */
async function openTwo() {
  const first = await startSellingGateway(SECRET);
  const second = await startSellingGateway(SECRET, { solana: first.solana });
  onTestFinished(() => second.stop().then(first.stop));
  return { first, second };
}

const encode = (payload: unknown): string => Buffer.from(JSON.stringify(payload)).toString('base64');
const decode = (header: string) => JSON.parse(Buffer.from(header, 'base64').toString()) as Record<string, unknown>;

/** Turns the clock of payments on. */
function later(milliseconds: number): void {
  const now = Payments.prototype.now;
  vi.spyOn(Payments.prototype, 'now').mockImplementation(function (this: Payments) {
    return now.call(this) + milliseconds;
  });
}

/** A settled transaction as everybody can read it on the chain, in base64. */
async function copyFromChain(signature: string): Promise<string> {
  const body = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'getTransaction',
    params: [signature, { encoding: 'base64', maxSupportedTransactionVersion: 0, commitment: 'confirmed' }],
  });
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(gateway.solana.mainnet.url, { method: 'POST', headers, body });
  const { result } = (await response.json()) as { result: { transaction: [string, string] } };
  return result.transaction[0];
}

/** A transaction in version 1 of x402, which carries nothing else. */
const inVersion1 = (transaction: unknown): Record<string, string> => ({
  'X-PAYMENT': encode({ x402Version: 1, scheme: 'exact', network: 'solana', payload: { transaction } }),
});

interface Sale {
  readonly url: string;
  readonly buyer: Buyer;
  readonly payment: string;
  readonly reply: Reply;
  /** The same transaction as strangers can send it: in version 1, and in version 2 with all that they can find out. */
  readonly copies: readonly { readonly name: string; readonly headers: Record<string, string> }[];
}

async function sell(init: RequestInit = {}): Promise<Sale> {
  const buyer = await newBuyer(gateway.solana.mainnet);
  const url = gateway.url + newPath();
  const payment = await buyer.pay(url);
  const reply = await ask(url, payment, init);
  expect(reply.status).toBe(200);
  const signature = String(decode(reply.headers.get('payment-response') ?? '').transaction);
  const transaction = await copyFromChain(signature);
  const { accepted } = decode(payment) as { accepted: { extra: Record<string, unknown> } };
  const required = (await (await fetch(url)).json()) as PaymentRequired;
  const [fresh] = required.accepts as { extra: Record<string, unknown> }[];
  const { ticket: _, ...extra } = accepted.extra;
  const wrapped = (claimed: object) => ({
    'PAYMENT-SIGNATURE': encode({ x402Version: 2, payload: { transaction }, accepted: claimed }),
  });
  return {
    url,
    buyer,
    payment,
    reply,
    copies: [
      { name: 'version 1', headers: inVersion1(transaction) },
      { name: 'no ticket', headers: wrapped({ ...accepted, extra }) },
      { name: 'another ticket', headers: wrapped({ ...accepted, extra: { ...extra, ticket: fresh?.extra.ticket } }) },
      { name: 'a fresh requirement', headers: wrapped(fresh ?? {}) },
    ],
  };
}

const transfersOf = ({ buyer }: Sale): number =>
  gateway.solana.mainnet.transfers.filter(({ from }) => from === buyer.address).length;

describe('V5 a stranger copies a settled transaction from the chain', () => {
  it('V5 lacks the ticket, which is not on the chain', async () => {
    const { payment, copies } = await sell();
    const { accepted, payload } = decode(payment) as {
      accepted: { extra: { ticket: string } };
      payload: { transaction: string };
    };
    expect(accepted.extra.ticket).toMatch(/^[\w-]{16}$/);
    const message = Buffer.from(payload.transaction, 'base64').toString('latin1');
    expect(message).not.toContain(accepted.extra.ticket);
    expect(copies).toHaveLength(4);
  });

  it('V5 gets the stored answer for one minute; the payer gets it for ten', async () => {
    const sale = await sell();
    const { url, payment, reply, copies } = sale;
    const arrivals = gateway.solana.provider.arrivals.length;
    for (const { headers } of copies) expect((await ask(url, undefined, { headers })).text).toBe(reply.text);
    later(61_000);
    for (const { name, headers } of copies) {
      const stranger = await ask(url, undefined, { headers });
      expect([name, stranger.status, stranger.code]).toEqual([name, 409, 'payment_already_used']);
    }
    const own = await ask(url, payment);
    expect([own.status, own.isReplayed, own.text]).toEqual([200, true, reply.text]);
    expect([gateway.solana.provider.arrivals.length, transfersOf(sale)]).toEqual([arrivals, 1]);
  });

  it('V5 does not count as delivery: the answer stays owed to the payer', async () => {
    // The answer to HEAD has no body: it is paid for and not delivered.
    const sale = await sell({ method: 'HEAD' });
    for (const { headers } of sale.copies) {
      expect((await ask(sale.url, undefined, { headers })).status).toBe(200);
    }
    const next = await ask(sale.url, await sale.buyer.pay(sale.url));
    expect([next.status, next.isReplayed, transfersOf(sale)]).toEqual([200, true, 1]);
  });

  it('V5 causes no upstream call for an answer that is no longer stored', async () => {
    const sale = await sell();
    const arrivals = gateway.solana.provider.arrivals.length;
    vi.spyOn(Payments.prototype, 'answer').mockResolvedValue(undefined);
    for (const { headers } of sale.copies) {
      expect((await ask(sale.url, undefined, { headers })).code).toBe('payment_already_used');
    }
    expect(gateway.solana.provider.arrivals).toHaveLength(arrivals);
    expect((await ask(sale.url, sale.payment)).status).toBe(200);
    expect(gateway.solana.provider.arrivals).toHaveLength(arrivals + 1);
  });

  it('V5 is answered 20 times; the payer is answered 200 times', async () => {
    const sale = await sell();
    const [copy] = sale.copies;
    const statuses: number[] = [];
    for (let time = 0; time < 22; time++) {
      statuses.push((await ask(sale.url, undefined, { headers: copy?.headers ?? {} })).status);
    }
    expect(statuses.slice(18)).toEqual([200, 200, 409, 409]);
    const own = await Promise.all(Array.from({ length: 201 }, () => ask(sale.url, sale.payment)));
    expect(own.filter(({ status }) => status === 200)).toHaveLength(200);
    expect(own.filter(({ code }) => code === 'payment_already_used')).toHaveLength(1);
  });
});

describe('V5 a stranger copies a failed transaction from the chain', () => {
  /** The buyer's first payment for a request fails on the chain; the answer to his second one does not reach him. */
  async function failThenOwe(first: SellingGateway, second: SellingGateway) {
    const { mainnet } = first.solana;
    const buyer = await newBuyer(mainnet, 1n);
    const path = newPath();
    const failing = await buyer.pay(first.url + path);
    mainnet.faults.lie = { simulateOk: true };
    expect((await ask(first.url + path, failing)).status).toBe(402);
    mainnet.faults.reset();
    const { payload } = decode(failing) as { payload: { transaction: string } };
    await mainnet.fundUsdc(buyer.address, 1_000_000n);
    const url = second.url + path;
    expect((await ask(url, await buyer.pay(url), { method: 'HEAD' })).status).toBe(200);
    const transfers = () => mainnet.transfers.filter(({ from }) => from === buyer.address).length;
    return { buyer, url, transfers, copy: { headers: inVersion1(payload.transaction) } };
  }

  it.each([125_000, 290_000])('V5 stays refused for as long as its memo is good (after %i ms)', async (age) => {
    const { buyer, url, transfers, copy } = await failThenOwe(gateway, gateway);
    later(age);
    for (let time = 0; time < 4; time++) {
      const stranger = await ask(url, undefined, copy);
      expect([stranger.status, stranger.text.includes('"state":"refused"')]).toEqual([402, true]);
    }
    const own = await ask(url, await buyer.pay(url));
    expect([own.status, own.isReplayed, transfers()]).toEqual([200, true, 1]);
  });

  it('V5 does not count as delivery at a gateway that does not know it: the answer stays owed', async () => {
    const { first, second } = await openTwo();
    const { buyer, url, transfers, copy } = await failThenOwe(first, second);
    const arrivals = first.solana.provider.arrivals.length;
    const strangers: Reply[] = [];
    for (let time = 0; time < 22; time++) strangers.push(await ask(url, undefined, copy));
    expect(strangers.slice(18).map(({ status }) => status)).toEqual([200, 200, 503, 503]);
    expect(strangers.at(-1)?.text).toContain('"state":"unused"');
    const own = await ask(url, await buyer.pay(url));
    expect([own.status, own.isReplayed, own.text, transfers()]).toEqual([200, true, strangers[0]?.text, 1]);
    expect(first.solana.provider.arrivals).toHaveLength(arrivals);
    const next = await askUntilDecided(url, await buyer.pay(url));
    expect([next.status, next.isReplayed, transfers()]).toEqual([200, false, 2]);
  });

  it('V5 causes no upstream call for an owed answer', async () => {
    const { first, second } = await openTwo();
    const { buyer, url, copy } = await failThenOwe(first, second);
    const arrivals = first.solana.provider.arrivals.length;
    vi.spyOn(Payments.prototype, 'answer').mockResolvedValue(undefined);
    expect((await ask(url, undefined, copy)).code).toBe('settlement_pending');
    expect(first.solana.provider.arrivals).toHaveLength(arrivals);
    expect((await ask(url, await buyer.pay(url))).isReplayed).toBe(true);
    expect(first.solana.provider.arrivals).toHaveLength(arrivals + 1);
  });
});

describe('V6 copies from the chain at a gateway without a record of them', () => {
  it.each(['settled', 'failed'] as const)('V6 do not lock out the payer of one that has %s', async (ending) => {
    const { first, second } = await openTwo();
    const { mainnet } = first.solana;
    const buyer = await newBuyer(mainnet, ending === 'failed' ? 1n : 1_000_000n);
    const [path, other] = [newPath(), newPath()];
    const payment = await buyer.pay(first.url + path);
    if (ending === 'failed') mainnet.faults.lie = { simulateOk: true };
    expect((await ask(first.url + path, payment)).status).toBe(ending === 'failed' ? 402 : 200);
    mainnet.faults.reset();
    const { payload } = decode(payment) as { payload: { transaction: string } };
    const strangers: number[] = [];
    for (let time = 0; time < 5; time++) {
      const { status } = await ask(second.url + path, undefined, { headers: inVersion1(payload.transaction) });
      strangers.push(status);
    }
    expect(strangers).toEqual([...Array(3).fill(ending === 'failed' ? 402 : 409), 429, 429]);
    await mainnet.fundUsdc(buyer.address, 1_000_000n);
    const own = await ask(second.url + other, await buyer.pay(second.url + other));
    expect([own.status, own.isReplayed]).toEqual([200, false]);
  });
});
