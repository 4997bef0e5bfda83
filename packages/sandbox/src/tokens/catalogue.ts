import type { Asset, AssetRow, Origin, Variant, VariantRow } from './model.ts';
import { addressOf, between } from './seed.ts';
import { CASH_AND_METALS } from './tables/cash-and-metals.ts';
import { ECOSYSTEM } from './tables/ecosystem.ts';
import { MAJORS } from './tables/majors.ts';
import { REGISTRY } from './tables/registry.ts';
import { STOCKS } from './tables/stocks.ts';

/** What the upstream accepts as a mint: base58 of plausible length, not decoded. */
export const MINT = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** How a reference led to an asset, in the upstream's words. */
export type ResolvedBy = 'assetId' | 'alias' | 'mint' | 'singletonMint' | 'registry' | 'sanctum' | 'singleton';

/** An asset, how it was found, and the variant if the reference named one. */
export interface Resolution {
  readonly asset: Asset;
  readonly resolvedBy: ResolvedBy;
  readonly variant: Variant | null;
}

const SINGLETON = 'solana-';

function assetOf(row: AssetRow, origin: Origin): Asset {
  const variants: Variant[] = [];
  const asset: Asset = { ...row, origin, variants };
  for (const variant of row.variants) {
    variants.push({ ...variant, mint: variant.mint ?? addressOf(`${row.id}/${variant.symbol}`), asset });
  }
  return asset;
}

function singletonRow(mint: string, known: Partial<AssetRow>, variant: Partial<VariantRow>): AssetRow {
  const short = `${mint.slice(0, 4)}...${mint.slice(-4)}`;
  const symbol = known.symbol ?? short;
  const name = known.name ?? `Token ${short}`;
  return {
    id: `${SINGLETON}${mint}`,
    symbol,
    name,
    category: 'crypto',
    aliases: [],
    price: 0,
    volatility: 0,
    supply: 0,
    since: '2025-01-06',
    tickers: 0,
    lists: [],
    about: '',
    website: `https://solscan.io/token/${mint}`,
    variants: [{ symbol, name, kind: 'spot', liquidity: 0, pools: 0, mint, ...variant }],
    ...known,
  };
}

const registryAssets = REGISTRY.map((known) => {
  const liquidity = Math.round(between(60_000, 900_000, `${known.symbol}/liquidity`));
  const pools = 2 + Math.floor(between(0, 7, `${known.symbol}/pools`));
  return assetOf(
    singletonRow(addressOf(`registry/${known.symbol}`), known, { liquidity, pools, decimals: 6 }),
    'registry',
  );
});

/** Every curated asset, in the order of the tables. */
export const ASSETS: readonly Asset[] = [...MAJORS, ...CASH_AND_METALS, ...STOCKS, ...ECOSYSTEM].map((row) =>
  assetOf(row, row.category === 'lst' ? 'sanctum' : 'curated'),
);

const byId = new Map(ASSETS.map((asset) => [asset.id, asset]));
const byAlias = new Map(ASSETS.flatMap((asset) => asset.aliases.map((alias) => [alias, asset] as const)));
const byMint = new Map(
  [...ASSETS, ...registryAssets].flatMap((asset) => asset.variants.map((variant) => [variant.mint, variant] as const)),
);

/** Every mint that the offline world has data for. */
export const KNOWN_MINTS: readonly string[] = [...byMint.keys()];

/** The variant with this mint, when the world knows it. */
export const knownVariant = (mint: string): Variant | undefined => byMint.get(mint);

/** Resolves a well-formed mint; one that nobody knows becomes an asset of its own. */
export function resolveMint(mint: string): Resolution {
  const known = byMint.get(mint);
  if (known !== undefined) {
    const { origin } = known.asset;
    return { asset: known.asset, resolvedBy: origin === 'curated' ? 'mint' : origin, variant: known };
  }
  const asset = assetOf(singletonRow(mint, {}, {}), 'singleton');
  return { asset, resolvedBy: 'singleton', variant: asset.variants[0] ?? null };
}

/** Resolves a slug, alias, mint or `solana-<mint>`; nothing when the reference means no asset. */
export function resolveReference(reference: string): Resolution | undefined {
  const slug = reference.toLowerCase();
  const named = byId.get(slug);
  if (named !== undefined) {
    return { asset: named, resolvedBy: 'assetId', variant: null };
  }
  const aliased = byAlias.get(slug);
  if (aliased !== undefined) {
    return { asset: aliased, resolvedBy: 'alias', variant: null };
  }
  if (MINT.test(reference)) {
    return resolveMint(reference);
  }
  const mint = reference.startsWith(SINGLETON) ? reference.slice(SINGLETON.length) : '';
  if (!MINT.test(mint)) {
    return undefined;
  }
  const found = resolveMint(mint);
  return found.resolvedBy === 'mint' ? { ...found, resolvedBy: 'singletonMint' } : found;
}
