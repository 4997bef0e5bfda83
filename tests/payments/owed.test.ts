import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { PaymentRequired } from '@asset-gateway/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import type { WrongAnswers } from '../../packages/sandbox/src/chain/faults.ts';
import { type SellingGateway, startSellingGateway } from '../kit/test-gateway.ts';
import { ask, PENDING, type Reply, ROOMY, receiptIn, until } from './fault-buyer.ts';
import { openRemoteFixture } from './fault-facilitator.ts';
import { expectStored, newSale } from './sale.ts';

const STEPS = ['reserve', 'verify', 'upstream', 'store', 'settle', 'record'];
/** A client that leaves later may already have received the answer. */
const NOTICED = STEPS.slice(0, 4);

let onStep: (step: string) => void = () => undefined;
/** Two gateways with one secret and separate databases: each takes the other's memos for its own. */
const SECRET = { GATEWAY_SECRET: 'a secret that both of them have and use' };
/** Settles payments that the other one does not know. */
const other = await startSellingGateway({ ...ROOMY, ...SECRET });
const options = { solana: other.solana, onStep: (step: string) => onStep(step) };
const gateway = await startSellingGateway({ ...ROOMY, ...SECRET }, options);
afterEach(() => {
  vi.restoreAllMocks();
  // The official packages print errors that they also return.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  onStep = () => undefined;
  gateway.solana.mainnet.faults.reset();
  gateway.solana.provider.faults.reset();
});

/** A payment that was settled after its client had left at this step. */
async function left(step: string) {
  const leaving = new AbortController();
  const sale = await newSale(gateway);
  onStep = (name) => name === step && leaving.abort();
  await sale.ask(sale.payment, { signal: leaving.signal }).catch(() => undefined);
  await until(() => sale.moved()[0] === 1);
  return sale;
}

describe('P18 a client that leaves', () => {
  it.each(STEPS)('P18 after %s: the same payment later gets the stored answer', async (step) => {
    await expectStored(await left(step));
  });

  it.each(NOTICED)('P18 after %s: a new payment gets the owed answer and moves no money', async (step) => {
    const sale = await left(step);
    await expectStored(sale, await sale.renew());
    expect([(await sale.ask(await sale.renew())).outcome, sale.moved()[0]]).toEqual(['200', 2]);
  });
});

it('P6 a payment whose connection to the upstream is lost reaches it at most 3 times', async () => {
  const { ask, moved, provider } = await newSale(gateway);
  for (const calls of [2, 3]) {
    Object.assign(provider.faults, { resetConnection: true });
    expect((await ask()).outcome).toMatch(/^502 upstream_unreachable /);
    expect(moved()).toEqual([0, calls]);
    provider.faults.reset();
    // A lost call is sent again only if the upstream has answered since the last loss.
    expect((await (await newSale(gateway)).ask()).outcome).toBe('200');
  }
  expect((await ask()).outcome).toMatch(/^402 payment_rejected /);
  expect(moved()).toEqual([0, 3]);
});

it('P6 a payment that is refused before its upstream call may come again any number of times', async () => {
  const { ask, moved, faults } = await newSale(gateway);
  faults.status = 503;
  for (let time = 0; time < 4; time++) expect((await ask()).outcome).toBe('503 facilitator_unavailable unused');
  expect(moved()).toEqual([0, 0]);
  faults.reset();
  expect([(await ask()).outcome, moved()]).toEqual(['200', [1, 1]]);
});

it('P6 a payment that may be on its way is not released: its lease lasts until its outcome is known', async () => {
  const sale = await newSale(gateway);
  const released = vi.spyOn(Payments.prototype, 'release');
  Object.assign(sale.faults, { dropAfterBroadcast: true, lie: { statusMissing: true } });
  expect((await sale.ask()).outcome).toBe(PENDING);
  expect(released).not.toHaveBeenCalled();
  sale.faults.reset();
  await expectStored(sale);
});

it('P6 a refusal waits until its payment is released, so that it can be sent again at once', async () => {
  const { ask, moved, provider } = await newSale(gateway);
  const { release } = Payments.prototype;
  let isReleased = false;
  vi.spyOn(Payments.prototype, 'release').mockImplementationOnce(async function (this: Payments, ...released) {
    await pause(50);
    await release.apply(this, released);
    isReleased = true;
  });
  provider.faults.status = 500;
  expect([(await ask()).outcome, isReleased]).toEqual(['502 upstream_error unused', true]);
  provider.faults.reset();
  expect([(await ask()).outcome, moved()]).toEqual(['200', [1, 2]]);
});

it('P6 a refusal because of the database does not wait for the database', async () => {
  const { ask, moved } = await newSale(gateway);
  vi.spyOn(Payments.prototype, 'beginSettlement').mockRejectedValueOnce(new Error('ENOSPC'));
  vi.spyOn(Payments.prototype, 'release').mockReturnValueOnce(new Promise(() => undefined));
  expect([(await ask()).outcome, moved()[0]]).toEqual(['503 state_unavailable unused', 0]);
});

describe('an answer that cannot be fetched again', () => {
  it.each(['the same', 'a new'])('P18 stays owed when %s payment asks for it, and is not paid twice', async (which) => {
    const { ask, moved, payment, provider, renew } = await newSale(gateway);
    // The answer to HEAD has no body: it is paid for and not delivered.
    expect((await ask(payment, { method: 'HEAD' })).status).toBe(200);
    vi.spyOn(Payments.prototype, 'answer').mockResolvedValue(undefined);
    provider.faults.status = 500;
    const failed = await ask(which === 'a new' ? await renew() : payment);
    expect([failed.status, failed.code]).toEqual([502, 'upstream_error']);
    provider.faults.reset();
    expect([(await ask(await renew())).outcome, moved()[0]]).toEqual(['200 again', 1]);
  });
});

const encode = (payload: unknown): string => Buffer.from(JSON.stringify(payload)).toString('base64');
/** What a payment header says. */
const decode = (header: string) =>
  JSON.parse(Buffer.from(header, 'base64').toString()) as {
    accepted: { extra: Record<string, unknown> };
    payload: { transaction: string };
  };

/** Turns the clock of payments on. */
function later(milliseconds: number): void {
  const now = Payments.prototype.now;
  vi.spyOn(Payments.prototype, 'now').mockImplementation(function (this: Payments) {
    return now.call(this) + milliseconds;
  });
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
  // The chain shows it with the fee payer's signature, which a payment is not told by.
  const { accepted, payload } = decode(payment);
  const { transaction } = payload;
  const required = (await (await fetch(url)).json()) as PaymentRequired;
  const [fresh] = required.accepts as { extra: Record<string, unknown> }[];
  const { ticket, ...extra } = accepted.extra;
  expect(ticket).toMatch(/^[\w-]{16}$/);
  expect(Buffer.from(transaction, 'base64').toString('latin1')).not.toContain(ticket);
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
    const { payload } = decode(sale.payment);
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
    await expect.poll(async () => (await renewed()).outcome).toBe('200');
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
    const { payload } = decode(sale.payment);
    const headers = inVersion1(payload.transaction);
    const url = gateway.url + new URL(sale.url).pathname;
    const strangers: number[] = [];
    for (let time = 0; time < 5; time++) strangers.push((await ask(url, undefined, { headers })).status);
    expect(strangers).toEqual([...Array(3).fill(copied), 429, 429]);
    await sale.chain.fundUsdc(sale.buyer.address, 1_000_000n);
    expect((await (await newSale(gateway, sale.buyer)).ask()).outcome).toBe('200');
  });
});

describe('P6 a payment that is on the chain already, and not known here', () => {
  /** A payment that two gateways with one secret accept, and its settlement by the other one. */
  async function seenByTwo() {
    const sale = await newSale(gateway);
    const elsewhere = other.url + new URL(sale.url).pathname;
    return { sale, settle: async () => expect((await ask(elsewhere, sale.payment)).outcome).toBe('200') };
  }

  it.each<[string, WrongAnswers]>([
    ['the chain has not confirmed it', { statusProcessed: true }],
    ['one node of the RPC knows it and another one does not', { statusMissing: true }],
  ])('P6 is neither refused nor charged again while %s, and then it buys', async (_, lie) => {
    const { sale, settle } = await seenByTwo();
    await settle();
    sale.faults.lie = lie;
    expect((await sale.ask()).outcome).toBe(PENDING);
    expect(sale.moved()).toEqual([1, 1]);
    sale.faults.reset();
    expect([(await sale.ask()).status, sale.moved()]).toEqual([200, [1, 2]]);
    expect([(await sale.ask()).outcome, sale.moved()]).toEqual(['200 again', [1, 2]]);
  });

  it('P6 is not refused where that is found out only at settling, and one node of the RPC does not know it', async () => {
    const { sale, settle } = await seenByTwo();
    const upstream = new EventEmitter();
    sale.provider.faults.until = once(upstream, 'answer');
    const late = sale.ask();
    await until(() => sale.moved()[1] === 1);
    sale.provider.faults.reset();
    await settle();
    sale.faults.lie = { statusMissing: true };
    upstream.emit('answer');
    expect((await late).outcome).toBe(PENDING);
    sale.faults.reset();
    expect([(await sale.decided()).outcome, sale.moved()[0]]).toEqual(['200 again', 1]);
  });

  it('P6 is said to be settled when the store cannot note it', async () => {
    const { sale, settle } = await seenByTwo();
    await settle();
    const noted = vi.spyOn(Payments.prototype, 'adopt').mockRejectedValueOnce(new Error('ENOSPC'));
    const failed = await sale.ask();
    expect([failed.outcome, noted.mock.calls.length]).toEqual(['503 state_unavailable settled', 1]);
    expect(JSON.parse(failed.text).payment.transaction).toBe(sale.chain.transfers.at(-1)?.signature);
    expect((await sale.ask()).status).toBe(200);
    expect(sale.moved()).toEqual([1, 2]);
  });

  it('is said to be settled when its upstream fails', async () => {
    const { sale, settle } = await seenByTwo();
    await settle();
    sale.provider.faults.status = 500;
    for (let call = 0; call < 2; call++) expect((await sale.ask()).outcome).toBe('502 upstream_error settled');
  });

  it('is found by its memo where another one settles', async () => {
    const fixture = await openRemoteFixture({}, SECRET);
    const { chain, solana, url, payment } = fixture;
    expect((await fixture.ask()).outcome).toBe('200');
    const remote = { FACILITATOR_URL: fixture.facilitatorUrl, FEE_PAYER_KEYPAIR: '' };
    const second = await startSellingGateway({ ...ROOMY, ...SECRET, ...remote }, { solana });
    const reply = await ask(second.url + new URL(url).pathname, payment);
    expect(reply.outcome).toBe('200 again');
    expect(receiptIn(reply)).toMatchObject({ success: true, transaction: chain.transfers[0]?.signature });
    expect(chain.transfers).toHaveLength(1);
    await second.stop();
  });

  it('P10 buys nothing more if its memo is its payer’s own: only its record binds it to a request', async () => {
    const { buyer, url, moved } = await newSale(gateway);
    const elsewhere = other.url + new URL(url).pathname;
    const payment = await buyer.payWithMemo(elsewhere, 'for services rendered');
    expect((await ask(elsewhere, payment)).outcome).toBe('200');
    expect((await ask(url, payment)).outcome).toBe('409 payment_already_used settled');
    expect(moved()[0]).toBe(1);
  });
});

describe('P6 a settlement that the database cannot note', () => {
  it('is unused if its record says that nothing was sent, and buys when it comes again', async () => {
    const sale = await newSale(gateway);
    vi.spyOn(Payments.prototype, 'beginSettlement').mockRejectedValueOnce(new Error('ENOSPC'));
    expect((await sale.ask()).outcome).toBe('503 state_unavailable unused');
    expect(sale.moved()[0]).toBe(0);
    expect([(await sale.ask()).outcome, sale.moved()[0]]).toEqual(['200', 1]);
  });

  it('is pending if only the reply was lost: one transfer, and the stored answer', async () => {
    const sale = await newSale(gateway);
    const { beginSettlement: settling } = Payments.prototype;
    vi.spyOn(Payments.prototype, 'beginSettlement').mockImplementationOnce(async function (this: Payments, ...noted) {
      await settling.apply(this, noted);
      throw new Error('the reply was lost');
    });
    expect((await sale.ask()).outcome).toBe(PENDING);
    await expectStored(sale);
  });

  it('buys although the database has ended when the chain confirms it: one transfer, and the stored answer', async () => {
    const sale = await newSale(gateway);
    const lost = new Error('the database has ended');
    vi.spyOn(Payments.prototype, 'resolve').mockRejectedValueOnce(lost);
    vi.spyOn(Payments.prototype, 'find').mockRejectedValueOnce(lost);
    const reply = await sale.ask();
    const [transfer] = sale.chain.transfers.slice(-1);
    const receipt = { success: true, payer: sale.buyer.address, transaction: transfer?.signature };
    expect([reply.outcome, receiptIn(reply)]).toEqual(['200', expect.objectContaining(receipt)]);
    later(TIMES.leaseMs);
    await expectStored(sale);
  });

  it('is pending if its record cannot be read either', async () => {
    const sale = await newSale(gateway);
    const lost = new Error('the database has ended');
    vi.spyOn(Payments.prototype, 'beginSettlement').mockRejectedValueOnce(lost);
    vi.spyOn(Payments.prototype, 'find').mockRejectedValueOnce(lost);
    expect((await sale.ask()).outcome).toBe('503 state_unavailable pending');
    expect(sale.moved()[0]).toBe(0);
    expect([(await sale.ask()).outcome, sale.moved()[0]]).toEqual(['200', 1]);
  });
});
