/** The categories that the Tokens API has assets of; it refuses to search in any other. */
export const CATEGORIES = ['commodity', 'crypto', 'equity', 'etf', 'rwa', 'stablecoin'] as const;

/** The kinds of variants that the Tokens API knows. */
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

/** How a token of a share can be redeemed. */
export type StockVariantTier = 'share_redeemable' | 'cash_redeemable' | 'not_redeemable';

/** What the issuer of a token of a company that is not listed says about the company. */
export interface PreMarketMark {
  readonly symbol: string;
  /** Price of one token in US dollars at the issuer's valuation. */
  readonly price: number;
  /** Worth of the whole company in US dollars. */
  readonly valuation: number;
}

/** One row of the variant tables: a token on Solana that stands for an asset. */
export interface VariantRow {
  /** Not known of a token that has no row anywhere. */
  readonly symbol?: string;
  readonly name?: string;
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
  readonly stockVariantTier?: StockVariantTier;
  readonly mark?: PreMarketMark;
  /** The token came to the asset later: its symbol and name are no references to it. */
  readonly unregistered?: boolean;
}

/** A listed share or fund whose price speaks for an asset. */
export interface Benchmark {
  readonly symbol: string;
  /** Price of one share in units of the asset; 1 unless given. */
  readonly ratio?: number;
}

/** One row of the asset tables. */
export interface AssetRow {
  readonly id: string;
  /** Not known of every token that is curated by its mint. */
  readonly symbol?: string;
  readonly name?: string;
  readonly category: Category;
  readonly aliases: readonly string[];
  /** Aliases that were added later, which the registry does not know. */
  readonly addedAliases?: readonly string[];
  readonly coingeckoId?: string;
  readonly benchmark?: Benchmark;
  /** The curated lists choose the primary variant among those that can be redeemed. */
  readonly listsRedeemable?: boolean;
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

/** What the upstream knows an asset by: its own tables, the row of a token, or nothing but the mint. */
export type Origin = 'curated' | 'token' | 'mint';

/** An asset of the offline world. */
export interface Asset extends Omit<AssetRow, 'variants'> {
  readonly origin: Origin;
  readonly variants: readonly Variant[];
}
