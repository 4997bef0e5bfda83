import { createHash } from 'node:crypto';
import bs58 from 'bs58';
import type { Cluster } from './addresses.ts';

/** A commitment level: `finalized` is 32 blocks behind the others. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** A blockhash is valid for this many blocks. */
export const BLOCKHASH_LIFE = 150n;
const FINALITY = 32n;
const SLOTS_PER_EPOCH = 432_000n;
const KEPT_BLOCKHASHES = 100_000;

// Slots without a block keep the slot ahead of the height.
const START: Readonly<Record<Cluster, { readonly slot: bigint; readonly height: bigint }>> = {
  mainnet: { slot: 447_552_000n, height: 425_640_118n },
  devnet: { slot: 430_272_000n, height: 418_102_455n },
};

/** A blockhash and the last height at which it is valid. */
export interface Lifetime {
  readonly blockhash: string;
  readonly lastValidBlockHeight: bigint;
}

/** Block production: over time, with each transaction and on request. */
export interface Blocks {
  /** The clock in milliseconds. */
  readonly now: () => number;
  height(commitment: Commitment): bigint;
  slot(commitment: Commitment): bigint;
  slotOf(height: bigint): bigint;
  /** The number of blocks after this slot. */
  confirmations(slot: bigint): bigint;
  epoch(commitment: Commitment): { readonly epoch: bigint; readonly index: bigint; readonly length: bigint };
  advance(count: bigint): void;
  latest(commitment: Commitment): Lifetime;
  isValid(blockhash: string, commitment: Commitment): boolean;
}

/** The clock in milliseconds, and the milliseconds per block. */
export interface BlockOptions {
  readonly cluster: Cluster;
  readonly now: () => number;
  readonly blockMs: number;
}

/** Starts producing blocks now. */
export function createBlocks({ cluster, now, blockMs }: BlockOptions): Blocks {
  const start = START[cluster];
  const began = now();
  const issued = new Map<string, bigint>();
  let added = 0n;
  const head = () => start.height + added + BigInt(Math.max(0, Math.floor((now() - began) / blockMs)));
  const height = (commitment: Commitment) => head() - (commitment === 'finalized' ? FINALITY : 0n);
  const slotOf = (at: bigint) => at - start.height + start.slot;
  const slot = (commitment: Commitment) => slotOf(height(commitment));
  return {
    now,
    height,
    slot,
    slotOf,
    confirmations: (at) => slotOf(head()) - at,
    epoch(commitment) {
      const at = slot(commitment);
      return { epoch: at / SLOTS_PER_EPOCH, index: at % SLOTS_PER_EPOCH, length: SLOTS_PER_EPOCH };
    },
    advance(count) {
      added += count;
    },
    latest(commitment) {
      const at = height(commitment);
      const blockhash = bs58.encode(createHash('sha256').update(`${cluster}:${began}:${at}`).digest());
      issued.set(blockhash, at);
      if (issued.size > KEPT_BLOCKHASHES) {
        issued.delete(issued.keys().next().value ?? '');
      }
      return { blockhash, lastValidBlockHeight: at + BLOCKHASH_LIFE };
    },
    isValid(blockhash, commitment) {
      const from = issued.get(blockhash);
      const at = height(commitment);
      return from !== undefined && from <= at && at <= from + BLOCKHASH_LIFE;
    },
  };
}
