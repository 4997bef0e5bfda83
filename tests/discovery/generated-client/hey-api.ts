// Made from the document of a running gateway by the test that compiles this file.

import { dasMainnetHeliusGetAsset, rpcMainnetHeliusGetBalance, systemCatalog, tokensSearch } from './made-by-hey-api';
import { client } from './made-by-hey-api/client.gen';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';

/** A call of each kind of route; returns the statuses. */
export async function statuses(baseUrl: string, send: typeof fetch): Promise<number[]> {
  client.setConfig({ baseUrl, fetch: send, throwOnError: true });
  const answers = [
    await systemCatalog(),
    await tokensSearch({ query: { q: 'sol', limit: 5 } }),
    await rpcMainnetHeliusGetBalance({ body: { params: [WRAPPED_SOL, { commitment: 'finalized' }] } }),
    await dasMainnetHeliusGetAsset({ body: { params: { id: WRAPPED_SOL } } }),
  ];
  return answers.map(({ response }) => response?.status ?? 0);
}
