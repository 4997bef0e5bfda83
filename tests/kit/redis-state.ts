import { openState, type State } from '../../packages/gateway/src/compose/state.ts';
import { readConfig } from '../../packages/gateway/src/config/config.ts';

/** The connected state of a node on this Redis that sells nothing. */
export async function openRedisState(url: string): Promise<State> {
  const variables = { REDIS_URL: url, GATEWAY_SECRET: 's'.repeat(32), TOKENS_API_KEY: 'key-of-the-upstream' };
  const state = await openState(readConfig(variables));
  await state.connect(() => undefined);
  return state;
}
