import type { Members } from '@asset-gateway/protocol';
import type { Bank } from './bank.ts';
import type { Commitment } from './blocks.ts';
import type { ChainFaults } from './faults.ts';
import { commitmentOf, configAt, type Params } from './params.ts';

/** The state and faults that methods read. */
export interface ChainNode {
  readonly bank: Bank;
  readonly faults: ChainFaults;
}

/** A method of the node. Throws an `RpcError`. */
export type Method = (params: Params, node: ChainNode) => unknown;

/** Methods by name. */
export type Methods = Readonly<Record<string, Method>>;

const VERSION = '3.0.10';

/** Wraps a value with a slot; default: the commitment's. */
export const withContext = (node: ChainNode, commitment: Commitment, value: unknown, slot?: bigint) => ({
  context: { apiVersion: VERSION, slot: slot ?? node.bank.blocks.slot(commitment) },
  value,
});

/** Returns a method with its configuration at this position. It answers a value with the slot of its commitment. */
export function atSlot(position: number, read: (params: Params, config: Members, node: ChainNode) => unknown): Method {
  return (params, node) => {
    const config = configAt(params, position);
    const value = read(params, config, node);
    return withContext(node, commitmentOf(config), value);
  };
}
