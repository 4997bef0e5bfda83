import { once } from 'node:events';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import type { Database, Step } from '../../packages/gateway/src/stores/sql/database.ts';
import { type Ledger, newPayment, onBothDatabases } from '../kit/ledger.ts';

onBothDatabases('P22 a payment that a living process abandons', (open) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await open();
  });
  afterEach(() => ledger.close());

  it('P22 while its lease is being renewed is free after that lease', async () => {
    const { database } = ledger;
    let beforeWrite: () => Promise<unknown> = async () => undefined;
    const held: Database = Object.create(database, {
      write: { value: (step: Step) => beforeWrite().then(() => database.write(step)) },
      read: { value: database.read.bind(database) },
      now: { value: database.now.bind(database) },
    });
    const payments = new Payments(held);
    const payment = newPayment();
    expect(await payments.reserve(payment)).toBe('reserved');
    const test = new EventTarget();
    const renewing = once(test, 'renewing');
    beforeWrite = () => {
      test.dispatchEvent(new Event('renewing'));
      return once(test, 'renew');
    };
    await renewing;
    beforeWrite = () => Promise.reject(new Error('the database is down'));
    await payments.release(payment.key, payment.owner, false);
    let renewals = 0;
    beforeWrite = async () => void renewals++;
    test.dispatchEvent(new Event('renew'));
    const again = () => ledger.payments.reserve({ ...payment, owner: 'another' });
    await expect.poll(again).toBe('taken');
    await new Promise((resolve) => setTimeout(resolve, PAYMENTS.renewMs + 500));
    expect(renewals).toBe(0);
    ledger.nowMs += PAYMENTS.leaseMs;
    expect(await again()).toBe('reserved');
    payments.close();
  });
});
