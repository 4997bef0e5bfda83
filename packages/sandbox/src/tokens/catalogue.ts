import type { Asset, AssetRow, Origin, Variant, VariantRow } from './model.ts';
import { addressOf, between } from './seed.ts';
import assetRows from './tables/assets.json' with { type: 'json' };
import tokenRows from './tables/tokens.json' with { type: 'json' };

/**
 * Symbols of the liquid staking tokens of SOL that Sanctum lists, in its order. vSOL is not yet a variant of Solana; scnSOL is
 * a variant that Sanctum no longer lists.
 */
const STAKE_POOLS = 'INF JitoSOL JupSOL mSOL bSOL hSOL dSOL sSOL bonkSOL laineSOL vSOL'.split(' ');

/** The mints that the upstream accepts: base58 of plausible length, not decoded. */
export const MINT = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** How a reference was resolved, in the upstream's terms. */
export type ResolvedBy = 'assetId' | 'alias' | 'mint' | 'singletonMint' | 'registry' | 'sanctum' | 'singleton';

/** A resolved reference, and the mint that it named. */
export interface Resolution {
  readonly asset: Asset;
  readonly resolvedBy: ResolvedBy;
  readonly mint: string | null;
}

const SINGLETON = 'solana-';

const mintOf = (assetId: string, { mint, symbol }: VariantRow): string => mint ?? addressOf(`${assetId}/${symbol}`);

function assetOf(row: AssetRow, origin: Origin): Asset {
  const variants: Variant[] = [];
  const asset: Asset = { ...row, origin, variants };
  for (const variant of row.variants) variants.push({ ...variant, mint: mintOf(row.id, variant), asset });
  return asset;
}

/** The asset of an uncurated mint, from its token's row if there is one. */
function singletonOf(mint: string, known: Partial<AssetRow>, market: Partial<VariantRow>): Asset {
  const { symbol, name } = known;
  const named = { ...(symbol && { symbol }), ...(name && { name }) };
  const row: AssetRow = {
    id: `${SINGLETON}${mint}`,
    category: 'crypto',
    aliases: [mint],
    price: 0,
    volatility: 0,
    supply: 0,
    since: '2025-01-06',
    tickers: 0,
    lists: [],
    about: '',
    website: `https://solscan.io/token/${mint}`,
    variants: [{ kind: 'native', liquidity: 0, pools: 0, mint, ...named, ...market }],
    ...known,
  };
  return assetOf(row, symbol === undefined ? 'mint' : 'token');
}

/** The curated assets, in the order of the table. */
export const ASSETS: readonly Asset[] = (assetRows as readonly AssetRow[]).map((row) => assetOf(row, 'curated'));

/** The uncurated tokens, each as its own asset. */
export const TOKEN_ASSETS: readonly Asset[] = tokenRows.map((known) => {
  const liquidity = Math.round(between(60_000, 900_000, `${known.symbol}/liquidity`));
  const pools = 2 + Math.floor(between(0, 7, `${known.symbol}/pools`));
  return singletonOf(addressOf(`token/${known.symbol}`), known, { liquidity, pools, decimals: 6 });
});

const byId = new Map(ASSETS.map((asset) => [asset.id, asset]));
const byMint = new Map(
  [...ASSETS, ...TOKEN_ASSETS].flatMap((asset) => asset.variants.map((variant) => [variant.mint, variant] as const)),
);

const namesOf = ({ id, name, symbol, coingeckoId, aliases }: Asset): string[] =>
  [id, name, symbol, coingeckoId, ...aliases].filter((text) => text !== undefined);

const registered = ASSETS.flatMap(({ variants }) => variants.filter(({ unregistered }) => unregistered !== true));

// Names are unique.
const byName = new Map([
  ...ASSETS.flatMap((asset) => namesOf(asset).map((name) => [name.toLowerCase(), asset] as const)),
  ...registered.flatMap(({ symbol, name, asset }) =>
    [symbol, name].flatMap((text) => (text === undefined ? [] : [[text.toLowerCase(), asset] as const])),
  ),
]);
const byAddedAlias = new Map(
  ASSETS.flatMap((asset) => (asset.addedAliases ?? []).map((alias) => [alias.toLowerCase(), asset] as const)),
);

const SOLANA = byId.get('solana');
const STAKED = new Map(
  STAKE_POOLS.map((symbol, rank) => {
    const variant = SOLANA?.variants.find((candidate) => candidate.symbol === symbol);
    return [variant?.mint ?? addressOf(`solana/${symbol}`), { symbol: symbol.toLowerCase(), rank }] as const;
  }),
);
const STAKED_SYMBOLS = new Set([...STAKED.values()].map(({ symbol }) => symbol));

/** All mints with data. */
export const KNOWN_MINTS: readonly string[] = [...byMint.keys()];

/** The variant with this mint, if any. */
export const knownVariant = (mint: string): Variant | undefined => byMint.get(mint);

/** The rank of a mint among the stake pools, if it is one. */
export const stakePoolRank = (mint: string): number | undefined => STAKED.get(mint)?.rank;

/** Whether a text is the symbol or the mint of a stake pool. */
export const isStakePool = (text: string): boolean => STAKED.has(text) || STAKED_SYMBOLS.has(text.toLowerCase());

/** The asset of a mint that is not a variant of a curated asset. */
export function singleton(mint: string): Asset {
  const known = byMint.get(mint);
  return known?.asset.origin === 'token' ? known.asset : singletonOf(mint, {}, {});
}

function resolveMint(mint: string, known: 'mint' | 'singletonMint'): Resolution {
  const variant = byMint.get(mint);
  if (variant?.asset.origin === 'curated') return { asset: variant.asset, resolvedBy: known, mint };
  if (SOLANA !== undefined && STAKED.has(mint)) return { asset: SOLANA, resolvedBy: 'sanctum', mint };
  return { asset: singleton(mint), resolvedBy: 'singleton', mint };
}

function resolveName(name: string): Resolution | undefined {
  const lower = name.toLowerCase();
  const named = byName.get(lower);
  if (named !== undefined) return { asset: named, resolvedBy: named.id === name ? 'assetId' : 'registry', mint: null };
  if (SOLANA !== undefined && STAKED_SYMBOLS.has(lower)) return { asset: SOLANA, resolvedBy: 'sanctum', mint: null };
  const added = byAddedAlias.get(lower);
  return added && { asset: added, resolvedBy: 'alias', mint: null };
}

/** Resolves a slug, alias, mint or `solana-<mint>`; undefined if unknown. */
export function resolveReference(reference: string): Resolution | undefined {
  const text = reference.trim();
  const own = text.startsWith(SINGLETON) ? text.slice(SINGLETON.length) : '';
  if (MINT.test(own)) return resolveMint(own, 'singletonMint');
  return MINT.test(text) ? resolveMint(text, 'mint') : resolveName(text);
}
