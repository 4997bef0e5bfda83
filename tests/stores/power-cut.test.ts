import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { open, type RootDatabaseOptionsWithPath } from 'lmdb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, openEmbedded } from '../../packages/gateway/src/compose/embedded.ts';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import type { PaymentRecord } from '../../packages/gateway/src/payments/record.ts';
import { EmbeddedDocuments } from '../../packages/gateway/src/payments/store/embedded.ts';
import { FreeSpace } from '../../packages/gateway/src/stores/free-space.ts';
import { makeFolder } from '../kit/folder.ts';
import { newPayment, REFUSED, SETTLED } from '../payments/forge-records.ts';

const ROUNDS = 20;

let folder: string;
let embedded: Embedded;
beforeEach(async () => {
  folder = makeFolder();
  mkdirSync(`${folder}/after`);
  embedded = await openEmbedded(folder);
});
afterEach(async () => {
  await embedded.close();
  rmSync(folder, { recursive: true, force: true });
});

/** What of a payment a machine finds whose power fails now: the last state that lmdb knows to be on the disk. */
async function afterPowerCut(key: string): Promise<Partial<PaymentRecord> & { answer?: string }> {
  const path = `${folder}/after/gateway.lmdb`;
  copyFileSync(`${folder}/gateway.lmdb`, path);
  const options: RootDatabaseOptionsWithPath & { safeRestore: true } = { path, maxDbs: 20, safeRestore: true };
  const root = open(options);
  const record = root.openDB<PaymentRecord, string>({ name: 'payments' }).get(key);
  const answer = root.openDB<{ text: string }, string>({ name: 'answers' }).get(key)?.text;
  await root.close();
  rmSync(path);
  rmSync(`${path}-lock`);
  return { ...record, ...(answer !== undefined && { answer }) };
}

describe('a machine whose power fails', () => {
  it('P7 knows of every payment that may have been sent, with its answer', async () => {
    const { payments } = embedded;
    for (let round = 0; round < ROUNDS; round++) {
      const payment = newPayment();
      await payments.reserve(payment);
      await payments.settling(payment.key, payment.owner, { answer: '"paid for"', signature: 'signature', height: 7 });
      const known = await afterPowerCut(payment.key);
      expect(known).toMatchObject({ progress: 'settling', answer: '"paid for"', signature: 'signature', height: 7 });
      await payments.withdraw(payment.key, payment.owner);
    }
  });

  it.each([SETTLED, REFUSED])('P7 knows of every outcome that was told: $progress', async (proof) => {
    const { payments } = embedded;
    for (let round = 0; round < ROUNDS; round++) {
      const payment = newPayment();
      await payments.reserve(payment);
      await payments.settling(payment.key, payment.owner, { answer: '1' });
      await payments.resolve(payment.key, proof);
      expect(await afterPowerCut(payment.key)).toMatchObject(proof);
    }
  });

  it('P7 does not know of a payment that was taken back before it was sent', async () => {
    const { payments } = embedded;
    for (let round = 0; round < ROUNDS; round++) {
      const payment = newPayment();
      await payments.reserve(payment);
      await payments.settling(payment.key, payment.owner, { answer: '1' });
      await payments.withdraw(payment.key, payment.owner);
      expect((await afterPowerCut(payment.key)).progress).toBeUndefined();
    }
  });
});

/** A disk that has not flushed anything before this is over. */
interface SlowDisk {
  until: Promise<unknown>;
}

/** The same database on such a disk. */
function onDisk<T extends object>(database: T, disk: SlowDisk): T {
  return new Proxy(database, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (name === 'flushed') return Promise.all([value, disk.until]);
      if (typeof value !== 'function') return value;
      const method = value.bind(target) as (...words: unknown[]) => object;
      return name === 'openDB' ? (...words: unknown[]) => onDisk(method(...words), disk) : method;
    },
  });
}

describe('a disk that is slow to flush', () => {
  it.each<[string, (payments: Payments, key: string, owner: string) => Promise<unknown>]>([
    ['settling', (payments, key, owner) => payments.settling(key, owner, { answer: '1' })],
    ['resolve', (payments, key) => payments.resolve(key, SETTLED)],
    ['withdraw', (payments, key, owner) => payments.withdraw(key, owner)],
  ])('P7 is waited for by %s: nothing is sent, answered or given back before', async (name, step) => {
    const root = open({ path: `${folder}/slow.lmdb`, maxDbs: 20 });
    const disk: SlowDisk = { until: Promise.resolve() };
    const payments = new Payments(new EmbeddedDocuments(onDisk(root, disk), Date.now, new FreeSpace(folder)));
    const { key, owner, ...facts } = newPayment();
    await payments.reserve({ key, owner, ...facts });
    if (name !== 'settling') await payments.settling(key, owner, { answer: '1' });
    let flush: (value?: unknown) => void = () => undefined;
    disk.until = new Promise((resolve) => {
      flush = resolve;
    });
    let isOver = false;
    const over = step(payments, key, owner).then(() => {
      isOver = true;
    });
    await root.flushed;
    await pause(50);
    expect(isOver).toBe(false);
    flush();
    await over;
    await root.close();
  });
});
