import type { Bank, Landed } from './bank.ts';
import type { Commitment } from './blocks.ts';
import type { ChainFaults } from './faults.ts';
import type { Json, JsonObject } from './json.ts';
import type { Params } from './params.ts';
import { readMint, USDC_DECIMALS } from './token.ts';

/** What a method answers from. */
export interface ChainNode {
  readonly bank: Bank;
  readonly faults: ChainFaults;
}

/** One method of the node; it throws the RPC's own refusal. */
export type Method = (params: Params, node: ChainNode) => Json | Promise<Json>;

/** The version that the node says it is. */
export const VERSION = { 'solana-core': '3.0.10', 'feature-set': 3_604_001_754 } as const;

/** A value beside the slot that it is of. */
export function withContext({ bank }: ChainNode, commitment: Commitment, value: Json): JsonObject {
  return { context: { apiVersion: VERSION['solana-core'], slot: bank.blocks.slot(commitment) }, value };
}

/** The decimals of a mint on this chain. */
export const decimalsOn =
  ({ svm }: Bank) =>
  (mint: string): number =>
    readMint(svm.account(mint))?.decimals ?? USDC_DECIMALS;

/** Whether the node shows what landed at all. */
export function isVisible(entry: Landed, { bank, faults }: ChainNode): boolean {
  return faults.lie?.statusMissing !== true && bank.blocks.now() >= entry.at + (faults.confirmAfterMs ?? 0);
}

/** Whether the node shows what landed to who asks at this commitment. */
export const isVisibleAt = (entry: Landed, node: ChainNode, commitment: Commitment): boolean =>
  isVisible(entry, node) && entry.slot <= node.bank.blocks.slot(commitment);

/** How sure what landed is by now. */
export function confirmationOf(entry: Landed, { bank }: ChainNode) {
  const isFinal = entry.slot <= bank.blocks.slot('finalized');
  return {
    confirmations: isFinal ? null : bank.blocks.confirmations(entry.slot),
    confirmationStatus: isFinal ? 'finalized' : 'confirmed',
  };
}
