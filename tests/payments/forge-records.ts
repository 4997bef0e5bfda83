import { rmSync } from 'node:fs';
import { open } from 'lmdb';
import { afterAll, beforeAll, describe } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { type NewPayment, PAYMENTS } from '../../packages/gateway/src/payments/record.ts';
import { EmbeddedDocuments } from '../../packages/gateway/src/payments/store/embedded.ts';
import { LEASE_MS, RedisDocuments } from '../../packages/gateway/src/payments/store/redis.ts';
import { FreeSpace } from '../../packages/gateway/src/stores/free-space.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { makeFolder } from '../kit/folder.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';

/** A store of payments, under a clock that a test turns. */
export interface Ledger {
  payments: Payments;
  nowMs: number;
  /** Bytes that all answers may have together. */
  readonly answerBytes: number;
  /** Ends the process that uses the store, and goes on as one that starts anew when that has been noticed. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** As many as all answers may have together where the usual 256 MiB would only take longer. */
const FEW_BYTES = 256 * 1024;
const START_MS = Date.parse('2026-11-20T00:00:00Z');

/** The payments of a new folder. */
async function openEmbeddedLedger(): Promise<Ledger> {
  const folder = makeFolder();
  const openRoot = () => open({ path: `${folder}/gateway.lmdb`, maxDbs: 20 });
  const space = new FreeSpace(folder);
  const answerBytes = isFull ? PAYMENTS.answerBytes : FEW_BYTES;
  const openPayments = () => new Payments(new EmbeddedDocuments(root, () => ledger.nowMs, space, { answerBytes }));
  let root = openRoot();
  const ledger: Ledger = {
    payments: openPayments(),
    nowMs: START_MS,
    answerBytes,
    async reopen() {
      await root.close();
      root = openRoot();
      ledger.payments = openPayments();
    },
    async close() {
      await root.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return ledger;
}

/** The payments of a Redis that was emptied. */
async function openRedisLedger(redis: RedisServer): Promise<Ledger> {
  await redis.command('FLUSHALL');
  const answerBytes = FEW_BYTES;
  const openNode = async () => {
    const connection = await RedisConnection.load(redis.url);
    await connection.connect(() => undefined);
    const payments = new Payments(new RedisDocuments(connection, { clock: () => ledger.nowMs, answerBytes }));
    const close = () => {
      payments.close();
      connection.close();
    };
    return { payments, close };
  };
  const ledger = { nowMs: START_MS, answerBytes } as Ledger;
  let node = await openNode();
  return Object.assign(ledger, {
    payments: node.payments,
    async reopen() {
      node.close();
      ledger.nowMs += LEASE_MS;
      node = await openNode();
      ledger.payments = node.payments;
    },
    close: async () => node.close(),
  });
}

/** A suite that every store of payments passes. */
export function onEveryLedger(suite: (open: () => Promise<Ledger>) => void): void {
  describe('payments in a folder', () => suite(openEmbeddedLedger));
  const onRedis = () => {
    let redis: RedisServer;
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(() => redis.stop());
    suite(() => openRedisLedger(redis));
  };
  // On a busy machine a reply of Redis may be late, which the store says; a fault of ours comes each time.
  redisSuite('payments on Redis', onRedis, { retry: 3 });
}

/** An answer that has this share of the bytes that all answers may have together. */
export const answerOf = ({ answerBytes }: Ledger, share: number): string =>
  `"${'x'.repeat(Math.floor(answerBytes * share))}"`;

let serial = 0;

/** A payment that nobody has seen. */
export function newPayment(change: Partial<NewPayment> = {}): NewPayment {
  serial += 1;
  return {
    key: `network:${String(serial).padStart(8, '0')}`,
    network: 'network',
    requestHash: `request-${serial}`,
    payer: `payer-${serial}`,
    source: 'source',
    memo: 'memo',
    priceUsd: '0.000005',
    transaction: 'AAAA',
    requirement: '{}',
    owner: `owner-${serial}`,
    ...change,
  };
}

/** Takes a payment as far as `settling`. */
export async function startSettling({ payments }: Ledger, payment: NewPayment, answer = '{"n":1}'): Promise<void> {
  const verdict = await payments.reserve(payment);
  if (verdict !== 'reserved') throw new Error(verdict);
  await payments.settling(payment.key, payment.owner, { answer, signature: 'signature', height: 7 });
}

/** Takes a payment to the end. */
export async function settle(ledger: Ledger, payment: NewPayment, answer?: string): Promise<void> {
  await startSettling(ledger, payment, answer);
  await ledger.payments.resolve(payment.key, SETTLED);
}

export const SETTLED = { progress: 'settled', signature: 'signature' } as const;
export const REFUSED = { progress: 'refused', reason: 'failed on the chain' } as const;
