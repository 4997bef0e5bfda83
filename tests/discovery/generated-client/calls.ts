import createClient from 'openapi-fetch';
// Made from the document of a running gateway by the test that compiles this file.
import type { paths } from './paths.d.ts';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const WALLET = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';

/** Three calls of each surface, written from the document alone. */
export function callsAt(baseUrl: string, send: (request: Request) => Promise<Response>) {
  // The document says `style: form, explode: false` of every list.
  const querySerializer = { array: { style: 'form', explode: false } } as const;
  const client = createClient<paths>({ baseUrl, fetch: send, querySerializer });
  const helius = '/v1/x402/solana/mainnet/helius';
  return {
    system: [
      () => client.GET('/healthz'),
      () => client.GET('/v1/catalog', { params: { query: { provider: 'tokens' } } }),
      () => client.GET('/llms.txt', { parseAs: 'text' }),
    ],
    tokens: [
      () => client.GET('/v1/x402/tokens/assets/search', { params: { query: { q: 'sol', limit: 5 } } }),
      () =>
        client.GET('/v1/x402/tokens/assets/{assetId}', {
          params: { path: { assetId: 'solana' }, query: { include: ['profile', 'risk'] } },
        }),
      () => client.POST('/v1/x402/tokens/assets/market-snapshots', { body: { mints: [WRAPPED_SOL] } }),
    ],
    rpc: [
      () => client.POST(`${helius}/rpc/getBalance`, { body: { params: [WRAPPED_SOL, {}] } }),
      () => client.POST(`${helius}/rpc/getAccountInfo`, { body: { params: [WRAPPED_SOL, { encoding: 'base64' }] } }),
      () =>
        client.POST('/v1/x402/solana/devnet/alchemy/rpc/getSignaturesForAddress', {
          body: { params: [WRAPPED_SOL, { limit: 10 }] },
        }),
    ],
    das: [
      () => client.POST(`${helius}/das/getAsset`, { body: { params: { id: WRAPPED_SOL } } }),
      () => client.POST(`${helius}/das/getAssetsByOwner`, { body: { params: { ownerAddress: WALLET, limit: 10 } } }),
      () =>
        client.POST('/v1/x402/solana/mainnet/alchemy/das/searchAssets', {
          body: { params: { ownerAddress: WALLET, tokenType: 'fungible' } },
        }),
    ],
    wallet: [
      () => client.GET('/v1/x402/helius/wallet/identity/{wallet}', { params: { path: { wallet: WALLET } } }),
      () => client.POST('/v1/x402/helius/wallet/batch-identity', { body: { wallets: [WALLET] } }),
      () =>
        client.GET('/v1/x402/helius/wallet/balances/{wallet}', {
          params: { path: { wallet: WALLET }, query: { limit: 10, showNfts: false } },
        }),
    ],
  };
}
