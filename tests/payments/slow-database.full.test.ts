import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { startSellingGateway } from '../kit/test-gateway.ts';
import { PENDING, ROOMY, until } from './fault-buyer.ts';
import { expectStored, newSale } from './sale.ts';

/** Longer than a response waits for its settlement. */
const SLOW_MS = 26_000;

it('P8 a noted settlement whose reply is late: pending, not unused, and then the stored answer', async () => {
  const sale = await newSale(await startSellingGateway(ROOMY));
  const { settling } = Payments.prototype;
  vi.spyOn(Payments.prototype, 'settling').mockImplementationOnce(async function (this: Payments, ...values) {
    const verdict = await settling.apply(this, values);
    await sleep(SLOW_MS);
    return verdict;
  });
  expect((await sale.ask()).outcome).toBe(PENDING);
  await until(() => sale.moved()[0] === 1);
  await expectStored(sale);
}, 90_000);
