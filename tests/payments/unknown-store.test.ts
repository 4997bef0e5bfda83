import { rmSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openEmbedded } from '../../packages/gateway/src/compose/embedded.ts';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import { KeptAnswers } from '../../packages/gateway/src/payments/store/kept-answers.ts';
import { makeFolder } from '../kit/folder.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, newBuyer, newPath, ROOMY, receiptIn } from './fault-buyer.ts';

/** Lets this one write happen and then says that it has failed, as a disk does that fills up. */
function failOnce<T extends object>(store: T, name: keyof T & string): void {
  const original = Reflect.get(store, name) as (...words: unknown[]) => Promise<void>;
  const failing = async function (this: unknown, ...words: unknown[]) {
    await original.apply(this, words);
    throw new Error('ENOSPC: no space left on device');
  };
  vi.spyOn(store as Record<string, (...words: unknown[]) => Promise<void>>, name).mockImplementationOnce(failing);
}

describe('a store that fails in the middle of a purchase', () => {
  let gateway: SellingGateway;
  beforeAll(async () => {
    gateway = await startSellingGateway(ROOMY);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(() => gateway.stop());

  it('P7 after the transfer: the answer is served all the same, and served again', async () => {
    const { mainnet } = gateway.solana;
    const url = gateway.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    const before = mainnet.transfers.length;
    failOnce(Payments.prototype, 'resolve');
    const first = await ask(url, payment);
    expect([first.status, first.isReplayed]).toEqual([200, false]);
    expect(receiptIn(first)).toMatchObject({ success: true, transaction: mainnet.transfers.at(-1)?.signature });
    const again = await ask(url, payment);
    expect([again.status, again.isReplayed, again.text]).toEqual([200, true, first.text]);
    expect(mainnet.transfers.length - before).toBe(1);
    expect(gateway.logLines.join('')).toContain('ENOSPC');
  });

  it('P7 giving back fails after the transfer: the answer is served all the same', async () => {
    const { mainnet } = gateway.solana;
    const url = gateway.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    const before = mainnet.transfers.length;
    failOnce(Payments.prototype, 'release');
    expect((await ask(url, payment)).status).toBe(200);
    expect(mainnet.transfers.length - before).toBe(1);
  });

  it('P20 an answer that is lost: fetched anew one at a time and at most 3 times in all, and nothing is paid again', async () => {
    const { mainnet, provider } = gateway.solana;
    const url = gateway.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    expect((await ask(url, payment)).status).toBe(200);
    const [paid, asked] = [mainnet.transfers.length, provider.arrivals.length];
    vi.spyOn(Payments.prototype, 'answer').mockResolvedValue(undefined);
    const replies = await Promise.all(Array.from({ length: 30 }, () => ask(url, payment)));
    const statuses = replies.map(({ status, code }) => `${status} ${code}`.trim());
    expect(statuses).toContain('200');
    expect(statuses.filter((each) => each !== '200' && !each.startsWith('409 '))).toEqual([]);
    let last = await ask(url, payment);
    for (let more = 0; more < 3; more++) last = await ask(url, payment);
    expect([last.status, last.code]).toEqual([409, 'payment_already_used']);
    expect(last.text).toContain('"state":"settled"');
    expect(provider.arrivals.length - asked).toBe(2);
    expect(mainnet.transfers).toHaveLength(paid);
  });

  it('P7 before the transfer: 503, nothing moves, and no byte of the result', async () => {
    const { mainnet, provider } = gateway.solana;
    const url = gateway.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    const before = mainnet.transfers.length;
    provider.faults.body = '{"canary":"CANARY_result"}';
    failOnce(KeptAnswers.prototype, 'put');
    const reply = await ask(url, payment);
    provider.faults.reset();
    expect([reply.status, reply.code]).toEqual([503, 'state_unavailable']);
    expect(reply.text).toContain('"state":"unused"');
    expect(reply.text).not.toContain('CANARY_result');
    expect(mainnet.transfers).toHaveLength(before);
    const later = await ask(url, payment);
    expect([later.status, later.isReplayed, mainnet.transfers.length - before]).toEqual([200, false, 1]);
  });
});

describe('P22 a reservation that is not yours', () => {
  const folder = makeFolder();
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const payment: NewPayment = {
    key: 'solana:key',
    network: 'solana:',
    requestHash: 'hash',
    payer: 'payer',
    source: 'source',
    memo: undefined,
    priceUsd: '0.0005',
    transaction: '',
    requirement: '{}',
    owner: 'first',
  };

  it('P22 is neither given back, nor settled, nor withdrawn by another owner, nor by its own once it settles', async () => {
    const { payments, close } = await openEmbedded(folder);
    expect(await payments.reserve(payment)).toBe('reserved');
    await payments.release(payment.key, 'second');
    expect(await payments.reserve({ ...payment, owner: 'second' })).toBe('taken');
    await expect(payments.settling(payment.key, 'second', { answer: '1' })).rejects.toThrow();
    await payments.settling(payment.key, 'first', { answer: '1', signature: 'signature' });
    await payments.release(payment.key, 'first');
    await payments.withdraw(payment.key, 'second');
    expect((await payments.find(payment.key))?.progress).toBe('settling');
    await payments.resolve(payment.key, { progress: 'settled', signature: 'signature' });
    await payments.resolve(payment.key, { progress: 'refused', reason: 'too late' });
    await payments.withdraw(payment.key, 'first');
    await payments.release(payment.key, 'first');
    expect((await payments.find(payment.key))?.progress).toBe('settled');
    await close();
  });
});
