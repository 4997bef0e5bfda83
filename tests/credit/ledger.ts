import { rmSync } from 'node:fs';
import { NETWORKS } from '@asset-gateway/protocol';
import { open } from 'lmdb';
import { afterAll, beforeAll, describe } from 'vitest';
import { Accounts } from '../../packages/gateway/src/credit/accounts.ts';
import type { NewDebit } from '../../packages/gateway/src/credit/debit.ts';
import { creditGrants } from '../../packages/gateway/src/credit/grants.ts';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import { EmbeddedDocuments } from '../../packages/gateway/src/payments/store/embedded.ts';
import type { PaymentDocuments } from '../../packages/gateway/src/payments/store/port.ts';
import { LEASE_MS, RedisDocuments } from '../../packages/gateway/src/payments/store/redis.ts';
import { FreeSpace } from '../../packages/gateway/src/stores/free-space.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { makeFolder } from '../kit/folder.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';

/** Balances and the payments that bring them, in one store, under a clock that a test turns. */
export interface Ledger {
  accounts: Accounts;
  payments: Payments;
  nowMs: number;
  /** Bytes that are free on the disk; only a folder's store asks. */
  bytesFree: number;
  /** Ends the process that uses the store, and goes on as one that starts anew. */
  reopen(): Promise<void>;
  /** A second node on the same store; nothing where there is one process only. */
  openOther?(): Promise<Accounts>;
  close(): Promise<void>;
}

const START_MS = Date.parse('2026-11-20T00:00:00Z');
const MIB = 1024 * 1024;

export const HOLDER = { network: NETWORKS.mainnet, wallet: 'wallet' };

const onDocuments = (documents: PaymentDocuments): Pick<Ledger, 'accounts' | 'payments'> => ({
  accounts: new Accounts(documents),
  payments: new Payments(documents, [creditGrants(() => documents.now())]),
});

/** A ledger in a new folder. */
export async function openFolderLedger(): Promise<Ledger> {
  const folder = makeFolder();
  const openRoot = () => open({ path: `${folder}/gateway.lmdb`, maxDbs: 20 });
  const space = new FreeSpace(folder, undefined, () => ledger.bytesFree);
  const openDocuments = () => onDocuments(new EmbeddedDocuments(root, () => ledger.nowMs, space));
  let root = openRoot();
  const ledger = { nowMs: START_MS, bytesFree: 1024 * MIB } as Ledger;
  return Object.assign(ledger, openDocuments(), {
    async reopen() {
      await root.close();
      root = openRoot();
      Object.assign(ledger, openDocuments());
    },
    async close() {
      await root.close();
      rmSync(folder, { recursive: true, force: true });
    },
  });
}

async function openNode(redis: RedisServer, clock: () => number) {
  const connection = await RedisConnection.load(redis.url);
  await connection.connect(() => undefined);
  const documents = new RedisDocuments(connection, { clock });
  const node = onDocuments(documents);
  const close = () => {
    node.payments.close();
    connection.close();
  };
  return { node, close };
}

/** A ledger on a Redis that was emptied. */
async function openRedisLedger(redis: RedisServer): Promise<Ledger> {
  await redis.command('FLUSHALL');
  const ledger = { nowMs: START_MS, bytesFree: 0 } as Ledger;
  const clock = () => ledger.nowMs;
  let { node, close } = await openNode(redis, clock);
  const others: (() => void)[] = [];
  return Object.assign(ledger, node, {
    async reopen() {
      close();
      ledger.nowMs += LEASE_MS;
      ({ node, close } = await openNode(redis, clock));
      Object.assign(ledger, node);
    },
    async openOther() {
      const other = await openNode(redis, clock);
      others.push(other.close);
      return other.node.accounts;
    },
    async close() {
      close();
      for (const each of others) each();
    },
  });
}

/** A suite that every store passes. */
export function onEveryLedger(suite: (open: () => Promise<Ledger>) => void): void {
  describe('in a folder', () => suite(openFolderLedger));
  redisSuite('on Redis', () => {
    let redis: RedisServer;
    beforeAll(async () => {
      redis = await startRedis();
    });
    afterAll(() => redis.stop());
    suite(() => openRedisLedger(redis));
  });
}

let count = 0;

/** A debit that nobody has made yet. */
export const newDebit = (micros: number, other: Partial<NewDebit> = {}): NewDebit => ({
  ...HOLDER,
  by: 'signature',
  id: `debit ${count++}`,
  micros,
  route: 'rpc.mainnet.helius.getBalance',
  requestHash: `request ${count++}`,
  owner: `owner ${count++}`,
  requestId: 'r',
  ...other,
});

/** A payment that brings so much credit and has not been reserved yet. */
export const newPurchase = (creditMicros: number, other: Partial<NewPayment> = {}): NewPayment => ({
  key: `${HOLDER.network}:${count++}`,
  network: HOLDER.network,
  requestHash: `request ${count++}`,
  payer: HOLDER.wallet,
  source: 'source',
  memo: undefined,
  priceUsd: '0',
  creditMicros,
  transaction: 'AA==',
  requirement: '{"amount":"0","asset":"usdc"}',
  owner: `owner ${count++}`,
  route: 'credit.mainnet.buy',
  requestId: 'r',
  ...other,
});

/** Notes a payment as being settled. */
export async function startSettling({ payments }: Ledger, payment: NewPayment): Promise<void> {
  const verdict = await payments.reserve(payment);
  if (verdict !== 'reserved') throw new Error(verdict);
  await payments.settling(payment.key, payment.owner, { answer: '{}', signature: `signature ${payment.key}` });
}

/** What the chain proves of a payment that has landed. */
export const landed = ({ key }: NewPayment) => ({ progress: 'settled', signature: `signature ${key}` }) as const;

/** Brings so much credit. */
export async function grant(ledger: Ledger, micros: number): Promise<void> {
  const payment = newPurchase(micros);
  await startSettling(ledger, payment);
  await ledger.payments.resolve(payment.key, landed(payment));
}
