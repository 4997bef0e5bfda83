import type { Cluster } from '@asset-gateway/protocol';
import type { Chain } from '../chain/chain.ts';
import { isList, isObject, type Json } from '../chain/json.ts';
import type { Params } from '../chain/params.ts';
import type { Present } from './past.ts';

/** The chain of a cluster, and the end of its simulated history. */
export interface World {
  readonly cluster: Cluster;
  readonly chain: Chain;
  readonly present: Present;
}

/** A method of a provider; throws an `RpcError`. */
export type ProviderMethod = (params: Params, world: World) => Json | Promise<Json>;

/** The `value` of an answer with context. */
export const contextValue = (answer: Json): Json => (isObject(answer) ? (answer.value ?? null) : null);

/** Replaces the `value` of an answer with context. */
export const withValue = (answer: Json, value: Json): Json => (isObject(answer) ? { ...answer, value } : answer);

/** The items of an answer, if it is a list. */
export const rowsOf = (answer: Json): readonly Json[] => (isList(answer) ? answer : []);

/** Whether the chain knows an address, so that its data is not simulated. */
export async function isOnChain(address: string, { chain }: World): Promise<boolean> {
  if (chain.lamports(address) > 0n || chain.isHolder(address)) return true;
  const history = await chain.answer('getSignaturesForAddress', [address, { limit: 1, commitment: 'confirmed' }]);
  return rowsOf(history).length > 0;
}
