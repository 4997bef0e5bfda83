import { didDocument } from './did.ts';
import { type ReceiptKey, receiptKeyOf } from './key.ts';
import { type ReceiptFacts, receiptExtensions, receiptFor } from './receipt.ts';

/** What a receipt is issued for. */
export interface Delivered extends Omit<ReceiptFacts, 'issuedAt'> {
  /** When it was paid for, in milliseconds; now, where that is not known. */
  readonly paidAtMs?: number | undefined;
}

/** Signs receipts for what this gateway delivers. */
export class ReceiptIssuer {
  readonly #keys: readonly ReceiptKey[];
  readonly #signing: ReceiptKey;
  readonly #nowMs: () => number;

  /** Ed25519 seeds of 32 bytes: the first signs, all are published. The clock says the time of day. */
  constructor(seeds: readonly Uint8Array[], nowMs: () => number) {
    this.#keys = seeds.map(receiptKeyOf);
    const [signing] = this.#keys;
    if (!signing) throw new Error('no key to sign receipts with');
    this.#signing = signing;
    this.#nowMs = nowMs;
  }

  /** What a SettleResponse of success carries beside what it says. */
  extensionsFor(delivered: Delivered): Readonly<Record<string, unknown>> {
    const issuedAt = Math.floor((delivered.paidAtMs ?? this.#nowMs()) / 1000);
    return receiptExtensions(receiptFor({ ...delivered, issuedAt }, this.#signing));
  }

  /** Where verifiers look the keys up, as JSON. */
  didDocument(origin: string): string {
    return JSON.stringify(didDocument(origin, this.#keys));
  }
}
