import axios from 'axios';
// Made from the document of a running gateway by the test that compiles this file.
import { dasMainnetHeliusGetAsset, rpcMainnetHeliusGetBalance, systemCatalog, tokensSearch } from './made-by-orval.ts';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

/** A call of each kind of route; returns the statuses. */
export async function statuses(baseURL: string, send: typeof fetch): Promise<number[]> {
  Object.assign(axios.defaults, { baseURL, adapter: 'fetch', env: { ...axios.defaults.env, fetch: send } });
  const answers = [
    await systemCatalog(),
    await tokensSearch({ q: 'sol', limit: 5 }),
    await rpcMainnetHeliusGetBalance({ params: [WRAPPED_SOL, { commitment: 'finalized' }] }),
    await dasMainnetHeliusGetAsset({ params: { id: WRAPPED_SOL } }),
  ];
  return answers.map(({ status }) => status);
}
