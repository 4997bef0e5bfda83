import type { Cluster } from '../chain/addresses.ts';
import type { Chain } from '../chain/chain.ts';
import { isList, isObject, type Json } from '../chain/json.ts';
import type { Params } from '../chain/params.ts';
import type { Present } from './past.ts';

/** What the provider answers from: the chain of a cluster, and where its invented past ends. */
export interface World {
  readonly cluster: Cluster;
  readonly chain: Chain;
  readonly present: Present;
}

/** One method of a provider; it throws the RPC's own refusal. */
export type ProviderMethod = (params: Params, world: World) => Json | Promise<Json>;

/** The `value` of an answer that comes with its slot. */
export const contextValue = (answer: Json): Json => (isObject(answer) ? (answer.value ?? null) : null);

/** Puts an answer's slot around another value. */
export const withValue = (answer: Json, value: Json): Json => (isObject(answer) ? { ...answer, value } : answer);

/** The rows of an answer that is a list. */
export const rowsOf = (answer: Json): readonly Json[] => (isList(answer) ? answer : []);

/** Whether the chain itself knows an address: nothing is invented about it then. */
export async function isOnChain(address: string, { chain }: World): Promise<boolean> {
  if (chain.lamports(address) > 0n || chain.isHolder(address)) {
    return true;
  }
  const history = await chain.answer('getSignaturesForAddress', [address, { limit: 1, commitment: 'confirmed' }]);
  return rowsOf(history).length > 0;
}
