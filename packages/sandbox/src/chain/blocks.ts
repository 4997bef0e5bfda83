import { createHash } from 'node:crypto';
import { BLOCKHASH_BLOCKS, type Cluster } from '@asset-gateway/protocol';
import bs58 from 'bs58';

/** A commitment level: `finalized` is 32 blocks behind the others. */
export type Commitment = 'processed' | 'confirmed' | 'finalized';

/** How many blocks a blockhash is valid. */
export const BLOCKHASH_LIFE = BigInt(BLOCKHASH_BLOCKS);
const FINALITY = 32n;
const KEPT_BLOCKHASHES = 100_000;

// Slots without a block keep the slot ahead of the height.
const START: Readonly<Record<Cluster, { readonly slot: bigint; readonly height: bigint; readonly genesis: string }>> = {
  mainnet: { slot: 447_552_000n, height: 425_640_118n, genesis: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' },
  devnet: { slot: 430_272_000n, height: 418_102_455n, genesis: 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG' },
};

/** Block production: over time, with each transaction and on request. */
export type Blocks = ReturnType<typeof createBlocks>;

/** The clock in milliseconds, and the milliseconds per block. */
export interface BlockOptions {
  readonly cluster: Cluster;
  readonly now: () => number;
  readonly blockMs: number;
}

/** Starts producing blocks now. */
export function createBlocks({ cluster, now, blockMs }: BlockOptions) {
  const start = START[cluster];
  const began = now();
  const issued = new Map<string, bigint>();
  let added = 0n;
  const head = () => start.height + added + BigInt(Math.max(0, Math.floor((now() - began) / blockMs)));
  const height = (commitment: Commitment) => head() - (commitment === 'finalized' ? FINALITY : 0n);
  const slotOf = (at: bigint) => at - start.height + start.slot;
  const slot = (commitment: Commitment) => slotOf(height(commitment));
  return {
    /** The clock in milliseconds. */
    now,
    /** The genesis hash of the cluster. */
    genesis: start.genesis,
    height,
    slot,
    slotOf,
    /** The number of blocks after this slot. */
    confirmations: (at: bigint) => slotOf(head()) - at,
    advance(count: bigint): void {
      added += count;
    },
    /** Returns a new blockhash, and the last height at which it is valid. */
    latest(commitment: Commitment) {
      const at = height(commitment);
      const blockhash = bs58.encode(createHash('sha256').update(`${cluster}:${began}:${at}`).digest());
      issued.set(blockhash, at);
      if (issued.size > KEPT_BLOCKHASHES) issued.delete(issued.keys().next().value ?? '');
      return { blockhash, lastValidBlockHeight: at + BLOCKHASH_LIFE };
    },
    isValid(blockhash: string, commitment: Commitment): boolean {
      const from = issued.get(blockhash);
      const at = height(commitment);
      return from !== undefined && from <= at && at <= from + BLOCKHASH_LIFE;
    },
  };
}
