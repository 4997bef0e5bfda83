import { isObject, listAt, type Route, USDC } from '@asset-gateway/protocol';
import type { Chain } from '../chain/chain.ts';

/** Whether the chain knows an address; others get the examples of the rows. */
export async function isOnChain(address: string, chain: Chain): Promise<boolean> {
  if (chain.lamports(address) > 0n || chain.isHolder(address)) return true;
  const history = await chain.answer('getSignaturesForAddress', [address, { limit: 1, commitment: 'confirmed' }]);
  return listAt(history).length > 0;
}

const SOL_USD = 151.4;
const SOL = { mint: 'So11111111111111111111111111111111111111112', symbol: 'SOL', name: 'Solana', decimals: 9 };

function holding(token: typeof SOL, amount: bigint, pricePerToken: number) {
  const balance = Number(amount) / 10 ** token.decimals;
  const usdValue = Math.round(balance * pricePerToken * 100) / 100;
  return { ...token, balance, pricePerToken, usdValue, logoUri: null, tokenProgram: 'spl-token' };
}

async function balancesOf(wallet: string, chain: Chain) {
  const usdc = { mint: USDC[chain.cluster], symbol: 'USDC', name: 'USD Coin', decimals: 6 };
  const balances = [
    holding(SOL, chain.lamports(wallet), SOL_USD),
    holding(usdc, await chain.usdcBalance(wallet), 1),
  ].filter(({ balance }) => balance > 0);
  const totalUsdValue = balances.reduce((sum, { usdValue }) => sum + usdValue, 0);
  return { balances, totalUsdValue, pagination: { page: 1, limit: 100, hasMore: false } };
}

function identities(row: Route, body: string) {
  const [known] = listAt(row.result.example);
  return listAt(JSON.parse(body), 'addresses').map((address) =>
    isObject(known) && address === known.address
      ? known
      : { address, type: 'unknown', name: null, category: null, tags: [] },
  );
}

/** Answers a request to the wallet API from the chain, or with the example of its row; undefined if there is nothing. */
export async function answerWallet(row: Route, wallet: string, body: string, chain: Chain): Promise<unknown> {
  if (row.method === 'batchIdentity') return identities(row, body);
  if ((row.method !== 'balances' && row.method !== 'identity') || !(await isOnChain(wallet, chain))) {
    return row.result.example;
  }
  // Wallets of the chain have no name.
  return row.method === 'balances' ? balancesOf(wallet, chain) : undefined;
}
