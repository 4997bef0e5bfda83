import { ENUMERATIONS } from '@asset-gateway/protocol';

/** The asset categories of the Tokens API. */
export const CATEGORIES = ['commodity', 'crypto', 'equity', 'etf', 'rwa', 'stablecoin'] as const;

/** The variant kinds of the Tokens API. */
export const KINDS = [
  'native',
  'wrapped',
  'bridged',
  'spot',
  'etf',
  'yield',
  'leveraged',
  'basket',
  'lst',
  'stablecoin',
  'tokenized_equity',
] as const;

/** Liquidity tiers; trust tiers are the same. */
export const TIERS = ENUMERATIONS.liquidityTier;

/** The curated lists. */
export const LISTS = ENUMERATIONS.list;

/** One of the categories of assets. */
export type Category = (typeof CATEGORIES)[number];
/** One of the kinds of variants. */
export type Kind = (typeof KINDS)[number];
/** One of the liquidity tiers. */
export type Tier = (typeof TIERS)[number];
/** One of the curated lists. */
export type ListId = (typeof LISTS)[number];

/** How a tokenized share can be redeemed. */
export type StockVariantTier = 'share_redeemable' | 'cash_redeemable' | 'not_redeemable';

/** The issuer's valuation of an unlisted company. */
export interface PreMarketMark {
  readonly symbol: string;
  /** Price of one token in US dollars at the issuer's valuation. */
  readonly price: number;
  /** Value of the company in US dollars. */
  readonly valuation: number;
}

/** A variant in the asset table: a token on Solana that represents an asset. */
export interface VariantRow {
  /** Unknown for a token without a row. */
  readonly symbol?: string;
  readonly name?: string;
  readonly kind: Kind;
  /** US dollars in all pools; 0 for a token without pools. */
  readonly liquidity: number;
  readonly pools: number;
  /** Price of one token in units of the asset; default: 1. */
  readonly ratio?: number;
  readonly decimals?: number;
  /** Well-known mints only; others are derived from the names. */
  readonly mint?: string;
  readonly issuer?: string;
  readonly issuerUrl?: string;
  readonly label?: string;
  readonly tags?: readonly string[];
  readonly stockVariantTier?: StockVariantTier;
  readonly mark?: PreMarketMark;
  /** Its symbol and name do not resolve to the asset. */
  readonly unregistered?: boolean;
}

/** A listed share or fund that sets the price of an asset. */
export interface Benchmark {
  readonly symbol: string;
  /** Price of one share in units of the asset; default: 1. */
  readonly ratio?: number;
}

/** A row of the asset table. */
export interface AssetRow {
  readonly id: string;
  /** Unknown for some tokens that are curated by mint. */
  readonly symbol?: string;
  readonly name?: string;
  readonly category: Category;
  readonly aliases: readonly string[];
  /** Aliases that are missing from the registry. */
  readonly addedAliases?: readonly string[];
  readonly coingeckoId?: string;
  readonly benchmark?: Benchmark;
  /** Curated lists choose the primary variant among redeemable ones. */
  readonly listsRedeemable?: boolean;
  /** The mean price in US dollars, and the volatility around it (0.3 for a major coin). */
  readonly price: number;
  readonly volatility: number;
  /** The asset with the same price movements. */
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

/** A variant with its mint and its asset. */
export interface Variant extends VariantRow {
  readonly mint: string;
  readonly asset: Asset;
}

/** The source of an asset: the curated table, a token's row, or only a mint. */
export type Origin = 'curated' | 'token' | 'mint';

/** An asset of the sandbox. */
export interface Asset extends Omit<AssetRow, 'variants'> {
  readonly origin: Origin;
  readonly variants: readonly Variant[];
}
