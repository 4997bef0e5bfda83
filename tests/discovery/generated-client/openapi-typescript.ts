import createClient, { type Client } from 'openapi-fetch';
// Made from the document of a running gateway by the test that compiles this file.
import type { paths } from './made-by-openapi-typescript.ts';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const HELIUS = '/v1/x402/solana/mainnet/helius';
const SEARCH = '/v1/x402/tokens/assets/search';

/** A call of each kind of route; returns the statuses. */
export async function statuses(baseUrl: string, send: typeof fetch): Promise<number[]> {
  const client = createClient<paths>({ baseUrl, fetch: (request) => send(request) });
  const answers = [
    await client.GET('/v1/catalog', { params: { query: { provider: 'tokens' } } }),
    await client.GET(SEARCH, { params: { query: { q: 'sol', limit: 5 } } }),
    await client.POST(`${HELIUS}/rpc/getBalance`, { body: { params: [WRAPPED_SOL, { commitment: 'finalized' }] } }),
    await client.POST(`${HELIUS}/das/getAsset`, { body: { params: { id: WRAPPED_SOL } } }),
  ];
  return answers.map(({ response }) => response.status);
}

/** Calls that the document does not allow, which compile for that reason alone. */
export const faulty = (client: Client<paths>) => [
  // @ts-expect-error an unknown path
  () => client.GET('/health'),
  // @ts-expect-error an invalid value
  () => client.GET('/v1/catalog', { params: { query: { provider: 'gateway' } } }),
  // @ts-expect-error a missing parameter
  () => client.GET(SEARCH, { params: { query: { limit: 5 } } }),
  // @ts-expect-error a body of another type
  () => client.POST('/v1/x402/tokens/assets/market-snapshots', { body: { mints: WRAPPED_SOL } }),
  // @ts-expect-error a word outside the enum
  () => client.POST(`${HELIUS}/rpc/getAccountInfo`, { body: { params: [WRAPPED_SOL, { encoding: 'base63' }] } }),
];
