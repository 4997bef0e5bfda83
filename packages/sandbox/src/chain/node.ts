import type { Bank, Landed } from './bank.ts';
import type { Commitment } from './blocks.ts';
import type { ChainFaults } from './faults.ts';
import type { Json, JsonObject } from './json.ts';
import type { Params } from './params.ts';

/** The state and faults that methods read. */
export interface ChainNode {
  readonly bank: Bank;
  readonly faults: ChainFaults;
}

/** A method of the node; throws an `RpcError`. */
export type Method = (params: Params, node: ChainNode) => Json | Promise<Json>;

/** The version that the node reports. */
export const VERSION = { 'solana-core': '3.0.10', 'feature-set': 3_604_001_754 } as const;

/** Wraps a value with its slot. */
export function withContext({ bank }: ChainNode, commitment: Commitment, value: Json): JsonObject {
  return { context: { apiVersion: VERSION['solana-core'], slot: bank.blocks.slot(commitment) }, value };
}

/** Whether the node shows a landed transaction. */
export function isVisible(entry: Landed, { bank, faults }: ChainNode): boolean {
  return faults.lie?.statusMissing !== true && bank.blocks.now() >= entry.at + (faults.confirmAfterMs ?? 0);
}

/** Whether the node shows a landed transaction at this commitment. */
export const isVisibleAt = (entry: Landed, node: ChainNode, commitment: Commitment): boolean =>
  isVisible(entry, node) && entry.slot <= node.bank.blocks.slot(commitment);

/** The confirmation status of a landed transaction. */
export function confirmationOf(entry: Landed, { bank }: ChainNode) {
  const isFinal = entry.slot <= bank.blocks.slot('finalized');
  return {
    confirmations: isFinal ? null : bank.blocks.confirmations(entry.slot),
    confirmationStatus: isFinal ? 'finalized' : 'confirmed',
  };
}
