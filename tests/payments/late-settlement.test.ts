import { EventEmitter, once } from 'node:events';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../packages/gateway/src/limits.ts';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { Queues } from '../../packages/gateway/src/payments/queue.ts';
import { inTurn } from '../../packages/gateway/src/payments/settlement.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { UNKNOWN } from '../kit/ledger.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { PENDING, ROOMY } from './fault-buyer.ts';
import { expectStored, newSale } from './sale.ts';

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** The test turns the clock of waiting from now on. */
const stopClock = () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });

describe('the queue of settlements', () => {
  /** A settlement of a payer, which ends when the test says so, and what became of its request. */
  function newSettlement(turns: Queues, payer = 'payer') {
    const chain = new EventEmitter();
    const settle = vi.fn(() => once(chain, 'outcome').then(([outcome]) => outcome));
    const told = inTurn(turns, payer, settle).catch(({ code, details }) => `${code} ${details.payment.state}`);
    return { settle, told, end: (outcome: string) => chain.emit('outcome', outcome) };
  }

  it('settles one payment of a payer after the other, and those of others meanwhile', async () => {
    const turns = new Queues();
    const [first, second, other] = [newSettlement(turns), newSettlement(turns), newSettlement(turns, 'other')];
    await vi.waitFor(() => expect(other.settle).toHaveBeenCalled());
    expect([first.settle.mock.calls.length, second.settle.mock.calls.length]).toEqual([1, 0]);
    first.end('first');
    expect(await first.told).toBe('first');
    await vi.waitFor(() => expect(second.settle).toHaveBeenCalled());
    second.end('second');
    other.end('other');
    expect([await second.told, await other.told]).toEqual(['second', 'other']);
  });

  it('P6 never begins a settlement whose request has waited too long: its payment is unused', async () => {
    stopClock();
    const turns = new Queues();
    const [first, second] = [newSettlement(turns), newSettlement(turns)];
    await vi.advanceTimersByTimeAsync(TIMES.settleMs - 1);
    const third = newSettlement(turns);
    await vi.advanceTimersByTimeAsync(1);
    // The first one goes on: its outcome is unknown to its request.
    expect([await first.told, await second.told]).toEqual([undefined, 'facilitator_unavailable unused']);
    first.end('late');
    await vi.waitFor(() => expect(third.settle).toHaveBeenCalled());
    third.end('third');
    expect(await third.told).toBe('third');
    expect(second.settle).not.toHaveBeenCalled();
    await turns.idle();
    expect(vi.getTimerCount()).toBe(0);
  });

  it('goes on after a settlement that has failed', async () => {
    const turns = new Queues();
    const failing = inTurn(turns, 'payer', () => Promise.reject(new Error('no database')));
    const next = newSettlement(turns);
    await expect(failing).rejects.toThrow('no database');
    await vi.waitFor(() => expect(next.settle).toHaveBeenCalled());
    next.end('next');
    expect(await next.told).toBe('next');
  });
});

it('P6 a settlement that is not noted before its request ends is never sent, and its payment buys when it comes again', async () => {
  const onStep = vi.fn((step: string) => void (step === 'upstream' && stopClock()));
  const sale = await newSale(await startSellingGateway(ROOMY, { onStep }));
  const database = new EventEmitter();
  const { beginSettlement: settling } = Payments.prototype;
  const noting = vi.spyOn(Payments.prototype, 'beginSettlement').mockImplementationOnce(async function (
    this: Payments,
    ...values
  ) {
    vi.advanceTimersByTime(TIMES.settleMs);
    vi.useRealTimers();
    await once(database, 'answers');
    return settling.apply(this, values);
  });
  expect((await sale.ask()).outcome).toBe(PENDING);
  database.emit('answers');
  await expect(noting.mock.results[0]?.value).rejects.toThrow('the reservation is lost');
  expect(sale.moved()).toEqual([0, 1]);
  onStep.mockImplementation(() => undefined);
  expect([(await sale.ask()).outcome, sale.moved()]).toEqual(['200', [1, 2]]);
  expect([(await sale.ask()).outcome, sale.moved()]).toEqual(['200 again', [1, 2]]);
});

it('P8 a settlement that is noted although the reply is late is pending, and sold once', async () => {
  const onStep = vi.fn((step: string) => void (step === 'upstream' && stopClock()));
  const sale = await newSale(await startSellingGateway(ROOMY, { onStep }));
  const database = new EventEmitter();
  const { beginSettlement: settling } = Payments.prototype;
  vi.spyOn(Payments.prototype, 'beginSettlement').mockImplementationOnce(async function (this: Payments, ...values) {
    const verdict = await settling.apply(this, values);
    vi.advanceTimersByTime(TIMES.settleMs);
    vi.useRealTimers();
    await once(database, 'answers');
    return verdict;
  });
  expect([(await sale.ask()).outcome, sale.moved()]).toEqual([PENDING, [0, 1]]);
  database.emit('answers');
  await expect.poll(() => sale.moved()).toEqual([1, 1]);
  await expectStored(sale);
});

it('P12 payments whose failure on the chain is noticed by a search count like others', async () => {
  const gateway = await startSellingGateway(ROOMY);
  const sale = await newSale(gateway, 0n);
  sale.faults.lie = { simulateOk: true };
  for (let count = 0; count < LIMITS.failedOnChain; count++) {
    sale.faults.dropAfterBroadcast = true;
    expect((await sale.decided(await sale.renew())).outcome).toBe('402 payment_rejected refused');
  }
  const before = sale.moved();
  expect((await sale.ask(await sale.renew())).outcome).toBe('429 rate_limited unused');
  expect(sale.moved()).toEqual(before);
});

it('P12 a payment that has failed on the chain counts once, although its outcome is recorded later', async () => {
  const sale = await newSale(await startSellingGateway(ROOMY), 0n);
  const { resolve } = Payments.prototype;
  sale.faults.lie = { simulateOk: true };
  for (let count = 1; count < LIMITS.failedOnChain; count++) {
    vi.spyOn(Payments.prototype, 'resolve').mockImplementationOnce(async function (this: Payments, key, _, owner) {
      await resolve.call(this, key, UNKNOWN, owner);
      throw new Error('the database is down');
    });
    expect((await sale.decided(await sale.renew())).outcome).toBe('402 payment_rejected refused');
  }
  expect((await sale.ask(await sale.renew())).outcome).toBe('402 payment_rejected refused');
});
