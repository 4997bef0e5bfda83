import type { Json } from '../chain/json.ts';
import {
  addressFrom,
  EXAMPLES,
  holdingsOf,
  lamportsOf,
  SOL_DECIMALS,
  SOL_MINT,
  SOL_USD,
  tokensOf,
} from './catalogue.ts';
import { exampleOf, walletRowOf } from './examples.ts';
import { type PastEvent, pastOf } from './past.ts';
import {
  batchIdentity,
  choiceIn,
  flagIn,
  HISTORY_TYPES,
  identity,
  identityOf,
  numberIn,
  WalletRefusal,
  walletIn,
  walletOrDomainIn,
} from './wallet-query.ts';
import { isOnChain, type World } from './world.ts';

/** A request to the wallet API. */
export interface WalletRequest {
  readonly method: string;
  /** The segments of the path after the API's base. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
  readonly body: string;
}

type WalletRoute = (wallet: string, query: URLSearchParams, world: World) => Json | Promise<Json>;

const MAX_PAGE = 1_000_000;

const amountOf = (raw: bigint, decimals: number): number => Number(raw) / 10 ** decimals;
const cents = (usd: number): number => Math.round(usd * 100) / 100;

async function heldBy(wallet: string, world: World) {
  const [usdc] = tokensOf(world.cluster);
  if (usdc && (await isOnChain(wallet, world))) {
    const amount = await world.chain.usdcBalance(wallet);
    return { lamports: world.chain.lamports(wallet), tokens: [{ token: usdc, amount }] };
  }
  return { lamports: lamportsOf(wallet), tokens: holdingsOf(wallet, world.cluster) };
}

const row = (
  name: { mint: string; symbol: string; name: string },
  amount: bigint,
  decimals: number,
  price: number,
) => ({
  mint: name.mint,
  symbol: name.symbol,
  name: name.name,
  balance: amountOf(amount, decimals),
  decimals,
  pricePerToken: price,
  usdValue: cents(amountOf(amount, decimals) * price),
  logoUri: `https://img.example/${name.mint}.png`,
  tokenProgram: 'spl-token',
});

const nftsOf = (wallet: string): Json =>
  ['one', 'two'].map((which) => ({
    mint: addressFrom(`${wallet}:nft:${which}`),
    name: `Sandbox ${which}`,
    imageUri: `https://img.example/${which}.png`,
    collectionName: 'Sandbox',
    collectionAddress: addressFrom('sandbox-collection'),
    compressed: false,
  }));

const balances: WalletRoute = async (wallet, query, world) => {
  const page = numberIn(query, 'page', { fallback: 1, max: MAX_PAGE });
  const limit = numberIn(query, 'limit', { fallback: 100, max: 100 });
  const showsZero = flagIn(query, 'showZeroBalance', false);
  const showsSol = flagIn(query, 'showNative', true);
  const showsNfts = flagIn(query, 'showNfts', false);
  const { lamports, tokens } = await heldBy(wallet, world);
  const sol = row({ mint: SOL_MINT, symbol: 'SOL', name: 'Solana' }, lamports, SOL_DECIMALS, SOL_USD);
  const others = tokens.map(({ token, amount }) => row(token, amount, token.decimals, token.priceUsd));
  const all = [...(showsSol ? [sol] : []), ...others].filter(({ balance }) => showsZero || balance > 0);
  const shown = all.slice((page - 1) * limit, page * limit);
  return {
    balances: shown,
    nfts: showsNfts && page === 1 ? nftsOf(wallet) : undefined,
    totalUsdValue: cents(shown.reduce((sum, { usdValue }) => sum + usdValue, 0)),
    pagination: { page, limit, hasMore: all.length > page * limit },
  };
};

function cut(events: readonly PastEvent[], cursor: string | null, limit: number) {
  const from = cursor === null ? 0 : events.findIndex(({ signature }) => signature === cursor) + 1;
  const left = cursor !== null && from === 0 ? [] : events.slice(from);
  const shown = left.slice(0, limit);
  const hasMore = left.length > limit;
  return { shown, pagination: { hasMore, nextCursor: hasMore ? shown.at(-1)?.signature : undefined } };
}

const history: WalletRoute = (wallet, query, { present }) => {
  const limit = numberIn(query, 'limit', { fallback: 100, max: 100 });
  const type = choiceIn(query, 'type', HISTORY_TYPES) ?? 'TRANSFER';
  choiceIn(query, 'tokenAccounts', ['none', 'balanceChanged', 'all']);
  const after = query.get('after');
  const past = type === 'TRANSFER' ? pastOf(wallet, present) : [];
  const end = after === null ? -1 : past.findIndex(({ signature }) => signature === after);
  const { shown, pagination } = cut(end === -1 ? past : past.slice(0, end), query.get('before'), limit);
  const data = shown.map((event) => ({
    signature: event.signature,
    timestamp: event.blockTime,
    slot: event.slot,
    fee: 0.000005,
    feePayer: event.from,
    error: event.failed ? 'InstructionError' : null,
    balanceChanges: event.failed
      ? []
      : [
          {
            mint: SOL_MINT,
            amount: (event.to === wallet ? 1 : -1) * amountOf(event.lamports, 9),
            decimals: SOL_DECIMALS,
          },
        ],
  }));
  return { data, pagination };
};

const transfers: WalletRoute = (wallet, query, { present }) => {
  const limit = numberIn(query, 'limit', { fallback: 50, max: 100 });
  const moved = pastOf(wallet, present).filter(({ failed }) => !failed);
  const { shown, pagination } = cut(moved, query.get('cursor'), limit);
  const data = shown.map(({ signature, blockTime, from, to, lamports }) => ({
    signature,
    timestamp: blockTime,
    direction: to === wallet ? 'in' : 'out',
    counterparty: to === wallet ? from : to,
    mint: SOL_MINT,
    symbol: 'SOL',
    amount: amountOf(lamports, SOL_DECIMALS),
    amountRaw: lamports.toString(),
    decimals: SOL_DECIMALS,
  }));
  return { data, pagination };
};

const fundedBy: WalletRoute = (wallet, _, { present }) => {
  const first = pastOf(wallet, present).findLast(({ to, failed }) => to === wallet && !failed);
  if (!first || wallet === EXAMPLES.absent) throw new WalletRefusal(404, 'No funding transaction found');
  const funder = identityOf(first.from);
  return {
    funder: first.from,
    funderName: funder?.name ?? null,
    funderType: funder?.type ?? null,
    mint: SOL_MINT,
    symbol: 'SOL',
    amount: amountOf(first.lamports, SOL_DECIMALS),
    amountRaw: first.lamports.toString(),
    decimals: SOL_DECIMALS,
    signature: first.signature,
    timestamp: first.blockTime,
    date: new Date(first.blockTime * 1000).toISOString(),
    slot: first.slot,
    explorerUrl: `https://orbmarkets.io/tx/${first.signature}`,
  };
};

const ROUTES: Readonly<Record<string, WalletRoute>> = {
  identity,
  balances,
  history,
  transfers,
  'funded-by': fundedBy,
};

/** Answers a request to the wallet API, or with the example of its row; throws a `WalletRefusal`. */
export async function answerWallet(request: WalletRequest, world: World): Promise<Json> {
  const [first = '', second, ...rest] = request.segments;
  const isBatch = first === 'batch-identity' && second === undefined;
  const route = second !== undefined && Object.hasOwn(ROUTES, second) ? ROUTES[second] : undefined;
  if ((!isBatch && !route) || rest.length > 0) {
    const row = walletRowOf(request);
    if (!row) throw new WalletRefusal(404, 'Not found');
    return exampleOf(row);
  }
  if (request.method !== (isBatch ? 'POST' : 'GET')) throw new WalletRefusal(405, 'Method not allowed');
  if (!route) return batchIdentity(request.body);
  const wallet = route === identity ? walletOrDomainIn(first) : walletIn(first);
  return route(wallet, request.query, world);
}
