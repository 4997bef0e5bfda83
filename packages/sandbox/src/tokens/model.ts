/** What the Tokens API calls the categories of assets. */
export const CATEGORIES = ['crypto', 'stablecoin', 'lst', 'rwa', 'commodity', 'equity', 'etf', 'index'] as const;

/** The kinds of variants that the Tokens API knows. */
export const KINDS = [
  'native',
  'wrapped',
  'bridged',
  'etf',
  'yield',
  'leveraged',
  'basket',
  'lst',
  'stablecoin',
  'tokenized_equity',
  'spot',
] as const;

/** The tiers that liquidity is sorted into; trust mirrors them. */
export const TIERS = ['tier1', 'tier2', 'tier3'] as const;

/** The curated lists. */
export const LISTS = ['all', 'majors', 'lsts', 'currencies', 'rwas', 'etfs', 'metals', 'stocks'] as const;

/** One of the categories of assets. */
export type Category = (typeof CATEGORIES)[number];
/** One of the kinds of variants. */
export type Kind = (typeof KINDS)[number];
/** One of the liquidity tiers. */
export type Tier = (typeof TIERS)[number];
/** One of the curated lists. */
export type ListId = (typeof LISTS)[number];

/** One row of the variant tables: a token on Solana that stands for an asset. */
export interface VariantRow {
  readonly symbol: string;
  readonly name: string;
  readonly kind: Kind;
  /** US dollars in all its pools; 0 for a token that no pool trades. */
  readonly liquidity: number;
  readonly pools: number;
  /** Price of one token in units of the asset; 1 unless given. */
  readonly ratio?: number;
  readonly decimals?: number;
  /** Only well-known mints are given; the others are derived from the names. */
  readonly mint?: string;
  readonly issuer?: string;
  readonly issuerUrl?: string;
  readonly label?: string;
  readonly tags?: readonly string[];
}

/** One row of the asset tables. */
export interface AssetRow {
  readonly id: string;
  readonly symbol: string;
  readonly name: string;
  readonly category: Category;
  readonly aliases: readonly string[];
  readonly coingeckoId?: string;
  /** The level in US dollars that the price wanders around, and how far it wanders (0.3 is a major coin). */
  readonly price: number;
  readonly volatility: number;
  /** The asset whose price this one follows. */
  readonly follows?: string;
  readonly supply: number;
  readonly since: string;
  readonly tickers: number;
  readonly lists: readonly ListId[];
  readonly about: string;
  readonly website: string;
  readonly twitter?: string;
  readonly variants: readonly VariantRow[];
}

/** A variant with its mint and the asset it belongs to. */
export interface Variant extends VariantRow {
  readonly mint: string;
  readonly asset: Asset;
}

/** How the upstream came to know an asset: from its own tables, a token registry, or only from the mint itself. */
export type Origin = 'curated' | 'registry' | 'sanctum' | 'singleton';

/** An asset of the offline world. */
export interface Asset extends Omit<AssetRow, 'variants'> {
  readonly origin: Origin;
  readonly variants: readonly Variant[];
}
