import type { PaymentRequired } from '@asset-gateway/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import type { SellingGateway } from '../kit/test-gateway.ts';
import { ask, type Reply, receiptIn } from './fault-buyer.ts';
import { newSale, openTwo } from './sale.ts';

const { first: other, second: gateway } = await openTwo();
afterEach(() => {
  vi.restoreAllMocks();
  // The official packages print errors that they also return.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  gateway.solana.provider.faults.reset();
  gateway.solana.mainnet.faults.reset();
});

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

/** A settled payment, its answer, and the same transaction as strangers can send it: with all that they can find out. */
async function sell(init: RequestInit = {}) {
  const sale = await newSale(gateway);
  const { url, payment } = sale;
  const reply = await sale.ask(payment, init);
  expect(reply.outcome).toBe('200');
  const transaction = await copyFromChain(String(receiptIn(reply).transaction));
  const { accepted } = decode(payment) as { accepted: { extra: Record<string, unknown> } };
  const required = (await (await fetch(url)).json()) as PaymentRequired;
  const [fresh] = required.accepts as { extra: Record<string, unknown> }[];
  const { ticket: _, ...extra } = accepted.extra;
  const wrapped = (claimed: object) => ({
    'PAYMENT-SIGNATURE': encode({ x402Version: 2, payload: { transaction }, accepted: claimed }),
  });
  const copies: readonly Record<string, string>[] = [
    inVersion1(transaction),
    wrapped({ ...accepted, extra }),
    wrapped({ ...accepted, extra: { ...extra, ticket: fresh?.extra.ticket } }),
    wrapped(fresh ?? {}),
  ];
  const askAll = async () => {
    const replies: Reply[] = [];
    for (const headers of copies) replies.push(await ask(url, undefined, { headers }));
    return replies;
  };
  return { ...sale, reply, copies, askAll };
}

const USED = '409 payment_already_used settled';
const outcomesOf = (replies: readonly Reply[]) => replies.map(({ outcome }) => outcome);

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
    for (const { text } of await sale.askAll()) expect(text).toBe(sale.reply.text);
    later(61_000);
    expect(outcomesOf(await sale.askAll())).toEqual(Array(4).fill(USED));
    const own = await sale.ask();
    expect([own.outcome, own.text, sale.moved()]).toEqual(['200 again', sale.reply.text, [1, 1]]);
  });

  it('V5 does not count as delivery: the answer stays owed to the payer', async () => {
    // The answer to HEAD has no body: it is paid for and not delivered.
    const sale = await sell({ method: 'HEAD' });
    expect((await sale.askAll()).map(({ status }) => status)).toEqual(Array(4).fill(200));
    expect([(await sale.ask(await sale.renew())).outcome, sale.moved()[0]]).toEqual(['200 again', 1]);
  });

  it('V5 causes no upstream call for an answer that is no longer stored', async () => {
    const sale = await sell();
    vi.spyOn(Payments.prototype, 'answer').mockResolvedValue(undefined);
    expect((await sale.askAll()).map(({ code }) => code)).toEqual(Array(4).fill('payment_already_used'));
    expect(sale.moved()).toEqual([1, 1]);
    expect([(await sale.ask()).status, sale.moved()]).toEqual([200, [1, 2]]);
  });

  it('V5 is answered 20 times; the payer is answered 200 times', async () => {
    const sale = await sell();
    const [headers = {}] = sale.copies;
    const statuses: number[] = [];
    for (let time = 0; time < 22; time++) statuses.push((await ask(sale.url, undefined, { headers })).status);
    expect(statuses.slice(18)).toEqual([200, 200, 409, 409]);
    const own = await Promise.all(Array.from({ length: 201 }, () => sale.ask()));
    expect(own.filter(({ status }) => status === 200)).toHaveLength(200);
    expect(own.filter(({ code }) => code === 'payment_already_used')).toHaveLength(1);
  });
});

describe('V5 a stranger copies a failed transaction from the chain', () => {
  /** The buyer's first payment for a request fails on the chain; the answer to his second one does not reach him. */
  async function failThenOwe(first: SellingGateway, second: SellingGateway) {
    const sale = await newSale(first, 1n);
    sale.faults.lie = { simulateOk: true };
    expect((await sale.ask()).status).toBe(402);
    sale.faults.reset();
    const { payload } = decode(sale.payment) as { payload: { transaction: string } };
    await sale.chain.fundUsdc(sale.buyer.address, 1_000_000n);
    const url = second.url + new URL(sale.url).pathname;
    const renewed = async (init?: RequestInit) => ask(url, await sale.buyer.pay(url), init);
    expect((await renewed({ method: 'HEAD' })).status).toBe(200);
    const copy = () => ask(url, undefined, { headers: inVersion1(payload.transaction) });
    return { ...sale, copy, renewed };
  }

  it.each([125_000, 290_000])('V5 stays refused for as long as its memo is good (after %i ms)', async (age) => {
    const { copy, moved, renewed } = await failThenOwe(gateway, gateway);
    later(age);
    for (let time = 0; time < 4; time++) expect((await copy()).outcome).toMatch(/^402 \w+ refused$/);
    expect([(await renewed()).outcome, moved()[0]]).toEqual(['200 again', 1]);
  });

  it('V5 does not count as delivery at a gateway that does not know it: the answer stays owed', async () => {
    const { copy, moved, renewed } = await failThenOwe(other, gateway);
    const calls = moved()[1];
    const strangers: Reply[] = [];
    for (let time = 0; time < 22; time++) strangers.push(await copy());
    expect(strangers.slice(18).map(({ status }) => status)).toEqual([200, 200, 503, 503]);
    expect(strangers.at(-1)?.outcome).toMatch(/ unused$/);
    const own = await renewed();
    expect([own.outcome, own.text, moved()]).toEqual(['200 again', strangers[0]?.text, [1, calls]]);
    await expect.poll(async () => (await renewed()).outcome, { timeout: 15_000 }).toBe('200');
    expect(moved()[0]).toBe(2);
  });

  it('V5 causes no upstream call for an owed answer', async () => {
    const { copy, moved, renewed } = await failThenOwe(other, gateway);
    const calls = moved()[1];
    vi.spyOn(Payments.prototype, 'answer').mockResolvedValue(undefined);
    expect((await copy()).code).toBe('settlement_pending');
    expect(moved()[1]).toBe(calls);
    expect([(await renewed()).isReplayed, moved()[1]]).toEqual([true, calls + 1]);
  });
});

describe('V6 copies from the chain at a gateway without a record of them', () => {
  it.each([
    ['settled', 1_000_000n, 200, 409],
    ['failed', 1n, 402, 402],
  ])('V6 do not lock out the payer of one that has %s', async (ending, micros, first, copied) => {
    const sale = await newSale(other, micros);
    if (ending === 'failed') sale.faults.lie = { simulateOk: true };
    expect((await sale.ask()).status).toBe(first);
    sale.faults.reset();
    const { payload } = decode(sale.payment) as { payload: { transaction: string } };
    const headers = inVersion1(payload.transaction);
    const url = gateway.url + new URL(sale.url).pathname;
    const strangers: number[] = [];
    for (let time = 0; time < 5; time++) strangers.push((await ask(url, undefined, { headers })).status);
    expect(strangers).toEqual([...Array(3).fill(copied), 429, 429]);
    await sale.chain.fundUsdc(sale.buyer.address, 1_000_000n);
    expect((await (await newSale(gateway, sale.buyer)).ask()).outcome).toBe('200');
  });
});
