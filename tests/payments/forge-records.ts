import { rmSync } from 'node:fs';
import { open } from 'lmdb';
import { EmbeddedPayments } from '../../packages/gateway/src/stores/embedded-payments.ts';
import { FreeSpace } from '../../packages/gateway/src/stores/free-space.ts';
import type { NewPayment } from '../../packages/gateway/src/stores/payments.ts';
import { makeFolder } from '../kit/folder.ts';

/** The payments of a folder, under a clock that a test turns. */
export interface Ledger {
  payments: EmbeddedPayments;
  nowMs: number;
  /** Closes the folder and opens it again, as a process that starts anew. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the payments of a new folder. */
export function openLedger(): Ledger {
  const folder = makeFolder();
  const openRoot = () => open({ path: `${folder}/gateway.lmdb`, maxDbs: 8 });
  const space = new FreeSpace(folder);
  let root = openRoot();
  const start = Date.parse('2026-11-20T00:00:00Z');
  const ledger: Ledger = {
    payments: new EmbeddedPayments(root, () => ledger.nowMs, space),
    nowMs: start,
    async reopen() {
      await root.close();
      root = openRoot();
      ledger.payments = new EmbeddedPayments(root, () => ledger.nowMs, space);
    },
    async close() {
      await root.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return ledger;
}

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
