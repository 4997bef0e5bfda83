import { ADDRESS_PATTERN } from '@asset-gateway/protocol';
import { addressOf } from './seed.ts';
import assetRows from './tables/assets.json' with { type: 'json' };

/** A variant in the asset table: a token on Solana that represents an asset. */
interface VariantRow {
  /** Undefined for a token without a row. */
  readonly symbol?: string;
  readonly name?: string;
  readonly kind: string;
  /** US dollars in all pools; 0 for a token without pools. */
  readonly liquidity: number;
  readonly pools: number;
  /** Price of one token in units of the asset; default: 1. */
  readonly ratio?: number;
  readonly decimals?: number;
  /** Given for well-known mints. Others are derived from the names. */
  readonly mint?: string;
  readonly issuer?: string;
  readonly issuerUrl?: string;
  readonly label?: string;
  readonly tags?: readonly string[];
  readonly stockVariantTier?: string;
}

/** A row of the asset table. */
interface AssetRow {
  readonly id: string;
  /** Undefined for some tokens that are curated by mint. */
  readonly symbol?: string;
  readonly name?: string;
  readonly category: string;
  readonly aliases: readonly string[];
  readonly coingeckoId?: string;
  /** The mean price in US dollars, and the volatility around it (0.3 for a major coin). */
  readonly price: number;
  readonly volatility: number;
  readonly supply: number;
  readonly since: string;
  readonly lists: readonly string[];
  readonly about: string;
  readonly website: string;
  readonly twitter?: string;
  readonly variants: readonly VariantRow[];
}

/** A variant with its mint and its asset. */
export interface Variant extends VariantRow {
  readonly mint: string;
  readonly asset: Asset;
}

/** An asset of the sandbox with its variants, deepest first. */
export interface Asset extends Omit<AssetRow, 'variants'> {
  readonly variants: readonly Variant[];
}

/** A resolved reference in the upstream's terms, and the mint that it named. */
export interface Resolution {
  readonly asset: Asset;
  readonly resolvedBy: 'assetId' | 'alias' | 'mint' | 'singleton';
  readonly mint: string | null;
}

const SINGLETON = 'solana-';

function assetOf(row: AssetRow): Asset {
  const variants: Variant[] = [];
  const asset: Asset = { ...row, variants };
  for (const variant of row.variants.toSorted((a, b) => b.liquidity - a.liquidity)) {
    variants.push({ ...variant, mint: variant.mint ?? addressOf(`${row.id}/${variant.symbol}`), asset });
  }
  return asset;
}

/** Returns the assets, in the table's order. */
export const ASSETS: readonly Asset[] = (assetRows as readonly AssetRow[]).map(assetOf);

const byMint = new Map(ASSETS.flatMap(({ variants }) => variants).map((variant) => [variant.mint, variant]));

const namesOf = ({ id, name, symbol, coingeckoId, aliases, variants }: Asset): string[] =>
  [id, name, symbol, coingeckoId, ...aliases, ...variants.flatMap((each) => [each.symbol, each.name])].flatMap(
    (text) => text?.toLowerCase() ?? [],
  );

const byName = new Map(ASSETS.flatMap((asset) => namesOf(asset).map((name) => [name, asset] as const)));

/** All mints with data. */
export const KNOWN_MINTS: readonly string[] = [...byMint.keys()];

/** Returns the variant with this mint, if any. */
export const knownVariant = (mint: string): Variant | undefined => byMint.get(mint);

/** Returns an unknown mint as its own asset, without a market. */
const singleton = (mint: string): Asset =>
  assetOf({
    id: `${SINGLETON}${mint}`,
    category: 'crypto',
    aliases: [mint],
    price: 0,
    volatility: 0,
    supply: 0,
    since: '2025-01-06',
    lists: [],
    about: '',
    website: `https://solscan.io/token/${mint}`,
    variants: [{ kind: 'native', liquidity: 0, pools: 0, mint }],
  });

/** Resolves a slug, alias, mint or `solana-<mint>`; undefined if unknown. */
export function resolveReference(reference: string): Resolution | undefined {
  const text = reference.trim();
  const mint = text.startsWith(SINGLETON) ? text.slice(SINGLETON.length) : text;
  if (ADDRESS_PATTERN.test(mint)) {
    const known = byMint.get(mint);
    return known
      ? { asset: known.asset, resolvedBy: 'mint', mint }
      : { asset: singleton(mint), resolvedBy: 'singleton', mint };
  }
  const asset = byName.get(text.toLowerCase());
  return asset && { asset, resolvedBy: asset.id === text ? 'assetId' : 'alias', mint: null };
}

/** Returns how well an asset matches a lower-case text. 0 means no match. */
export function relevance(asset: Asset, wanted: string): number {
  const names = [...namesOf(asset), ...asset.variants.map(({ mint }) => mint.toLowerCase())];
  if (names.includes(wanted)) return 3;
  if (names.some((name) => name.startsWith(wanted))) return 2;
  return names.some((name) => name.includes(wanted)) ? 1 : 0;
}
