// Generated from the route table by `npm run docs`. Do not edit.
import type { Call } from './call.ts';
import type { MethodRows, MethodTable } from './method-row.ts';

export type SystemLivenessResult = {
  ok: true;
  /** The name of the service. */
  service: string;
  status: 'healthy';
};

export type SystemReadinessResult = {
  ok: true;
  status: 'ready';
};

export type SystemCatalogInput = {
  /** Only the routes of one provider. */
  provider?: 'alchemy' | 'helius' | 'tokens' | undefined;
};

export type SystemCatalogResult = {
  ok: true;
  version: 1;
  /** Networks and mints, if anything is sold. */
  payment?: Record<string, unknown>;
  /** The size of the list. */
  catalog: {
    /** Number of routes. */
    totalRoutes: number;
    /** Number of listed routes. */
    returnedRoutes: number;
    /** The requested filter. */
    filters: Record<string, unknown>;
  };
  /** The providers, with the URL of the catalog of each. */
  categories: Record<string, unknown>;
  routes: {
    /** The path, with :name for parameters. */
    path: string;
    /** The verb. */
    httpMethod: 'GET' | 'POST';
    /** The cluster of the data and of the payment. */
    cluster?: 'mainnet' | 'devnet';
    /** The provider. */
    provider: 'alchemy' | 'helius' | 'tokens';
    /** The family of routes. */
    surface: 'tokens' | 'rpc' | 'das' | 'wallet';
    /** The envelope's method. */
    method: string;
    /** What the route answers. */
    description: string;
    /** A wallet's signature, or a payment. */
    accessMode: 'siwx' | 'exact';
    paymentRequired: boolean;
    /** Dollars per call. */
    priceUsd: string;
    /** The networks that a sign-in may name. */
    authNetworks?: string[];
    /** CAIP-2. */
    paymentNetwork?: string;
    /** The token to pay with. */
    paymentAsset?: {
      /** USDC. */
      symbol: string;
      /** Its mint. */
      mint: string;
      /** Its decimals. */
      decimals: number;
    };
    enabled: true;
    /** The schema of the query, or of the body of a POST. */
    inputSchema: Record<string, unknown>;
    /** A valid input. */
    inputExample?: Record<string, unknown>;
    /** The schema of a success's body. */
    outputSchema: Record<string, unknown>;
    /** The schema of the path parameters. */
    pathParamsSchema?: Record<string, unknown>;
    /** Valid path parameters. */
    pathParamsExample?: Record<string, unknown>;
    rules?: Record<string, unknown>[];
  }[];
};

export type SystemOpenapiResult = Record<string, unknown>;

export type SystemWellKnownResult = {
  version: 1;
  resources: string[];
};

export type SystemLlmsResult = string;

export type TokensHealthResult = {
  ok: true;
};

export type TokensSearchInput = {
  /** What to search for. */
  q: string;
  /** How many rows to return. */
  limit?: number | undefined;
  /** Asset category. */
  category?: string | undefined;
};

export type TokensSearchResult = {
  /** The search text. */
  query: string;
  category: 'crypto' | 'stablecoin' | 'lst' | 'rwa' | 'commodity' | 'equity' | 'etf' | 'index' | null;
  /** How the primary variant was chosen. */
  primaryVariantStrategy: 'liquidity' | 'execution_quality' | 'stock_redeemability';
  /** Assets, the best match first. */
  results: {
    /** Canonical asset id. */
    assetId: string;
    /** Its name. */
    name?: string;
    /** Its symbol. */
    symbol?: string;
    /** The category of the asset. */
    category: 'crypto' | 'stablecoin' | 'lst' | 'rwa' | 'commodity' | 'equity' | 'etf' | 'index';
    imageUrl: string | null;
    stats: {
      price: number | null;
      liquidity: number | null;
      volume24hUSD: number | null;
      volume30dUSD: number | null;
      marketCap: number | null;
      priceChange24hPercent: number | null;
      priceChange1hPercent: number | null;
      fdv?: number | null;
      totalSupply?: number | null;
      circulatingSupply?: number | null;
    } | null;
    /** The market of the asset itself. */
    canonicalMarket?: {
      source: 'coingecko';
      /** Its id at CoinGecko. */
      coinId: string;
      price: number | null;
      marketCap: number | null;
      volume24hUSD: number | null;
      priceChange24hPercent: number | null;
      lastFetchedAt: number | null;
      providerLastUpdatedAt: number | null;
    } | {
      source: 'clickhouse_stock';
      /** The ticker symbol. */
      symbol: string;
      price: number | null;
      marketCap: number | null;
      volume24hUSD: number | null;
      priceChange24hPercent: number | null;
      lastFetchedAt: number | null;
      providerLastUpdatedAt: number | null;
      asOf: number | null;
    } | {
      source: 'prestocks';
      /** The symbol at its issuer. */
      symbol: string;
      /** The mint. */
      mint: string;
      price: number | null;
      marketCap: number | null;
      volume24hUSD: number | null;
      priceChange24hPercent: number | null;
      lastFetchedAt: number | null;
      markPriceUsd: number | null;
      markValuationUsd: number | null;
      impliedValuationUsd: number | null;
      premiumToMarkPercent: number | null;
      providerLastUpdatedAt: number | null;
      asOf: number | null;
    };
    primaryVariant: {
      /** Its id. */
      variantId: string;
      /** The mint. */
      mint: string;
      /** Kind of variant. */
      kind: 'native' | 'wrapped' | 'bridged' | 'etf' | 'yield' | 'leveraged' | 'basket' | 'lst' | 'stablecoin' | 'tokenized_equity' | 'spot';
      /** By liquidity: above $10M, from $2.5M, below. */
      liquidityTier: 'tier1' | 'tier2' | 'tier3';
      /** As liquidityTier. */
      trustTier: 'tier1' | 'tier2' | 'tier3';
      /** A label that distinguishes it from other variants. */
      label?: string;
      /** Symbol of the token. */
      symbol?: string;
      /** Name of the token. */
      name?: string;
      /** How a tokenised share can be redeemed. */
      stockVariantTier?: 'share_redeemable' | 'cash_redeemable' | 'not_redeemable';
      /** Marks of the variant. */
      tags: string[];
      /** Its issuer. */
      issuer?: string;
      /** The issuer's website. */
      issuerUrl?: string;
      market: {
        /** Where the market comes from: birdeye, rwa_xyz or clickhouse_trades. */
        source?: string;
        /** Where the metrics come from. */
        metricsSource?: string;
        price: number | null;
        liquidity: number | null;
        volume24hUSD: number | null;
        marketCap: number | null;
        priceChange24hPercent: number | null;
        priceChange1hPercent: number | null;
        decimals: number | null;
        logoURI: string | null;
        volume1hUSD?: number | null;
        trade1h?: number | null;
        trade24h?: number | null;
        uniqueWallet1h?: number | null;
        uniqueWallet24h?: number | null;
        holder?: number | null;
        fdv?: number | null;
        totalSupply?: number | null;
        circulatingSupply?: number | null;
        lastTradeAt?: number | null;
        asOf?: number | null;
        lastFetchedAt: number | null;
      } | null;
      executionQuality: {
        source: 'clickhouse_fill_quality';
        range: '24h';
        horizon: '5s';
        /** The mint that fills are counted in. */
        quoteMint: string;
        /** Traded in 24 hours, in US dollars. */
        volume24hUSD: number;
        /** Trades in 24 hours. */
        trade24h: number;
        /** Traded by bots in 24 hours, in US dollars. */
        botVolume24hUSD: number;
        /** Trades by bots in 24 hours. */
        botTrade24h: number;
        /** Share of bots in the volume, 0 to 1. */
        botVolumeRatio: number;
        /** Fees paid in 24 hours, in US dollars. */
        fee24hUSD: number;
        /** Fees, in basis points of the volume. */
        feeBps: number;
        /** Sources that orders came from. */
        flowSourceCount: number;
        markoutPnl24hUSD: number | null;
        markoutCount: number | null;
        markoutBps: number | null;
        /** The verdict, 0 to 100. */
        executionScore: number;
        /** Whether it can be the primary variant. */
        isEligibleForPrimary: boolean;
        asOf: number | null;
        /** When the score was computed, in Unix milliseconds. */
        lastComputedAt: number;
      } | null;
    } | null;
  }[];
};

export type TokensResolveInput = {
  /** Canonical asset id or alias. */
  ref?: string | undefined;
  /** A Solana mint address. */
  mint?: string | undefined;
} & ({ ref: string; mint?: undefined } | { mint: string; ref?: undefined });

export type TokensResolveResult = {
  /** Canonical asset id. */
  assetId: string;
  /** How the asset was found. */
  resolvedBy: 'assetId' | 'alias' | 'mint' | 'singletonMint' | 'registry' | 'sanctum' | 'singleton';
  mint: string | null;
  /** The asset. */
  asset: {
    /** Canonical asset id. */
    assetId: string;
    name?: string | null;
    symbol?: string | null;
    /** The category of the asset. */
    category: 'crypto' | 'stablecoin' | 'lst' | 'rwa' | 'commodity' | 'equity' | 'etf' | 'index';
    /** Other names of it. */
    aliases: string[];
  };
  variant: {
    /** The mint. */
    mint: string;
    /** Kind of variant. */
    kind: 'native' | 'wrapped' | 'bridged' | 'etf' | 'yield' | 'leveraged' | 'basket' | 'lst' | 'stablecoin' | 'tokenized_equity' | 'spot';
    /** By liquidity: above $10M, from $2.5M, below. */
    liquidityTier?: 'tier1' | 'tier2' | 'tier3';
    /** As liquidityTier. */
    trustTier: 'tier1' | 'tier2' | 'tier3';
    /** A label that distinguishes it from other variants. */
    label?: string;
    /** Symbol of the token. */
    symbol?: string;
    /** Name of the token. */
    name?: string;
    /** How a tokenised share can be redeemed. */
    stockVariantTier?: 'share_redeemable' | 'cash_redeemable' | 'not_redeemable';
    /** Marks of the variant. */
    tags: string[];
    /** The chain of the mint. */
    chain?: string;
    /** Its issuer. */
    issuer?: string;
    /** The issuer's website. */
    issuerUrl?: string;
  } | null;
};

export type TokensCuratedInput = {
  /** Which list. */
  list: 'all' | 'majors' | 'lsts' | 'currencies' | 'rwas' | 'etfs' | 'metals' | 'stocks';
  /** One row per asset or per mint. */
  groupBy?: 'asset' | 'mint' | undefined;
};

export type TokensCuratedResult = {
  /** The list. */
  listId: 'all' | 'majors' | 'lsts' | 'currencies' | 'rwas' | 'etfs' | 'metals' | 'stocks';
  /** How the primary variant was chosen. */
  primaryVariantStrategy: 'liquidity' | 'execution_quality' | 'stock_redeemability';
  /** One row per asset, or per mint. */
  assets: {
    /** Canonical asset id. */
    assetId: string;
    /** Its name. */
    name?: string;
    /** Its symbol. */
    symbol?: string;
    /** The category of the asset. */
    category: 'crypto' | 'stablecoin' | 'lst' | 'rwa' | 'commodity' | 'equity' | 'etf' | 'index';
    imageUrl: string | null;
    stats: {
      price: number | null;
      liquidity: number | null;
      volume24hUSD: number | null;
      volume30dUSD: number | null;
      marketCap: number | null;
      priceChange24hPercent: number | null;
      priceChange1hPercent: number | null;
      fdv?: number | null;
      totalSupply?: number | null;
      circulatingSupply?: number | null;
    } | null;
    /** The market of the asset itself. */
    canonicalMarket?: {
      source: 'coingecko';
      /** Its id at CoinGecko. */
      coinId: string;
      price: number | null;
      marketCap: number | null;
      volume24hUSD: number | null;
      priceChange24hPercent: number | null;
      lastFetchedAt: number | null;
      providerLastUpdatedAt: number | null;
    } | {
      source: 'clickhouse_stock';
      /** The ticker symbol. */
      symbol: string;
      price: number | null;
      marketCap: number | null;
      volume24hUSD: number | null;
      priceChange24hPercent: number | null;
      lastFetchedAt: number | null;
      providerLastUpdatedAt: number | null;
      asOf: number | null;
    } | {
      source: 'prestocks';
      /** The symbol at its issuer. */
      symbol: string;
      /** The mint. */
      mint: string;
      price: number | null;
      marketCap: number | null;
      volume24hUSD: number | null;
      priceChange24hPercent: number | null;
      lastFetchedAt: number | null;
      markPriceUsd: number | null;
      markValuationUsd: number | null;
      impliedValuationUsd: number | null;
      premiumToMarkPercent: number | null;
      providerLastUpdatedAt: number | null;
      asOf: number | null;
    };
    primaryVariant: {
      /** Its id. */
      variantId: string;
      /** The mint. */
      mint: string;
      /** Kind of variant. */
      kind: 'native' | 'wrapped' | 'bridged' | 'etf' | 'yield' | 'leveraged' | 'basket' | 'lst' | 'stablecoin' | 'tokenized_equity' | 'spot';
      /** By liquidity: above $10M, from $2.5M, below. */
      liquidityTier: 'tier1' | 'tier2' | 'tier3';
      /** As liquidityTier. */
      trustTier: 'tier1' | 'tier2' | 'tier3';
      /** A label that distinguishes it from other variants. */
      label?: string;
      /** Symbol of the token. */
      symbol?: string;
      /** Name of the token. */
      name?: string;
      /** How a tokenised share can be redeemed. */
      stockVariantTier?: 'share_redeemable' | 'cash_redeemable' | 'not_redeemable';
      /** Marks of the variant. */
      tags: string[];
      /** Its issuer. */
      issuer?: string;
      /** The issuer's website. */
      issuerUrl?: string;
      market: {
        /** Where the market comes from: birdeye, rwa_xyz or clickhouse_trades. */
        source?: string;
        /** Where the metrics come from. */
        metricsSource?: string;
        price: number | null;
        liquidity: number | null;
        volume24hUSD: number | null;
        marketCap: number | null;
        priceChange24hPercent: number | null;
        priceChange1hPercent: number | null;
        decimals: number | null;
        logoURI: string | null;
        volume1hUSD?: number | null;
        trade1h?: number | null;
        trade24h?: number | null;
        uniqueWallet1h?: number | null;
        uniqueWallet24h?: number | null;
        holder?: number | null;
        fdv?: number | null;
        totalSupply?: number | null;
        circulatingSupply?: number | null;
        lastTradeAt?: number | null;
        asOf?: number | null;
        lastFetchedAt: number | null;
      } | null;
      executionQuality: {
        source: 'clickhouse_fill_quality';
        range: '24h';
        horizon: '5s';
        /** The mint that fills are counted in. */
        quoteMint: string;
        /** Traded in 24 hours, in US dollars. */
        volume24hUSD: number;
        /** Trades in 24 hours. */
        trade24h: number;
        /** Traded by bots in 24 hours, in US dollars. */
        botVolume24hUSD: number;
        /** Trades by bots in 24 hours. */
        botTrade24h: number;
        /** Share of bots in the volume, 0 to 1. */
        botVolumeRatio: number;
        /** Fees paid in 24 hours, in US dollars. */
        fee24hUSD: number;
        /** Fees, in basis points of the volume. */
        feeBps: number;
        /** Sources that orders came from. */
        flowSourceCount: number;
        markoutPnl24hUSD: number | null;
        markoutCount: number | null;
        markoutBps: number | null;
        /** The verdict, 0 to 100. */
        executionScore: number;
        /** Whether it can be the primary variant. */
        isEligibleForPrimary: boolean;
        asOf: number | null;
        /** When the score was computed, in Unix milliseconds. */
        lastComputedAt: number;
      } | null;
    } | null;
  }[];
  /** Which part of the list this is; the whole list has none. */
  pagination?: {
    /** Rows that were skipped. */
    offset: number;
    /** Rows at most. */
    limit: number;
    /** Rows in all. */
    total: number;
    /** Whether rows follow. */
    hasMore: boolean;
    nextOffset: number | null;
  };
  stale?: true;
  /** When the list was fetched, for one that could not be fetched anew, in Unix milliseconds. */
  staleCachedAt?: number;
};

export type TokensMarketSnapshotsInput = {
  /** Solana mint addresses. */
  mints?: readonly string[] | undefined;
  /** Solana mint addresses. */
  addresses?: readonly string[] | undefined;
} & ({ mints: readonly string[] } | { addresses: readonly string[] });

export type TokensMarketSnapshotsResult = {
  /** The mint. */
  address: string;
  token: {
    /** The mint. */
    address: string;
    /** Symbol of the token. */
    symbol: string;
    /** Name of the token. */
    name: string;
    /** Decimals of the mint. */
    decimals: number;
    /** Picture of the token. */
    logoURI?: string;
    liquidity: number | null;
    volume24hUSD: number | null;
    price: number | null;
    priceChange24hPercent: number | null;
    marketCap: number | null;
    /** Change of the price in 1 hour, in percent. */
    priceChange1hPercent?: number;
  } | null;
  /** Whether a market is known. */
  hasMarket: boolean;
}[];

export type TokensVariantMarketsInput = {
  /** Solana mint addresses. */
  mints?: readonly string[] | undefined;
  /** Solana mint addresses. */
  addresses?: readonly string[] | undefined;
} & ({ mints: readonly string[] } | { addresses: readonly string[] });

export type TokensVariantMarketsResult = {
  /** One entry per mint. */
  variants: {
    /** The mint. */
    mint: string;
    assetId: string | null;
    chain: string | null;
    market: {
      /** The mint. */
      mint: string;
      /** Where the market comes from. */
      source: string;
      /** When the market was fetched, in Unix milliseconds. */
      lastFetchedAt: number;
      /** Where the metrics come from. */
      metricsSource?: string;
      /** Symbol of the token. */
      symbol?: string;
      /** Name of the token. */
      name?: string;
      /** Price, in US dollars. */
      price?: number;
      /** Liquidity in all pools, in US dollars. */
      liquidity?: number;
      /** Traded in 24 hours, in US dollars. */
      volume24hUSD?: number;
      /** Market capitalisation, in US dollars. */
      marketCap?: number;
      /** Change of the price in 24 hours, in percent. */
      priceChange24hPercent?: number;
      /** Change of the price in 1 hour, in percent. */
      priceChange1hPercent?: number;
      /** Decimals of the mint. */
      decimals?: number;
      /** Picture of the token. */
      logoURI?: string;
      /** Traded in 1 hour, in US dollars. */
      volume1hUSD?: number;
      /** Trades in 1 hour. */
      trade1h?: number;
      /** Trades in 24 hours. */
      trade24h?: number;
      /** Wallets that traded in 1 hour. */
      uniqueWallet1h?: number;
      /** Wallets that traded in 24 hours. */
      uniqueWallet24h?: number;
      /** Wallets that hold the token. */
      holder?: number;
      /** Fully diluted valuation, in US dollars. */
      fdv?: number;
      /** Tokens in existence. */
      totalSupply?: number;
      /** Tokens in circulation. */
      circulatingSupply?: number;
      /** The latest trade, in Unix seconds. */
      lastTradeAt?: number;
      /** When the metrics were computed, in Unix seconds. */
      asOf?: number;
      /** The latest trade, in ISO 8601. */
      lastTradeHumanTime?: string;
      /** Links. */
      extensions?: {
        /** Its id at CoinGecko. */
        coingeckoId?: string;
        /** Its website. */
        website?: string;
        /** Its account at X. */
        twitter?: string;
        /** Its Discord server. */
        discord?: string;
        /** Its Telegram group. */
        telegram?: string;
        /** What it is. */
        description?: string;
        /** Its source code. */
        github?: string;
      };
    } | null;
    executionQuality: {
      source: 'clickhouse_fill_quality';
      range: '24h';
      horizon: '5s';
      /** The mint that fills are counted in. */
      quoteMint: string;
      /** Traded in 24 hours, in US dollars. */
      volume24hUSD: number;
      /** Trades in 24 hours. */
      trade24h: number;
      /** Traded by bots in 24 hours, in US dollars. */
      botVolume24hUSD: number;
      /** Trades by bots in 24 hours. */
      botTrade24h: number;
      /** Share of bots in the volume, 0 to 1. */
      botVolumeRatio: number;
      /** Fees paid in 24 hours, in US dollars. */
      fee24hUSD: number;
      /** Fees, in basis points of the volume. */
      feeBps: number;
      /** Sources that orders came from. */
      flowSourceCount: number;
      markoutPnl24hUSD: number | null;
      markoutCount: number | null;
      markoutBps: number | null;
      /** The verdict, 0 to 100. */
      executionScore: number;
      /** Whether it can be the primary variant. */
      isEligibleForPrimary: boolean;
      asOf: number | null;
      /** When the score was computed, in Unix milliseconds. */
      lastComputedAt: number;
    } | null;
  }[];
};

export type TokensRiskSummaryByMintInput = {
  /** A Solana mint address. */
  mint: string;
};

export type TokensRiskSummaryByMintResult = {
  /** 0 (worst) to 100. */
  score: number;
  /** From 85, from 70, below. */
  grade: 'A' | 'B' | 'C';
  /** The verdict in words: Established, Speculative, Weak Metrics, Trusted Launch, Insufficient Data. */
  label: string;
  /** How to show it: safe, warning, risk. */
  tone: string;
  /** Whether it comes from an issuer that is trusted. */
  isTrustedLaunch: boolean;
  /** Reasons for a capped score. */
  caps: string[];
  /** Whether too little is known for a verdict. */
  hasInsufficientData: boolean;
  insufficientDataReason: string | null;
};

export type TokensAssetDetailInput = {
  /** Blocks to include. */
  include?: readonly ('profile' | 'risk' | 'ohlcv' | 'markets')[] | undefined;
  /** Mint of the variant that the include blocks are computed for. */
  mint?: string | undefined;
  /** Include every variant. */
  variantsMode?: 'all' | undefined;
  /** Length of one candle of the ohlcv block. */
  ohlcvInterval?: '1m' | '5m' | '15m' | '1H' | '4H' | '1D' | '1W' | undefined;
  /** Start of the ohlcv block, Unix seconds. */
  ohlcvFrom?: number | bigint | undefined;
  /** End of the ohlcv block, not before ohlcvFrom, Unix seconds. */
  ohlcvTo?: number | bigint | undefined;
  /** How many rows of the markets block to skip. */
  marketsOffset?: number | undefined;
  /** How many rows of the markets block to return. */
  marketsLimit?: number | undefined;
};

export type TokensAssetDetailResult = {
  /** The asset. */
  asset: {
    /** Canonical asset id. */
    assetId: string;
    /** Its name. */
    name?: string;
    /** Its symbol. */
    symbol?: string;
    /** What it is. */
    description?: string;
    /** The category of the asset. */
    category: 'crypto' | 'stablecoin' | 'lst' | 'rwa' | 'commodity' | 'equity' | 'etf' | 'index';
    /** Other names of it. */
    aliases: string[];
    /** Its symbol, and the symbols and labels of its variants. */
    symbols: string[];
    imageUrl: string | null;
    stats: {
      price: number | null;
      liquidity: number | null;
      volume24hUSD: number | null;
      volume30dUSD: number | null;
      marketCap: number | null;
      priceChange24hPercent: number | null;
      priceChange1hPercent: number | null;
      fdv?: number | null;
      totalSupply?: number | null;
      circulatingSupply?: number | null;
    } | null;
    /** How the primary variant was chosen. */
    primaryVariantStrategy: 'liquidity' | 'execution_quality' | 'stock_redeemability';
    /** The market of the asset itself. */
    canonicalMarket?: {
      source: 'coingecko';
      /** Its id at CoinGecko. */
      coinId: string;
      price: number | null;
      marketCap: number | null;
      volume24hUSD: number | null;
      priceChange24hPercent: number | null;
      lastFetchedAt: number | null;
      providerLastUpdatedAt: number | null;
    } | {
      source: 'clickhouse_stock';
      /** The ticker symbol. */
      symbol: string;
      price: number | null;
      marketCap: number | null;
      volume24hUSD: number | null;
      priceChange24hPercent: number | null;
      lastFetchedAt: number | null;
      providerLastUpdatedAt: number | null;
      asOf: number | null;
    } | {
      source: 'prestocks';
      /** The symbol at its issuer. */
      symbol: string;
      /** The mint. */
      mint: string;
      price: number | null;
      marketCap: number | null;
      volume24hUSD: number | null;
      priceChange24hPercent: number | null;
      lastFetchedAt: number | null;
      markPriceUsd: number | null;
      markValuationUsd: number | null;
      impliedValuationUsd: number | null;
      premiumToMarkPercent: number | null;
      providerLastUpdatedAt: number | null;
      asOf: number | null;
    };
    /** The variants by kind; spot, etf, yield, leveraged, basket, lst, tokenizedEquity are always there. */
    variantGroups: Record<string, unknown>;
    primaryVariant: {
      /** Its id. */
      variantId: string;
      /** The mint. */
      mint: string;
      /** Kind of variant. */
      kind: 'native' | 'wrapped' | 'bridged' | 'etf' | 'yield' | 'leveraged' | 'basket' | 'lst' | 'stablecoin' | 'tokenized_equity' | 'spot';
      /** By liquidity: above $10M, from $2.5M, below. */
      liquidityTier: 'tier1' | 'tier2' | 'tier3';
      /** As liquidityTier. */
      trustTier: 'tier1' | 'tier2' | 'tier3';
      /** A label that distinguishes it from other variants. */
      label?: string;
      /** Symbol of the token. */
      symbol?: string;
      /** Name of the token. */
      name?: string;
      /** How a tokenised share can be redeemed. */
      stockVariantTier?: 'share_redeemable' | 'cash_redeemable' | 'not_redeemable';
      /** Marks of the variant. */
      tags: string[];
      /** Its issuer. */
      issuer?: string;
      /** The issuer's website. */
      issuerUrl?: string;
      market: {
        /** Where the market comes from: birdeye, rwa_xyz or clickhouse_trades. */
        source?: string;
        /** Where the metrics come from. */
        metricsSource?: string;
        price: number | null;
        liquidity: number | null;
        volume24hUSD: number | null;
        marketCap: number | null;
        priceChange24hPercent: number | null;
        priceChange1hPercent: number | null;
        decimals: number | null;
        logoURI: string | null;
        volume1hUSD?: number | null;
        trade1h?: number | null;
        trade24h?: number | null;
        uniqueWallet1h?: number | null;
        uniqueWallet24h?: number | null;
        holder?: number | null;
        fdv?: number | null;
        totalSupply?: number | null;
        circulatingSupply?: number | null;
        lastTradeAt?: number | null;
        asOf?: number | null;
        lastFetchedAt: number | null;
      } | null;
      executionQuality: {
        source: 'clickhouse_fill_quality';
        range: '24h';
        horizon: '5s';
        /** The mint that fills are counted in. */
        quoteMint: string;
        /** Traded in 24 hours, in US dollars. */
        volume24hUSD: number;
        /** Trades in 24 hours. */
        trade24h: number;
        /** Traded by bots in 24 hours, in US dollars. */
        botVolume24hUSD: number;
        /** Trades by bots in 24 hours. */
        botTrade24h: number;
        /** Share of bots in the volume, 0 to 1. */
        botVolumeRatio: number;
        /** Fees paid in 24 hours, in US dollars. */
        fee24hUSD: number;
        /** Fees, in basis points of the volume. */
        feeBps: number;
        /** Sources that orders came from. */
        flowSourceCount: number;
        markoutPnl24hUSD: number | null;
        markoutCount: number | null;
        markoutBps: number | null;
        /** The verdict, 0 to 100. */
        executionScore: number;
        /** Whether it can be the primary variant. */
        isEligibleForPrimary: boolean;
        asOf: number | null;
        /** When the score was computed, in Unix milliseconds. */
        lastComputedAt: number;
      } | null;
      /** Its place among all variants of the asset, from 0. */
      rank?: number;
      /** The token's data about an unlisted company. */
      preStocks?: {
        /** The symbol at its issuer. */
        symbol: string;
        markPriceUsd: number | null;
        markValuationUsd: number | null;
        impliedValuationUsd: number | null;
        premiumToMarkPercent: number | null;
        /** When the market was fetched, in Unix milliseconds. */
        lastFetchedAt: number;
      };
    } | null;
  };
  /** The blocks that were asked for. */
  includes?: {
    /** The profile of the asset, or why it is missing. */
    profile?: {
      ok: true;
      /** The profile. */
      data: {
        marketCap: number | null;
        fdv: number | null;
        circulatingSupply: number | null;
        totalSupply: number | null;
        price: number | null;
        priceChange24h: number | null;
        volume24h: number | null;
        allTimeHigh: number | null;
        /** When that was, in ISO 8601; empty when it is not known. */
        allTimeHighDate: string;
        /** What the asset is. */
        description?: string;
        /** Links. */
        links?: {
          /** Its website. */
          website?: string;
          /** Its account at X. */
          twitter?: string;
          /** Its Telegram group. */
          telegram?: string;
          /** Its Discord server. */
          discord?: string;
          /** Its subreddit. */
          reddit?: string;
        };
      };
    } | {
      ok: false;
      /** Why it is missing. */
      reason: 'not_available' | 'not_configured' | 'not_found' | 'error';
      /** The same in a sentence. */
      message: string;
    };
    /** The risk of the variant, or why that is missing. */
    risk?: {
      ok: true;
      /** The risk of the variant. */
      data: {
        tokenData: null;
        tradingData: null;
        /** The inputs of the score. */
        marketScoreInput: {
          liquidityUsd: number | null;
          marketCapUsd: number | null;
          holderCount: number | null;
          top10HoldersPercent: number | null;
          volume24hUsd: number | null;
          volume7dUsd: number | null;
          tokenMintTime: number | null;
          /** The mint. */
          tokenAddress: string;
        };
        /** The market risk score. */
        marketScore: {
          /** 0 (worst) to 100. */
          score: number;
          /** From 85, from 70, below. */
          grade: 'A' | 'B' | 'C';
          /** The verdict in words: Established, Speculative, Weak Metrics, Trusted Launch, Insufficient Data. */
          label: string;
          /** How to show it: safe, warning, risk. */
          tone: string;
          /** Whether it comes from an issuer that is trusted. */
          isTrustedLaunch: boolean;
          /** Reasons for a capped score. */
          caps: string[];
          /** Whether too little is known for a verdict. */
          hasInsufficientData: boolean;
          insufficientDataReason: string | null;
          /** Signals that could change the verdict. */
          borderlineSignals: string[];
          /** The components of the score. */
          components: {
            /** One part of the score. */
            liquidityHealth: {
              /** 0 (worst) to 100. */
              score: number;
              /** The verdict in a word: safe, warning, risk, info. */
              status: string;
              /** Whether data is available. */
              hasData: boolean;
            };
            /** One part of the score. */
            holderDistribution: {
              /** 0 (worst) to 100. */
              score: number;
              /** The verdict in a word: safe, warning, risk, info. */
              status: string;
              /** Whether data is available. */
              hasData: boolean;
            };
            /** One part of the score. */
            tradingActivity: {
              /** 0 (worst) to 100. */
              score: number;
              /** The verdict in a word: safe, warning, risk, info. */
              status: string;
              /** Whether data is available. */
              hasData: boolean;
            };
            /** One part of the score. */
            holderCount: {
              /** 0 (worst) to 100. */
              score: number;
              /** The verdict in a word: safe, warning, risk, info. */
              status: string;
              /** Whether data is available. */
              hasData: boolean;
            };
          };
          tokenAgeDays: number | null;
        };
      };
    } | {
      ok: false;
      /** Why it is missing. */
      reason: 'not_available' | 'not_configured' | 'not_found' | 'error';
      /** The same in a sentence. */
      message: string;
    };
    /** Candles of the variant, or why they are missing. */
    ohlcv?: {
      ok: true;
      /** Candles, the oldest first. */
      data: {
        /** Start of the candle, in Unix seconds. */
        time: number;
        /** First price, in US dollars. */
        open: number;
        /** Highest price, in US dollars. */
        high: number;
        /** Lowest price, in US dollars. */
        low: number;
        /** Last price, in US dollars. */
        close: number;
        /** Traded, in US dollars. */
        volume: number;
      }[];
    } | {
      ok: false;
      /** Why it is missing. */
      reason: 'not_available' | 'not_configured' | 'not_found' | 'error';
      /** The same in a sentence. */
      message: string;
    };
    /** Pools of the variant, or why they are missing. */
    markets?: {
      ok: true;
      /** Pools of the variant. */
      data: {
        /** Pools, the deepest first. */
        markets: {
          /** Address of the pool. */
          address: string;
          /** One of the two tokens. */
          base?: {
            /** The mint. */
            address: string;
            /** Its decimals. */
            decimals?: number;
            /** Its symbol. */
            symbol?: string;
            /** Its picture. */
            icon?: string;
            /** Its name. */
            name?: string;
          };
          /** One of the two tokens. */
          quote?: {
            /** The mint. */
            address: string;
            /** Its decimals. */
            decimals?: number;
            /** Its symbol. */
            symbol?: string;
            /** Its picture. */
            icon?: string;
            /** Its name. */
            name?: string;
          };
          /** The pair. */
          name?: string;
          /** The exchange. */
          source?: string;
          /** Since when, in ISO 8601. */
          createdAt?: string;
          /** Liquidity, in US dollars. */
          liquidity?: number;
          /** Traded in 24 hours, in US dollars. */
          volume24h?: number;
          /** Trades in 24 hours. */
          trade24h?: number;
          /** Change of the trades in 24 hours, in percent. */
          trade24hChangePercent?: number;
          /** Wallets that traded in 24 hours. */
          uniqueWallet24h?: number;
          /** Change of the wallets in 24 hours, in percent. */
          uniqueWallet24hChangePercent?: number;
          /** Price, in US dollars. */
          price?: number;
        }[];
        /** Pools in all. */
        total?: number;
        /** Rows that were skipped. */
        offset: number;
        /** Rows at most. */
        limit: number;
      };
    } | {
      ok: false;
      /** Why it is missing. */
      reason: 'not_available' | 'not_configured' | 'not_found' | 'error';
      /** The same in a sentence. */
      message: string;
    };
  };
  /** How the reference in the path was resolved, if it was not the asset id. */
  resolution?: {
    /** Canonical asset id. */
    assetId: string;
    /** The reference in the path. */
    ref: string;
    /** How the asset was found. */
    resolvedBy: 'assetId' | 'alias' | 'mint' | 'singletonMint' | 'registry' | 'sanctum' | 'singleton';
    mint: string | null;
  };
};

export type TokensVariantsInput = {
  /** Kind of variant. */
  kind?: 'native' | 'wrapped' | 'bridged' | 'etf' | 'yield' | 'leveraged' | 'basket' | 'lst' | 'stablecoin' | 'tokenized_equity' | undefined;
  /** Liquidity tier. */
  liquidityTier?: 'tier1' | 'tier2' | 'tier3' | undefined;
  /** Trust tier. */
  trustTier?: 'tier1' | 'tier2' | 'tier3' | 'experimental' | undefined;
  /** Mint of one variant of the asset. */
  mint?: string | undefined;
  /** Include every variant. */
  variantsMode?: 'all' | undefined;
};

export type TokensVariantsResult = {
  /** Canonical asset id. */
  assetId: string;
  /** How the primary variant was chosen. */
  sortBy: 'liquidity' | 'execution_quality' | 'stock_redeemability';
  /** Variants in this order. */
  variants: {
    /** Its id. */
    variantId: string;
    /** The mint. */
    mint: string;
    /** Kind of variant. */
    kind: 'native' | 'wrapped' | 'bridged' | 'etf' | 'yield' | 'leveraged' | 'basket' | 'lst' | 'stablecoin' | 'tokenized_equity' | 'spot';
    /** By liquidity: above $10M, from $2.5M, below. */
    liquidityTier: 'tier1' | 'tier2' | 'tier3';
    /** As liquidityTier. */
    trustTier: 'tier1' | 'tier2' | 'tier3';
    /** A label that distinguishes it from other variants. */
    label?: string;
    /** Symbol of the token. */
    symbol?: string;
    /** Name of the token. */
    name?: string;
    /** How a tokenised share can be redeemed. */
    stockVariantTier?: 'share_redeemable' | 'cash_redeemable' | 'not_redeemable';
    /** Marks of the variant. */
    tags: string[];
    /** Its issuer. */
    issuer?: string;
    /** The issuer's website. */
    issuerUrl?: string;
    market: {
      /** Where the market comes from: birdeye, rwa_xyz or clickhouse_trades. */
      source?: string;
      /** Where the metrics come from. */
      metricsSource?: string;
      price: number | null;
      liquidity: number | null;
      volume24hUSD: number | null;
      marketCap: number | null;
      priceChange24hPercent: number | null;
      priceChange1hPercent: number | null;
      decimals: number | null;
      logoURI: string | null;
      volume1hUSD?: number | null;
      trade1h?: number | null;
      trade24h?: number | null;
      uniqueWallet1h?: number | null;
      uniqueWallet24h?: number | null;
      holder?: number | null;
      fdv?: number | null;
      totalSupply?: number | null;
      circulatingSupply?: number | null;
      lastTradeAt?: number | null;
      asOf?: number | null;
      lastFetchedAt: number | null;
    } | null;
    executionQuality: {
      source: 'clickhouse_fill_quality';
      range: '24h';
      horizon: '5s';
      /** The mint that fills are counted in. */
      quoteMint: string;
      /** Traded in 24 hours, in US dollars. */
      volume24hUSD: number;
      /** Trades in 24 hours. */
      trade24h: number;
      /** Traded by bots in 24 hours, in US dollars. */
      botVolume24hUSD: number;
      /** Trades by bots in 24 hours. */
      botTrade24h: number;
      /** Share of bots in the volume, 0 to 1. */
      botVolumeRatio: number;
      /** Fees paid in 24 hours, in US dollars. */
      fee24hUSD: number;
      /** Fees, in basis points of the volume. */
      feeBps: number;
      /** Sources that orders came from. */
      flowSourceCount: number;
      markoutPnl24hUSD: number | null;
      markoutCount: number | null;
      markoutBps: number | null;
      /** The verdict, 0 to 100. */
      executionScore: number;
      /** Whether it can be the primary variant. */
      isEligibleForPrimary: boolean;
      asOf: number | null;
      /** When the score was computed, in Unix milliseconds. */
      lastComputedAt: number;
    } | null;
  }[];
};

export type TokensVariantTopMarketsInput = {
  /** How many rows to skip. */
  offset?: number | undefined;
  /** How many rows to return. */
  limit?: number | undefined;
  /** Include every variant. */
  variantsMode?: 'all' | undefined;
};

export type TokensVariantTopMarketsResult = {
  /** Canonical asset id. */
  assetId: string;
  /** Variants in all. */
  total: number;
  /** Rows that were skipped. */
  offset: number;
  /** Rows at most. */
  limit: number;
  /** One entry per variant that has a market, the busiest first. */
  variants: {
    /** The mint. */
    mint: string;
    /** Kind of variant. */
    kind: 'native' | 'wrapped' | 'bridged' | 'etf' | 'yield' | 'leveraged' | 'basket' | 'lst' | 'stablecoin' | 'tokenized_equity' | 'spot';
    /** By liquidity: above $10M, from $2.5M, below. */
    liquidityTier: 'tier1' | 'tier2' | 'tier3';
    /** As liquidityTier. */
    trustTier: 'tier1' | 'tier2' | 'tier3';
    /** A label that distinguishes it from other variants. */
    label?: string;
    /** Symbol of the token. */
    symbol?: string;
    /** Name of the token. */
    name?: string;
    /** How a tokenised share can be redeemed. */
    stockVariantTier?: 'share_redeemable' | 'cash_redeemable' | 'not_redeemable';
    /** Picture of the token. */
    logoURI?: string;
    /** A pool. */
    topMarket: {
      /** Address of the pool. */
      address: string;
      /** One of the two tokens. */
      base?: {
        /** The mint. */
        address: string;
        /** Its decimals. */
        decimals?: number;
        /** Its symbol. */
        symbol?: string;
        /** Its picture. */
        icon?: string;
        /** Its name. */
        name?: string;
      };
      /** One of the two tokens. */
      quote?: {
        /** The mint. */
        address: string;
        /** Its decimals. */
        decimals?: number;
        /** Its symbol. */
        symbol?: string;
        /** Its picture. */
        icon?: string;
        /** Its name. */
        name?: string;
      };
      /** The pair. */
      name?: string;
      /** The exchange. */
      source?: string;
      /** Since when, in ISO 8601. */
      createdAt?: string;
      /** Liquidity, in US dollars. */
      liquidity?: number;
      /** Traded in 24 hours, in US dollars. */
      volume24h?: number;
      /** Trades in 24 hours. */
      trade24h?: number;
      /** Change of the trades in 24 hours, in percent. */
      trade24hChangePercent?: number;
      /** Wallets that traded in 24 hours. */
      uniqueWallet24h?: number;
      /** Change of the wallets in 24 hours, in percent. */
      uniqueWallet24hChangePercent?: number;
      /** Price, in US dollars. */
      price?: number;
    };
    /** The token of the exchange itself. */
    protocolToken?: {
      /** The mint. */
      address: string;
      /** Its decimals. */
      decimals?: number;
      /** Its symbol. */
      symbol?: string;
      /** Its picture. */
      icon?: string;
      /** Its name. */
      name?: string;
    };
    /** The next ones too. */
    topMarkets?: {
      /** A pool. */
      market: {
        /** Address of the pool. */
        address: string;
        /** One of the two tokens. */
        base?: {
          /** The mint. */
          address: string;
          /** Its decimals. */
          decimals?: number;
          /** Its symbol. */
          symbol?: string;
          /** Its picture. */
          icon?: string;
          /** Its name. */
          name?: string;
        };
        /** One of the two tokens. */
        quote?: {
          /** The mint. */
          address: string;
          /** Its decimals. */
          decimals?: number;
          /** Its symbol. */
          symbol?: string;
          /** Its picture. */
          icon?: string;
          /** Its name. */
          name?: string;
        };
        /** The pair. */
        name?: string;
        /** The exchange. */
        source?: string;
        /** Since when, in ISO 8601. */
        createdAt?: string;
        /** Liquidity, in US dollars. */
        liquidity?: number;
        /** Traded in 24 hours, in US dollars. */
        volume24h?: number;
        /** Trades in 24 hours. */
        trade24h?: number;
        /** Change of the trades in 24 hours, in percent. */
        trade24hChangePercent?: number;
        /** Wallets that traded in 24 hours. */
        uniqueWallet24h?: number;
        /** Change of the wallets in 24 hours, in percent. */
        uniqueWallet24hChangePercent?: number;
        /** Price, in US dollars. */
        price?: number;
      };
      /** The token of the exchange itself. */
      protocolToken?: {
        /** The mint. */
        address: string;
        /** Its decimals. */
        decimals?: number;
        /** Its symbol. */
        symbol?: string;
        /** Its picture. */
        icon?: string;
        /** Its name. */
        name?: string;
      };
    }[];
    marketsTotal: number | null;
    totalLiquidity: number | null;
    lastFetchedAt: number | null;
  }[];
  lastUpdatedAt: number | null;
};

export type TokensVariantMarketInput = {
  /** Mint of one variant of the asset. */
  mint?: string | undefined;
};

export type TokensVariantMarketResult = {
  /** Canonical asset id. */
  assetId: string;
  /** The mint of the answer. */
  mint: string;
  market: {
    /** The mint. */
    mint: string;
    /** Where the market comes from. */
    source: string;
    /** When the market was fetched, in Unix milliseconds. */
    lastFetchedAt: number;
    /** Where the metrics come from. */
    metricsSource?: string;
    /** Symbol of the token. */
    symbol?: string;
    /** Name of the token. */
    name?: string;
    /** Price, in US dollars. */
    price?: number;
    /** Liquidity in all pools, in US dollars. */
    liquidity?: number;
    /** Traded in 24 hours, in US dollars. */
    volume24hUSD?: number;
    /** Market capitalisation, in US dollars. */
    marketCap?: number;
    /** Change of the price in 24 hours, in percent. */
    priceChange24hPercent?: number;
    /** Change of the price in 1 hour, in percent. */
    priceChange1hPercent?: number;
    /** Decimals of the mint. */
    decimals?: number;
    /** Picture of the token. */
    logoURI?: string;
    /** Traded in 1 hour, in US dollars. */
    volume1hUSD?: number;
    /** Trades in 1 hour. */
    trade1h?: number;
    /** Trades in 24 hours. */
    trade24h?: number;
    /** Wallets that traded in 1 hour. */
    uniqueWallet1h?: number;
    /** Wallets that traded in 24 hours. */
    uniqueWallet24h?: number;
    /** Wallets that hold the token. */
    holder?: number;
    /** Fully diluted valuation, in US dollars. */
    fdv?: number;
    /** Tokens in existence. */
    totalSupply?: number;
    /** Tokens in circulation. */
    circulatingSupply?: number;
    /** The latest trade, in Unix seconds. */
    lastTradeAt?: number;
    /** When the metrics were computed, in Unix seconds. */
    asOf?: number;
    /** The latest trade, in ISO 8601. */
    lastTradeHumanTime?: string;
    /** Links. */
    extensions?: {
      /** Its id at CoinGecko. */
      coingeckoId?: string;
      /** Its website. */
      website?: string;
      /** Its account at X. */
      twitter?: string;
      /** Its Discord server. */
      discord?: string;
      /** Its Telegram group. */
      telegram?: string;
      /** What it is. */
      description?: string;
      /** Its source code. */
      github?: string;
    };
  } | null;
  lastUpdatedAt: number | null;
};

export type TokensMarketsInput = {
  /** Mint of one variant of the asset. */
  mint?: string | undefined;
  /** How many rows to skip. */
  offset?: number | undefined;
  /** How many rows to return. */
  limit?: number | undefined;
};

export type TokensMarketsResult = {
  /** Canonical asset id. */
  assetId: string;
  /** The mint of the answer. */
  mint: string;
  /** Pools, the deepest first; without source. */
  markets: {
    /** Address of the pool. */
    address: string;
    /** One of the two tokens. */
    base?: {
      /** The mint. */
      address: string;
      /** Its decimals. */
      decimals?: number;
      /** Its symbol. */
      symbol?: string;
      /** Its picture. */
      icon?: string;
      /** Its name. */
      name?: string;
    };
    /** One of the two tokens. */
    quote?: {
      /** The mint. */
      address: string;
      /** Its decimals. */
      decimals?: number;
      /** Its symbol. */
      symbol?: string;
      /** Its picture. */
      icon?: string;
      /** Its name. */
      name?: string;
    };
    /** The pair. */
    name?: string;
    /** The exchange. */
    source?: string;
    /** Since when, in ISO 8601. */
    createdAt?: string;
    /** Liquidity, in US dollars. */
    liquidity?: number;
    /** Traded in 24 hours, in US dollars. */
    volume24h?: number;
    /** Trades in 24 hours. */
    trade24h?: number;
    /** Change of the trades in 24 hours, in percent. */
    trade24hChangePercent?: number;
    /** Wallets that traded in 24 hours. */
    uniqueWallet24h?: number;
    /** Change of the wallets in 24 hours, in percent. */
    uniqueWallet24hChangePercent?: number;
    /** Price, in US dollars. */
    price?: number;
  }[];
  /** The token of the exchange itself, by address of the pool. */
  protocolTokensByMarket: Record<string, unknown>;
  /** Pools in all. */
  total?: number;
  /** Rows that were skipped. */
  offset: number;
  /** Rows at most. */
  limit: number;
  lastUpdatedAt: number | null;
};

export type TokensOhlcvInput = {
  /** Mint of one variant of the asset. */
  mint?: string | undefined;
  /** Length of one candle. */
  interval?: '1m' | '5m' | '15m' | '1H' | '4H' | '1D' | '1W' | undefined;
  /** Start of the range, Unix seconds. */
  from?: number | bigint | undefined;
  /** End of the range, not before from, Unix seconds. */
  to?: number | bigint | undefined;
};

export type TokensOhlcvResult = {
  /** Canonical asset id. */
  assetId: string;
  /** The mint of the answer. */
  mint: string;
  /** Length of one candle. */
  interval: '1m' | '5m' | '15m' | '1H' | '4H' | '1D' | '1W';
  /** Start of the range, in Unix seconds. */
  from: number;
  /** End of the range, in Unix seconds. */
  to: number;
  /** Candles, the oldest first. */
  candles: {
    /** Start of the candle, in Unix seconds. */
    time: number;
    /** First price, in US dollars. */
    open: number;
    /** Highest price, in US dollars. */
    high: number;
    /** Lowest price, in US dollars. */
    low: number;
    /** Last price, in US dollars. */
    close: number;
    /** Traded, in US dollars. */
    volume: number;
  }[];
};

export type TokensPriceChartInput = {
  /** Mint of one variant of the asset. */
  mint?: string | undefined;
  /** Length of one candle. */
  interval?: '1m' | '5m' | '15m' | '1H' | '4H' | '1D' | '1W' | undefined;
  /** Start of the range, Unix seconds. */
  from?: number | bigint | undefined;
  /** End of the range, not before from, Unix seconds. */
  to?: number | bigint | undefined;
};

export type TokensPriceChartResult = {
  /** Canonical asset id. */
  assetId: string;
  /** Length of one candle. */
  interval: '1m' | '5m' | '15m' | '1H' | '4H' | '1D' | '1W';
  /** Start of the range, in Unix seconds. */
  from: number;
  /** End of the range, in Unix seconds. */
  to: number;
  /** Candles, the oldest first. */
  candles: {
    /** Start of the candle, in Unix seconds. */
    time: number;
    /** First price, in US dollars. */
    open: number;
    /** Highest price, in US dollars. */
    high: number;
    /** Lowest price, in US dollars. */
    low: number;
    /** Last price, in US dollars. */
    close: number;
    /** Traded, in US dollars. */
    volume: number;
  }[];
};

export type TokensProfileResult = {
  /** Canonical asset id. */
  assetId: string;
  /** The profile of the asset, or why it is missing. */
  profile: {
    ok: true;
    /** The profile. */
    data: {
      marketCap: number | null;
      fdv: number | null;
      circulatingSupply: number | null;
      totalSupply: number | null;
      price: number | null;
      priceChange24h: number | null;
      volume24h: number | null;
      allTimeHigh: number | null;
      /** When that was, in ISO 8601; empty when it is not known. */
      allTimeHighDate: string;
      /** What the asset is. */
      description?: string;
      /** Links. */
      links?: {
        /** Its website. */
        website?: string;
        /** Its account at X. */
        twitter?: string;
        /** Its Telegram group. */
        telegram?: string;
        /** Its Discord server. */
        discord?: string;
        /** Its subreddit. */
        reddit?: string;
      };
    };
  } | {
    ok: false;
    /** Why it is missing. */
    reason: 'not_available' | 'not_configured' | 'not_found' | 'error';
    /** The same in a sentence. */
    message: string;
  };
};

export type TokensTickersInput = {
  /** How many rows to skip. */
  offset?: number | undefined;
  /** How many rows to return. */
  limit?: number | undefined;
  /** Order hint. */
  order?: string | undefined;
};

export type TokensTickersResult = {
  /** Canonical asset id. */
  assetId: string;
  /** A page of the tickers. */
  tickers: {
    /** Tickers, the largest volume first. */
    rows: {
      /** What is traded. */
      base: string;
      /** What it is traded for. */
      target: string;
      /** The exchange. */
      market: {
        /** Name of the exchange. */
        name: string;
        /** Its id at CoinGecko. */
        identifier?: string;
        /** Its picture. */
        logo?: string;
        /** Whether it pays for trades. */
        hasTradingIncentive: boolean;
      };
      priceUsd: number | null;
      volume24hUsd: number | null;
      spreadPercent: number | null;
      tradeUrl: string | null;
      trustScore: string | null;
      /** Whether the price is out of line. */
      isAnomaly: boolean;
      /** Whether it is out of date. */
      isStale: boolean;
      timestamp: string | null;
    }[];
    /** Tickers in all. */
    total?: number;
    /** Rows that were skipped. */
    offset: number;
    /** Rows at most. */
    limit: number;
    lastUpdatedAt?: number | null;
  };
};

export type TokensRiskSummaryInput = {
  /** Mint of one variant of the asset. */
  mint?: string | undefined;
};

export type TokensRiskSummaryResult = {
  /** Canonical asset id. */
  assetId: string;
  /** The mint of the answer. */
  mint: string;
  /** The score, or why there is none. */
  risk: {
    ok: true;
    /** The market risk score. */
    marketScore: {
      /** 0 (worst) to 100. */
      score: number;
      /** From 85, from 70, below. */
      grade: 'A' | 'B' | 'C';
      /** The verdict in words: Established, Speculative, Weak Metrics, Trusted Launch, Insufficient Data. */
      label: string;
      /** How to show it: safe, warning, risk. */
      tone: string;
      /** Whether it comes from an issuer that is trusted. */
      isTrustedLaunch: boolean;
      /** Reasons for a capped score. */
      caps: string[];
      /** Whether too little is known for a verdict. */
      hasInsufficientData: boolean;
      insufficientDataReason: string | null;
      /** Signals that could change the verdict. */
      borderlineSignals: string[];
      /** The components of the score. */
      components: {
        /** One part of the score. */
        liquidityHealth: {
          /** 0 (worst) to 100. */
          score: number;
          /** The verdict in a word: safe, warning, risk, info. */
          status: string;
          /** Whether data is available. */
          hasData: boolean;
        };
        /** One part of the score. */
        holderDistribution: {
          /** 0 (worst) to 100. */
          score: number;
          /** The verdict in a word: safe, warning, risk, info. */
          status: string;
          /** Whether data is available. */
          hasData: boolean;
        };
        /** One part of the score. */
        tradingActivity: {
          /** 0 (worst) to 100. */
          score: number;
          /** The verdict in a word: safe, warning, risk, info. */
          status: string;
          /** Whether data is available. */
          hasData: boolean;
        };
        /** One part of the score. */
        holderCount: {
          /** 0 (worst) to 100. */
          score: number;
          /** The verdict in a word: safe, warning, risk, info. */
          status: string;
          /** Whether data is available. */
          hasData: boolean;
        };
      };
      tokenAgeDays: number | null;
    };
    lastUpdatedAt: number | null;
  } | {
    ok: false;
    reason: 'not_found';
    /** Why there is no score. */
    message: string;
  };
};

export type TokensRiskDetailsInput = {
  /** Mint of one variant of the asset. */
  mint?: string | undefined;
};

export type TokensRiskDetailsResult = {
  /** Canonical asset id. */
  assetId: string;
  /** The mint of the answer. */
  mint: string;
  /** The score and its inputs, or why there is none. */
  risk: {
    ok: true;
    /** The market risk score. */
    marketScore: {
      /** 0 (worst) to 100. */
      score: number;
      /** From 85, from 70, below. */
      grade: 'A' | 'B' | 'C';
      /** The verdict in words: Established, Speculative, Weak Metrics, Trusted Launch, Insufficient Data. */
      label: string;
      /** How to show it: safe, warning, risk. */
      tone: string;
      /** Whether it comes from an issuer that is trusted. */
      isTrustedLaunch: boolean;
      /** Reasons for a capped score. */
      caps: string[];
      /** Whether too little is known for a verdict. */
      hasInsufficientData: boolean;
      insufficientDataReason: string | null;
      /** Signals that could change the verdict. */
      borderlineSignals: string[];
      /** The components of the score. */
      components: {
        /** One part of the score. */
        liquidityHealth: {
          /** 0 (worst) to 100. */
          score: number;
          /** The verdict in a word: safe, warning, risk, info. */
          status: string;
          /** Whether data is available. */
          hasData: boolean;
        };
        /** One part of the score. */
        holderDistribution: {
          /** 0 (worst) to 100. */
          score: number;
          /** The verdict in a word: safe, warning, risk, info. */
          status: string;
          /** Whether data is available. */
          hasData: boolean;
        };
        /** One part of the score. */
        tradingActivity: {
          /** 0 (worst) to 100. */
          score: number;
          /** The verdict in a word: safe, warning, risk, info. */
          status: string;
          /** Whether data is available. */
          hasData: boolean;
        };
        /** One part of the score. */
        holderCount: {
          /** 0 (worst) to 100. */
          score: number;
          /** The verdict in a word: safe, warning, risk, info. */
          status: string;
          /** Whether data is available. */
          hasData: boolean;
        };
      };
      tokenAgeDays: number | null;
    };
    lastUpdatedAt: number | null;
    /** The inputs of the score. */
    marketScoreInput: {
      liquidityUsd: number | null;
      marketCapUsd: number | null;
      holderCount: number | null;
      top10HoldersPercent: number | null;
      volume24hUsd: number | null;
      volume7dUsd: number | null;
      tokenMintTime: number | null;
      /** The mint. */
      tokenAddress: string;
    };
    /** Marks of the token. */
    tags: string[];
  } | {
    ok: false;
    reason: 'not_found';
    /** Why there is no score. */
    message: string;
  };
};

export type TokensDescriptionInput = {
  /** Mint of one variant of the asset. */
  mint?: string | undefined;
};

export type TokensDescriptionResult = {
  /** Canonical asset id. */
  assetId: string;
  /** The mint of the answer. */
  mint: string;
  description: {
    /** What the token is. */
    summary: string;
    /** When this was written, in Unix milliseconds. */
    generatedAt: number;
  } | null;
};

export type RpcGetBalanceResult = {
  /** Where it was read. */
  context: {
    /** The slot, a whole number of up to 64 bits. */
    slot: bigint;
    /** Version of the node. */
    apiVersion?: string;
  };
  /** Lamports, a whole number of up to 64 bits. */
  value: bigint;
};

export type RpcGetAccountInfoResult = {
  /** Where it was read. */
  context: {
    /** The slot, a whole number of up to 64 bits. */
    slot: bigint;
    /** Version of the node. */
    apiVersion?: string;
  };
  value: {
    /** The data, in the encoding asked for. */
    data: string | string[] | {
      /** The program that the data was parsed for. */
      program: string;
      /** The parsed data. */
      parsed: Record<string, unknown>;
      /** Size in bytes, a whole number of up to 64 bits. */
      space: bigint;
    };
    /** Whether it is a program. */
    executable: boolean;
    /** Its balance, a whole number of up to 64 bits. */
    lamports: bigint;
    /** The program that owns it. */
    owner: string;
    /** The epoch in which it pays rent next, a whole number of up to 64 bits. */
    rentEpoch: bigint;
    /** Size of the data in bytes, a whole number of up to 64 bits. */
    space?: bigint;
  } | null;
};

export type RpcGetTransactionResult = {
  /** The slot, a whole number of up to 64 bits. */
  slot: bigint;
  blockTime: number | null;
  /** The transaction, in the encoding asked for. */
  transaction: string[] | {
    /** Signatures, the first one being its id. */
    signatures: string[];
    /** What was signed. */
    message: {
      /** The accounts that it names. */
      accountKeys: (string | Record<string, unknown>)[];
      /** What it does. */
      instructions: Record<string, unknown>[];
      /** The block that it was made after. */
      recentBlockhash: string;
    };
  };
  meta: {
    /** Null, or why it failed. */
    err: null | string | Record<string, unknown>;
    /** The fee in lamports, a whole number of up to 64 bits. */
    fee: bigint;
    /** Balances before, in the order of the accounts. */
    preBalances: bigint[];
    /** Balances after. */
    postBalances: bigint[];
    preTokenBalances?: Record<string, unknown>[] | null;
    postTokenBalances?: Record<string, unknown>[] | null;
    innerInstructions?: Record<string, unknown>[] | null;
    logMessages?: string[] | null;
    rewards?: Record<string, unknown>[] | null;
    /** Compute units, a whole number of up to 64 bits. */
    computeUnitsConsumed?: bigint;
  } | null;
  version?: 'legacy' | number;
} | null;

export type RpcGetSignaturesForAddressResult = {
  /** The transaction. */
  signature: string;
  /** The slot, a whole number of up to 64 bits. */
  slot: bigint;
  /** Null, or why it failed. */
  err: null | string | Record<string, unknown>;
  memo: string | null;
  blockTime: number | null;
  confirmationStatus: 'processed' | 'confirmed' | 'finalized' | null;
}[];

export type RpcGetTokenAccountsByOwnerResult = {
  /** Where it was read. */
  context: {
    /** The slot, a whole number of up to 64 bits. */
    slot: bigint;
    /** Version of the node. */
    apiVersion?: string;
  };
  /** Accounts. */
  value: {
    /** Its address. */
    pubkey: string;
    /** The account. */
    account: {
      /** The data, in the encoding asked for. */
      data: string | string[] | {
        /** The program that the data was parsed for. */
        program: string;
        /** The parsed data. */
        parsed: Record<string, unknown>;
        /** Size in bytes, a whole number of up to 64 bits. */
        space: bigint;
      };
      /** Whether it is a program. */
      executable: boolean;
      /** Its balance, a whole number of up to 64 bits. */
      lamports: bigint;
      /** The program that owns it. */
      owner: string;
      /** The epoch in which it pays rent next, a whole number of up to 64 bits. */
      rentEpoch: bigint;
      /** Size of the data in bytes, a whole number of up to 64 bits. */
      space?: bigint;
    };
  }[];
};

export type RpcGetProgramAccountsResult = {
  /** Its address. */
  pubkey: string;
  /** The account. */
  account: {
    /** The data, in the encoding asked for. */
    data: string | string[] | {
      /** The program that the data was parsed for. */
      program: string;
      /** The parsed data. */
      parsed: Record<string, unknown>;
      /** Size in bytes, a whole number of up to 64 bits. */
      space: bigint;
    };
    /** Whether it is a program. */
    executable: boolean;
    /** Its balance, a whole number of up to 64 bits. */
    lamports: bigint;
    /** The program that owns it. */
    owner: string;
    /** The epoch in which it pays rent next, a whole number of up to 64 bits. */
    rentEpoch: bigint;
    /** Size of the data in bytes, a whole number of up to 64 bits. */
    space?: bigint;
  };
}[] | {
  /** Where it was read. */
  context: {
    /** The slot, a whole number of up to 64 bits. */
    slot: bigint;
    /** Version of the node. */
    apiVersion?: string;
  };
  /** Accounts. */
  value: {
    /** Its address. */
    pubkey: string;
    /** The account. */
    account: {
      /** The data, in the encoding asked for. */
      data: string | string[] | {
        /** The program that the data was parsed for. */
        program: string;
        /** The parsed data. */
        parsed: Record<string, unknown>;
        /** Size in bytes, a whole number of up to 64 bits. */
        space: bigint;
      };
      /** Whether it is a program. */
      executable: boolean;
      /** Its balance, a whole number of up to 64 bits. */
      lamports: bigint;
      /** The program that owns it. */
      owner: string;
      /** The epoch in which it pays rent next, a whole number of up to 64 bits. */
      rentEpoch: bigint;
      /** Size of the data in bytes, a whole number of up to 64 bits. */
      space?: bigint;
    };
  }[];
};

export type RpcGetTransactionsForAddressResult = {
  /** Signatures, or whole transactions where transactionDetails is full. */
  data: ({
    /** The transaction. */
    signature: string;
    /** The slot, a whole number of up to 64 bits. */
    slot: bigint;
    /** Null, or why it failed. */
    err: null | string | Record<string, unknown>;
    memo: string | null;
    blockTime: number | null;
    confirmationStatus: 'processed' | 'confirmed' | 'finalized' | null;
    /** Its place in the block. */
    transactionIndex: number;
  } | {
    /** The slot, a whole number of up to 64 bits. */
    slot: bigint;
    blockTime: number | null;
    /** The transaction, in the encoding asked for. */
    transaction: string[] | {
      /** Signatures, the first one being its id. */
      signatures: string[];
      /** What was signed. */
      message: {
        /** The accounts that it names. */
        accountKeys: (string | Record<string, unknown>)[];
        /** What it does. */
        instructions: Record<string, unknown>[];
        /** The block that it was made after. */
        recentBlockhash: string;
      };
    };
    meta: {
      /** Null, or why it failed. */
      err: null | string | Record<string, unknown>;
      /** The fee in lamports, a whole number of up to 64 bits. */
      fee: bigint;
      /** Balances before, in the order of the accounts. */
      preBalances: bigint[];
      /** Balances after. */
      postBalances: bigint[];
      preTokenBalances?: Record<string, unknown>[] | null;
      postTokenBalances?: Record<string, unknown>[] | null;
      innerInstructions?: Record<string, unknown>[] | null;
      logMessages?: string[] | null;
      rewards?: Record<string, unknown>[] | null;
      /** Compute units, a whole number of up to 64 bits. */
      computeUnitsConsumed?: bigint;
    } | null;
    /** Its place in the block. */
    transactionIndex: number;
  })[];
  paginationToken: string | null;
};

export type DasGetAssetInput = {
  /** The asset. */
  id: string;
  /** What to show. */
  options?: {
    showUnverifiedCollections?: boolean | undefined;
    showCollectionMetadata?: boolean | undefined;
    showFungible?: boolean | undefined;
    showInscription?: boolean | undefined;
  } | undefined;
};

export type DasGetAssetResult = {
  /** The standard: V1_NFT, ProgrammableNFT, FungibleToken and others. */
  interface: string;
  /** The asset: its mint, or the id of a leaf. */
  id: string;
  /** Its ownership. */
  ownership: {
    /** The owner; empty for the mint of a fungible token. */
    owner: string;
    /** Whether it cannot be moved. */
    frozen: boolean;
    /** Whether another may move it. */
    delegated: boolean;
    delegate?: string | null;
    /** single or token. */
    ownership_model: string;
  };
  /** Whether its metadata can change. */
  mutable: boolean;
  /** Whether it was burnt. */
  burnt: boolean;
  /** Its content. */
  content?: {
    /** Where the metadata is. */
    json_uri: string;
    /** Name, symbol and attributes. */
    metadata: Record<string, unknown>;
    /** Its files. */
    files?: Record<string, unknown>[];
    /** Its picture and website. */
    links?: Record<string, unknown>;
  };
  /** Accounts that may change it. */
  authorities?: Record<string, unknown>[];
  /** Its place in a tree. */
  compression?: Record<string, unknown>;
  /** Its collection. */
  grouping?: Record<string, unknown>[];
  /** The royalty of its creators. */
  royalty?: Record<string, unknown>;
  /** Its creators. */
  creators?: Record<string, unknown>[];
  supply?: Record<string, unknown> | null;
  /** The token. */
  token_info?: {
    /** The owner's balance in the smallest unit, a whole number of up to 64 bits. */
    balance?: bigint;
    /** Tokens in existence in the smallest unit, a whole number of up to 64 bits. */
    supply?: bigint;
    /** Decimals of the mint. */
    decimals?: number;
    /** Symbol of the token. */
    symbol?: string;
    /** The program of the token. */
    token_program?: string;
    /** The price. */
    price_info?: {
      /** Price of one token. */
      price_per_token: number;
      /** Currency of the price. */
      currency: string;
    };
  };
};

export type DasGetAssetsByOwnerInput = {
  /** The wallet. */
  ownerAddress: string;
  /** Which page. */
  page?: number | undefined;
  /** How many. */
  limit?: number | undefined;
  /** The cursor of a page. */
  before?: string | undefined;
  /** The cursor of a page. */
  after?: string | undefined;
  /** The cursor of a page. */
  cursor?: string | undefined;
  /** The order. */
  sortBy?: {
    /** By what. */
    sortBy: 'created' | 'recent_action' | 'updated' | 'none' | 'id';
    /** Which way. */
    sortDirection?: 'asc' | 'desc' | undefined;
  } | undefined;
  /** What to show. */
  options?: {
    showUnverifiedCollections?: boolean | undefined;
    showCollectionMetadata?: boolean | undefined;
    showFungible?: boolean | undefined;
    showInscription?: boolean | undefined;
    showGrandTotal?: boolean | undefined;
    showNativeBalance?: boolean | undefined;
    showZeroBalance?: boolean | undefined;
  } | undefined;
};

export type DasGetAssetsByOwnerResult = {
  /** Assets on this page. */
  total: number;
  /** Assets at most. */
  limit: number;
  /** Assets. */
  items: {
    /** The standard: V1_NFT, ProgrammableNFT, FungibleToken and others. */
    interface: string;
    /** The asset: its mint, or the id of a leaf. */
    id: string;
    /** Its ownership. */
    ownership: {
      /** The owner; empty for the mint of a fungible token. */
      owner: string;
      /** Whether it cannot be moved. */
      frozen: boolean;
      /** Whether another may move it. */
      delegated: boolean;
      delegate?: string | null;
      /** single or token. */
      ownership_model: string;
    };
    /** Whether its metadata can change. */
    mutable: boolean;
    /** Whether it was burnt. */
    burnt: boolean;
    /** Its content. */
    content?: {
      /** Where the metadata is. */
      json_uri: string;
      /** Name, symbol and attributes. */
      metadata: Record<string, unknown>;
      /** Its files. */
      files?: Record<string, unknown>[];
      /** Its picture and website. */
      links?: Record<string, unknown>;
    };
    /** Accounts that may change it. */
    authorities?: Record<string, unknown>[];
    /** Its place in a tree. */
    compression?: Record<string, unknown>;
    /** Its collection. */
    grouping?: Record<string, unknown>[];
    /** The royalty of its creators. */
    royalty?: Record<string, unknown>;
    /** Its creators. */
    creators?: Record<string, unknown>[];
    supply?: Record<string, unknown> | null;
    /** The token. */
    token_info?: {
      /** The owner's balance in the smallest unit, a whole number of up to 64 bits. */
      balance?: bigint;
      /** Tokens in existence in the smallest unit, a whole number of up to 64 bits. */
      supply?: bigint;
      /** Decimals of the mint. */
      decimals?: number;
      /** Symbol of the token. */
      symbol?: string;
      /** The program of the token. */
      token_program?: string;
      /** The price. */
      price_info?: {
        /** Price of one token. */
        price_per_token: number;
        /** Currency of the price. */
        currency: string;
      };
    };
  }[];
  /** This page. */
  page?: number;
  /** The last indexed slot, a whole number of up to 64 bits. */
  last_indexed_slot?: bigint;
  /** Assets on all pages. */
  grand_total?: number;
  /** The owner's SOL. */
  nativeBalance?: {
    /** Lamports of the owner, a whole number of up to 64 bits. */
    lamports: bigint;
  };
  /** The cursor of the next page. */
  cursor?: string;
};

export type DasSearchAssetsInput = {
  /** The wallet. */
  ownerAddress?: string | undefined;
  /** Which kind. */
  tokenType?: 'fungible' | 'nonFungible' | 'regularNft' | 'compressedNft' | 'all' | undefined;
  /** A creator. */
  creatorAddress?: string | undefined;
  creatorVerified?: boolean | undefined;
  /** An authority. */
  authorityAddress?: string | undefined;
  grouping?: readonly string[] | undefined;
  /** A delegate. */
  delegate?: string | undefined;
  frozen?: boolean | undefined;
  burnt?: boolean | undefined;
  compressed?: boolean | undefined;
  compressible?: boolean | undefined;
  /** Address of the metadata. */
  jsonUri?: string | undefined;
  /** Which page. */
  page?: number | undefined;
  /** How many. */
  limit?: number | undefined;
  /** The cursor of a page. */
  before?: string | undefined;
  /** The cursor of a page. */
  after?: string | undefined;
  /** The cursor of a page. */
  cursor?: string | undefined;
  /** The order. */
  sortBy?: {
    /** By what. */
    sortBy: 'created' | 'recent_action' | 'updated' | 'none' | 'id';
    /** Which way. */
    sortDirection?: 'asc' | 'desc' | undefined;
  } | undefined;
  /** What to show. */
  options?: {
    showUnverifiedCollections?: boolean | undefined;
    showCollectionMetadata?: boolean | undefined;
    showFungible?: boolean | undefined;
    showInscription?: boolean | undefined;
    showGrandTotal?: boolean | undefined;
    showNativeBalance?: boolean | undefined;
    showZeroBalance?: boolean | undefined;
  } | undefined;
};

export type DasSearchAssetsResult = {
  /** Assets on this page. */
  total: number;
  /** Assets at most. */
  limit: number;
  /** Assets. */
  items: {
    /** The standard: V1_NFT, ProgrammableNFT, FungibleToken and others. */
    interface: string;
    /** The asset: its mint, or the id of a leaf. */
    id: string;
    /** Its ownership. */
    ownership: {
      /** The owner; empty for the mint of a fungible token. */
      owner: string;
      /** Whether it cannot be moved. */
      frozen: boolean;
      /** Whether another may move it. */
      delegated: boolean;
      delegate?: string | null;
      /** single or token. */
      ownership_model: string;
    };
    /** Whether its metadata can change. */
    mutable: boolean;
    /** Whether it was burnt. */
    burnt: boolean;
    /** Its content. */
    content?: {
      /** Where the metadata is. */
      json_uri: string;
      /** Name, symbol and attributes. */
      metadata: Record<string, unknown>;
      /** Its files. */
      files?: Record<string, unknown>[];
      /** Its picture and website. */
      links?: Record<string, unknown>;
    };
    /** Accounts that may change it. */
    authorities?: Record<string, unknown>[];
    /** Its place in a tree. */
    compression?: Record<string, unknown>;
    /** Its collection. */
    grouping?: Record<string, unknown>[];
    /** The royalty of its creators. */
    royalty?: Record<string, unknown>;
    /** Its creators. */
    creators?: Record<string, unknown>[];
    supply?: Record<string, unknown> | null;
    /** The token. */
    token_info?: {
      /** The owner's balance in the smallest unit, a whole number of up to 64 bits. */
      balance?: bigint;
      /** Tokens in existence in the smallest unit, a whole number of up to 64 bits. */
      supply?: bigint;
      /** Decimals of the mint. */
      decimals?: number;
      /** Symbol of the token. */
      symbol?: string;
      /** The program of the token. */
      token_program?: string;
      /** The price. */
      price_info?: {
        /** Price of one token. */
        price_per_token: number;
        /** Currency of the price. */
        currency: string;
      };
    };
  }[];
  /** This page. */
  page?: number;
  /** The last indexed slot, a whole number of up to 64 bits. */
  last_indexed_slot?: bigint;
  /** Assets on all pages. */
  grand_total?: number;
  /** The owner's SOL. */
  nativeBalance?: {
    /** Lamports of the owner, a whole number of up to 64 bits. */
    lamports: bigint;
  };
  /** The cursor of the next page. */
  cursor?: string;
};

export type WalletIdentityResult = {
  /** The wallet. */
  address: string;
  /** What the wallet is: exchange, program, person, unknown and others. */
  type: string;
  /** The owner. */
  name: string;
  /** The owner's business. */
  category: string;
  /** Further tags. */
  tags: string[];
  /** Names that lead to it. */
  domainNames?: string[];
};

export type WalletBatchIdentityInput = {
  /** Wallets or names. */
  wallets: readonly string[];
};

export type WalletBatchIdentityResult = {
  /** The wallet. */
  address: string;
  type: string | null;
  name: string | null;
  category: string | null;
  /** Further tags. */
  tags: string[];
  /** Names that lead to it. */
  domainNames?: string[];
}[];

export type WalletBalancesInput = {
  /** Which page. */
  page?: number | undefined;
  /** How many. */
  limit?: number | undefined;
  /** Exactly true or false. */
  showZeroBalance?: boolean | undefined;
  /** Exactly true or false. */
  showNative?: boolean | undefined;
  /** Exactly true or false. */
  showNfts?: boolean | undefined;
};

export type WalletBalancesResult = {
  /** Tokens, SOL first. */
  balances: {
    /** The mint; So11111111111111111111111111111111111111112 is SOL. */
    mint: string;
    symbol: string | null;
    name: string | null;
    /** Tokens held. */
    balance: number;
    /** Decimals of the mint. */
    decimals: number;
    pricePerToken: number | null;
    usdValue: number | null;
    logoUri: string | null;
    /** The program of the token. */
    tokenProgram: 'spl-token' | 'token-2022';
  }[];
  /** Non-fungible tokens, with showNfts on the first page. */
  nfts?: {
    /** The mint; So11111111111111111111111111111111111111112 is SOL. */
    mint: string;
    name: string | null;
    imageUri: string | null;
    collectionName: string | null;
    collectionAddress: string | null;
    /** Whether it is a leaf of a tree. */
    compressed: boolean;
  }[];
  /** Total value of this page, in US dollars. */
  totalUsdValue: number;
  /** The position in the list. */
  pagination: {
    /** This page. */
    page: number;
    /** Rows at most. */
    limit: number;
    /** Whether there is a next page. */
    hasMore: boolean;
  };
};

export type WalletHistoryInput = {
  /** How many. */
  limit?: number | undefined;
  /** The cursor of a previous answer. */
  before?: string | undefined;
  /** The cursor of a previous answer. */
  after?: string | undefined;
  /** Only transactions of this type. */
  type?: 'SWAP' | 'TRANSFER' | 'NFT_SALE' | 'NFT_BID' | 'NFT_LISTING' | 'NFT_MINT' | 'NFT_CANCEL_LISTING' | 'TOKEN_MINT' | 'BURN' | 'COMPRESSED_NFT_MINT' | 'COMPRESSED_NFT_TRANSFER' | 'COMPRESSED_NFT_BURN' | 'CREATE_STORE' | 'WHITELIST_CREATOR' | 'ADD_TO_WHITELIST' | 'REMOVE_FROM_WHITELIST' | 'AUCTION_MANAGER_CLAIM_BID' | 'EMPTY_PAYMENT_ACCOUNT' | 'UPDATE_PRIMARY_SALE_METADATA' | 'ADD_TOKEN_TO_VAULT' | 'ACTIVATE_VAULT' | 'INIT_VAULT' | 'INIT_BANK' | 'INIT_STAKE' | 'MERGE_STAKE' | 'SPLIT_STAKE' | 'CREATE_AUCTION_MANAGER' | 'START_AUCTION' | 'CREATE_AUCTION_MANAGER_V2' | 'UPDATE_EXTERNAL_PRICE_ACCOUNT' | 'EXECUTE_TRANSACTION' | undefined;
  /** Whether token accounts count. */
  tokenAccounts?: 'none' | 'balanceChanged' | 'all' | undefined;
};

export type WalletHistoryResult = {
  /** Transactions, the newest first. */
  data: {
    /** The transaction. */
    signature: string;
    timestamp: number | null;
    /** Its slot, a whole number of up to 64 bits. */
    slot: bigint;
    /** The fee, in SOL. */
    fee: number;
    /** The account that paid it. */
    feePayer: string;
    error: string | null;
    /** Balance changes. */
    balanceChanges: {
      /** The mint; So11111111111111111111111111111111111111112 is SOL. */
      mint: string;
      /** Tokens gained, negative when lost. */
      amount: number;
      /** Decimals of the mint. */
      decimals: number;
    }[];
  }[];
  /** The position in the list. */
  pagination: {
    /** Whether there are more. */
    hasMore: boolean;
    /** The cursor of the next page. */
    nextCursor?: string;
  };
};

export type WalletTransfersInput = {
  /** How many. */
  limit?: number | undefined;
  /** The cursor of a previous answer. */
  cursor?: string | undefined;
};

export type WalletTransfersResult = {
  /** Transfers, the newest first. */
  data: {
    /** The transaction. */
    signature: string;
    /** When it happened, in Unix seconds. */
    timestamp: number;
    /** Received or sent. */
    direction: 'in' | 'out';
    /** The other wallet. */
    counterparty: string;
    /** The mint; So11111111111111111111111111111111111111112 is SOL. */
    mint: string;
    symbol: string | null;
    /** Tokens moved. */
    amount: number;
    /** The same in the smallest unit, in decimal digits. */
    amountRaw: string;
    /** Decimals of the mint. */
    decimals: number;
  }[];
  /** The position in the list. */
  pagination: {
    /** Whether there are more. */
    hasMore: boolean;
    /** The cursor of the next page. */
    nextCursor?: string;
  };
};

export type WalletFundedByResult = {
  /** The wallet that sent first. */
  funder: string;
  funderName: string | null;
  funderType: string | null;
  /** The mint; So11111111111111111111111111111111111111112 is SOL. */
  mint: string;
  /** Symbol of the token. */
  symbol: string;
  /** Tokens moved. */
  amount: number;
  /** The same in the smallest unit, in decimal digits. */
  amountRaw: string;
  /** Decimals of the mint. */
  decimals: number;
  /** The transaction. */
  signature: string;
  /** When it happened, in Unix seconds. */
  timestamp: number;
  /** The same in ISO 8601. */
  date: string;
  /** Its slot, a whole number of up to 64 bits. */
  slot: bigint;
  /** A link to the transaction in an explorer. */
  explorerUrl: string;
};

export type SystemDidDocumentResult = {
  '@context': string[];
  /** The did:web of this origin. */
  id: string;
  verificationMethod: {
    /** The kid of signatures by this key. */
    id: string;
    type: 'JsonWebKey2020';
    /** The did:web of this origin. */
    controller: string;
    /** The public key (RFC 8037). */
    publicKeyJwk: Record<string, unknown>;
  }[];
  assertionMethod: string[];
};

export type CreditBalanceResult = {
  /** The wallet that signed. */
  wallet: string;
  /** One for each cluster with paid routes. */
  balances: {
    /** Credit is valid on one cluster only. */
    cluster: 'mainnet' | 'devnet';
    /** CAIP-2. */
    network: string;
    /** The balance in dollars. */
    balanceUsd: string;
    /** The same, in millionths of a dollar. */
    balanceMicros: number;
    /** Held for calls in flight, in millionths of a dollar. */
    heldMicros: number;
    /** Total credit bought, in millionths of a dollar. */
    grantedMicros: number;
    /** Total credit spent, in millionths of a dollar. */
    spentMicros: number;
  }[];
  /** The latest 20, the newest first. */
  movements: {
    /** Credit bought, or spent. */
    kind: 'grant' | 'debit';
    /** Credit is valid on one cluster only. */
    cluster: 'mainnet' | 'devnet';
    /** How much, in millionths of a dollar. */
    micros: number;
    /** RFC 3339, UTC. */
    at: string;
    /** The route that was called, as the catalog names its methods. */
    route: string;
    /** The transaction of the purchase. */
    transaction?: string;
  }[];
};

export type CreditBuyResult = {
  /** The wallet that paid. */
  wallet: string;
  /** Credit is valid on one cluster only. */
  cluster: 'mainnet' | 'devnet';
  /** CAIP-2. */
  network: string;
  /** The balance in dollars. */
  balanceUsd: string;
  /** The same, in millionths of a dollar. */
  balanceMicros: number;
  /** Credit bought by this payment, in millionths of a dollar. */
  boughtMicros: number;
};

export interface SystemMethods {
  /**
   * Liveness probe.
   *
   * Free.
   * @example
   * await client.system.liveness()
   */
  liveness(): Call<SystemLivenessResult>;

  /**
   * Readiness probe: 200 while this node can serve signed and paid requests.
   *
   * Free.
   * @example
   * await client.system.readiness()
   */
  readiness(): Call<SystemReadinessResult>;

  /**
   * Every enabled route, its access mode and its price.
   *
   * Free.
   * @example
   * await client.system.catalog({ provider: 'tokens' })
   */
  catalog(input?: SystemCatalogInput): Call<SystemCatalogResult>;

  /**
   * Every enabled route as OpenAPI 3.1.
   *
   * Free.
   * @example
   * await client.system.openapi()
   */
  openapi(): Call<SystemOpenapiResult>;

  /**
   * The x402 resources of this service.
   *
   * Free.
   * @example
   * await client.system.wellKnown()
   */
  wellKnown(): Call<SystemWellKnownResult>;

  /**
   * The routes and how to call them, as text for language models.
   *
   * Free.
   * @example
   * await client.system.llms()
   */
  llms(): Call<SystemLlmsResult>;

  /**
   * The keys that sign receipts, as did:web.
   *
   * Free.
   * @example
   * await client.system.didDocument()
   */
  didDocument(): Call<SystemDidDocumentResult>;
}

export interface TokensMethods {
  /**
   * Upstream health probe.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.health()
   */
  health(): Call<TokensHealthResult>;

  /**
   * Search canonical assets.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.search({ q: 'sol' })
   */
  search(input: TokensSearchInput): Call<TokensSearchResult>;

  /**
   * Resolve an alias or a mint to a canonical asset id.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.resolve({ ref: 'sol' })
   */
  resolve(input: TokensResolveInput): Call<TokensResolveResult>;

  /**
   * Curated asset lists.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.curated({ list: 'majors' })
   */
  curated(input: TokensCuratedInput): Call<TokensCuratedResult>;

  /**
   * Cached market snapshots of up to 250 mints.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.marketSnapshots({ mints: ['So11111111111111111111111111111111111111112', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'] })
   */
  marketSnapshots(input: TokensMarketSnapshotsInput): Call<TokensMarketSnapshotsResult>;

  /**
   * Cached markets of up to 50 variant mints.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.variantMarkets({ mints: ['So11111111111111111111111111111111111111112', 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'] })
   */
  variantMarkets(input: TokensVariantMarketsInput): Call<TokensVariantMarketsResult>;

  /**
   * Market-based risk summary of a mint.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.riskSummaryByMint({ mint: 'So11111111111111111111111111111111111111112' })
   */
  riskSummaryByMint(input: TokensRiskSummaryByMintInput): Call<TokensRiskSummaryByMintResult>;

  /**
   * Asset detail with optional include blocks.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.assetDetail('solana', { include: ['profile', 'risk'] })
   */
  assetDetail(assetId: string, input?: TokensAssetDetailInput): Call<TokensAssetDetailResult>;

  /**
   * The variants of an asset.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.variants('solana')
   */
  variants(assetId: string, input?: TokensVariantsInput): Call<TokensVariantsResult>;

  /**
   * The top market of each variant.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.variantTopMarkets('solana', { limit: 10 })
   */
  variantTopMarkets(assetId: string, input?: TokensVariantTopMarketsInput): Call<TokensVariantTopMarketsResult>;

  /**
   * Cached market snapshot of one variant.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.variantMarket('solana')
   */
  variantMarket(assetId: string, input?: TokensVariantMarketInput): Call<TokensVariantMarketResult>;

  /**
   * Cached DEX markets of one mint.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.markets('solana', { limit: 10 })
   */
  markets(assetId: string, input?: TokensMarketsInput): Call<TokensMarketsResult>;

  /**
   * Candles of one mint.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.ohlcv('solana', { interval: '1H' })
   */
  ohlcv(assetId: string, input?: TokensOhlcvInput): Call<TokensOhlcvResult>;

  /**
   * Canonical price candles.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.priceChart('solana', { interval: '1H' })
   */
  priceChart(assetId: string, input?: TokensPriceChartInput): Call<TokensPriceChartResult>;

  /**
   * Cached external profile and market stats.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.profile('solana')
   */
  profile(assetId: string): Call<TokensProfileResult>;

  /**
   * Cached exchange tickers.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.tickers('solana', { limit: 10 })
   */
  tickers(assetId: string, input?: TokensTickersInput): Call<TokensTickersResult>;

  /**
   * Simple risk summary.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.riskSummary('solana')
   */
  riskSummary(assetId: string, input?: TokensRiskSummaryInput): Call<TokensRiskSummaryResult>;

  /**
   * Detailed risk summary.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.riskDetails('solana')
   */
  riskDetails(assetId: string, input?: TokensRiskDetailsInput): Call<TokensRiskDetailsResult>;

  /**
   * Cached description of one mint.
   *
   * Free, for a signature.
   * @example
   * await client.tokens.description('solana')
   */
  description(assetId: string, input?: TokensDescriptionInput): Call<TokensDescriptionResult>;
}

export interface RpcMethods {
  /**
   * Lamports of an account.
   *
   * $0.000005 a call.
   * @example
   * await client.rpc.getBalance('So11111111111111111111111111111111111111112')
   */
  getBalance(account: string, options?: {
    /** How settled the answer must be. */
    commitment?: 'processed' | 'confirmed' | 'finalized' | undefined;
    /** The earliest slot to answer from. */
    minContextSlot?: number | bigint | undefined;
  }): Call<RpcGetBalanceResult>;

  /**
   * An account and its data.
   *
   * $0.000005 a call.
   * @example
   * await client.rpc.getAccountInfo('So11111111111111111111111111111111111111112', { encoding: 'base64' })
   */
  getAccountInfo(account: string, options?: {
    /** How settled the answer must be. */
    commitment?: 'processed' | 'confirmed' | 'finalized' | undefined;
    /** The earliest slot to answer from. */
    minContextSlot?: number | bigint | undefined;
    /** Encoding of account or transaction data. */
    encoding?: 'base58' | 'base64' | 'base64+zstd' | 'json' | 'jsonParsed' | undefined;
    /** The part of the account data to return. */
    dataSlice?: {
      /** First byte. */
      offset: number;
      /** How many bytes. */
      length: number;
    } | undefined;
  }): Call<RpcGetAccountInfoResult>;

  /**
   * A confirmed transaction.
   *
   * $0.000018 by alchemy, $0.000005 by helius a call.
   * @example
   * await client.rpc.getTransaction('1111111111111111111111111111111111111111111111111111111111111111', { maxSupportedTransactionVersion: 0 })
   */
  getTransaction(transaction: string, options?: {
    /** How settled the answer must be. */
    commitment?: 'processed' | 'confirmed' | 'finalized' | undefined;
    /** Encoding of account or transaction data. */
    encoding?: 'base58' | 'base64' | 'base64+zstd' | 'json' | 'jsonParsed' | undefined;
    /** The newest transaction version to return. */
    maxSupportedTransactionVersion?: number | undefined;
  }): Call<RpcGetTransactionResult>;

  /**
   * The latest transactions of an address.
   *
   * $0.000018 by alchemy, $0.000005 by helius a call.
   * @example
   * await client.rpc.getSignaturesForAddress('So11111111111111111111111111111111111111112', { limit: 10 })
   */
  getSignaturesForAddress(address: string, options?: {
    /** How settled the answer must be. */
    commitment?: 'processed' | 'confirmed' | 'finalized' | undefined;
    /** The earliest slot to answer from. */
    minContextSlot?: number | bigint | undefined;
    /** How many. */
    limit?: number | undefined;
    /** Start before this one. */
    before?: string | undefined;
    /** Stop at this one. */
    until?: string | undefined;
  }): Call<RpcGetSignaturesForAddressResult>;

  /**
   * The token accounts of a wallet, by mint or by token program.
   *
   * $0.000005 a call.
   * @example
   * await client.rpc.getTokenAccountsByOwner('So11111111111111111111111111111111111111112', { programId: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' }, { encoding: 'jsonParsed' })
   */
  getTokenAccountsByOwner(wallet: string, which: {
    /** A mint. */
    mint?: string | undefined;
    /** A token program. */
    programId?: string | undefined;
  } & ({ mint: string; programId?: undefined } | { programId: string; mint?: undefined }), options?: {
    /** How settled the answer must be. */
    commitment?: 'processed' | 'confirmed' | 'finalized' | undefined;
    /** The earliest slot to answer from. */
    minContextSlot?: number | bigint | undefined;
    /** Encoding of account or transaction data. */
    encoding?: 'base58' | 'base64' | 'base64+zstd' | 'json' | 'jsonParsed' | undefined;
    /** The part of the account data to return. */
    dataSlice?: {
      /** First byte. */
      offset: number;
      /** How many bytes. */
      length: number;
    } | undefined;
  }): Call<RpcGetTokenAccountsByOwnerResult>;

  /**
   * The accounts of a program that pass one to four filters.
   *
   * $0.000009 by alchemy, $0.00005 by helius a call.
   * @example
   * await client.rpc.getProgramAccounts('TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA', { encoding: 'base64', filters: [{ dataSize: 165 }], dataSlice: { offset: 0, length: 32 } })
   */
  getProgramAccounts(program: string, options: {
    /** How settled the answer must be. */
    commitment?: 'processed' | 'confirmed' | 'finalized' | undefined;
    /** The earliest slot to answer from. */
    minContextSlot?: number | bigint | undefined;
    /** Encoding of account or transaction data. */
    encoding?: 'base58' | 'base64' | 'base64+zstd' | 'json' | 'jsonParsed' | undefined;
    withContext?: boolean | undefined;
    sortResults?: boolean | undefined;
    /** The filters. */
    filters: readonly ({
      /** Size of the account data. */
      dataSize: number;
    } | {
      /** Bytes at an offset. */
      memcmp: {
        /** First byte. */
        offset: number;
        /** The expected bytes. */
        bytes: string;
        /** Encoding of bytes. */
        encoding?: 'base58' | 'base64' | undefined;
      };
    })[];
    /** The part of the account data to return. */
    dataSlice: {
      /** First byte. */
      offset: number;
      /** How many bytes. */
      length: number;
    };
  }): Call<RpcGetProgramAccountsResult>;

  /**
   * The transactions of an address, filtered and sorted.
   *
   * $0.00025 a call.
   * @example
   * await client.rpc.getTransactionsForAddress('So11111111111111111111111111111111111111112', { limit: 10 })
   */
  getTransactionsForAddress(address: string, options?: {
    /** How much of each. */
    transactionDetails?: 'signatures' | 'full' | undefined;
    /** Oldest or newest first. */
    sortOrder?: 'asc' | 'desc' | undefined;
    /** How settled. */
    commitment?: 'confirmed' | 'finalized' | undefined;
    /** The earliest slot to answer from. */
    minContextSlot?: number | bigint | undefined;
    /** How many; of full ones at most 100. */
    limit?: number | undefined;
    /** The cursor of the next page. */
    paginationToken?: string | undefined;
    /** Encoding of account or transaction data. */
    encoding?: 'base58' | 'base64' | 'base64+zstd' | 'json' | 'jsonParsed' | undefined;
    /** The newest transaction version to return. */
    maxSupportedTransactionVersion?: number | undefined;
    /** Which transactions. */
    filters?: {
      /** A range. */
      slot?: {
        /** A number. */
        gte?: number | bigint | undefined;
        /** A number. */
        gt?: number | bigint | undefined;
        /** A number. */
        lte?: number | bigint | undefined;
        /** A number. */
        lt?: number | bigint | undefined;
      } | undefined;
      /** A range. */
      blockTime?: {
        /** A number. */
        gte?: number | bigint | undefined;
        /** A number. */
        gt?: number | bigint | undefined;
        /** A number. */
        lte?: number | bigint | undefined;
        /** A number. */
        lt?: number | bigint | undefined;
      } | undefined;
      /** A range. */
      signature?: {
        /** A signature. */
        gte?: string | undefined;
        /** A signature. */
        gt?: string | undefined;
        /** A signature. */
        lte?: string | undefined;
        /** A signature. */
        lt?: string | undefined;
      } | undefined;
      /** Outcome. */
      status?: 'succeeded' | 'failed' | 'any' | undefined;
      /** Whether token accounts count. */
      tokenAccounts?: 'none' | 'balanceChanged' | 'all' | undefined;
    } | undefined;
  }): Call<RpcGetTransactionsForAddressResult>;
}

export interface DasMethods {
  /**
   * One digital asset.
   *
   * $0.000036 by alchemy, $0.00005 by helius a call.
   * @example
   * await client.das.getAsset({ id: 'So11111111111111111111111111111111111111112' })
   */
  getAsset(input: DasGetAssetInput): Call<DasGetAssetResult>;

  /**
   * The digital assets of a wallet.
   *
   * $0.000216 by alchemy, $0.00005 by helius a call.
   * @example
   * await client.das.getAssetsByOwner({ ownerAddress: 'So11111111111111111111111111111111111111112', page: 1, limit: 10 })
   */
  getAssetsByOwner(input: DasGetAssetsByOwnerInput): Call<DasGetAssetsByOwnerResult>;

  /**
   * Digital assets by owner, kind and other criteria.
   *
   * $0.000216 by alchemy, $0.00005 by helius a call.
   * @example
   * await client.das.searchAssets({ ownerAddress: 'So11111111111111111111111111111111111111112', tokenType: 'fungible', page: 1, limit: 10 })
   */
  searchAssets(input?: DasSearchAssetsInput): Call<DasSearchAssetsResult>;
}

export interface WalletMethods {
  /**
   * The known identity of a wallet.
   *
   * $0.0005 a call.
   * @example
   * await client.wallet.identity('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY')
   */
  identity(wallet: string): Call<WalletIdentityResult>;

  /**
   * The known identities of up to 100 wallets.
   *
   * $0.0005 a call.
   * @example
   * await client.wallet.batchIdentity({ wallets: ['86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY'] })
   */
  batchIdentity(input: WalletBatchIdentityInput): Call<WalletBatchIdentityResult>;

  /**
   * The balances of a wallet.
   *
   * $0.0005 a call.
   * @example
   * await client.wallet.balances('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY')
   */
  balances(wallet: string, input?: WalletBalancesInput): Call<WalletBalancesResult>;

  /**
   * The transactions of a wallet.
   *
   * $0.0005 a call.
   * @example
   * await client.wallet.history('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY')
   */
  history(wallet: string, input?: WalletHistoryInput): Call<WalletHistoryResult>;

  /**
   * The transfers of a wallet.
   *
   * $0.0005 a call.
   * @example
   * await client.wallet.transfers('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY')
   */
  transfers(wallet: string, input?: WalletTransfersInput): Call<WalletTransfersResult>;

  /**
   * The first funder of a wallet.
   *
   * $0.0005 a call.
   * @example
   * await client.wallet.fundedBy('86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY')
   */
  fundedBy(wallet: string): Call<WalletFundedByResult>;
}

export interface CreditMethods {
  /**
   * The signing wallet's credit and its latest movements.
   *
   * Free, for a signature.
   * @example
   * await client.credit.balance()
   */
  balance(): Call<CreditBalanceResult>;

  /**
   * Buys credit for paid routes of Solana mainnet: pay one of the amounts in accepts.
   *
   * Choose one of the amounts that the gateway sells.
   * @example
   * await client.credit.buy()
   */
  buy(amount?: { usd: number }): Call<CreditBuyResult>;
}

/** Every method, by family. */
export interface Methods {
  readonly system: SystemMethods;
  readonly tokens: TokensMethods;
  readonly rpc: RpcMethods;
  readonly das: DasMethods;
  readonly wallet: WalletMethods;
  readonly credit: CreditMethods;
}

const system: MethodRows = {
  liveness: { path: '/healthz', access: 'public', bare: true },
  readiness: { path: '/readyz', access: 'public', bare: true },
  catalog: { path: '/v1/catalog', access: 'public', takes: 'query', bare: true },
  openapi: { path: '/openapi.json', access: 'public', bare: true },
  wellKnown: { path: '/.well-known/x402', access: 'public', bare: true },
  llms: { path: '/llms.txt', access: 'public', bare: true },
  didDocument: { path: '/.well-known/did.json', access: 'public', bare: true },
};

const tokens: MethodRows = {
  health: { path: '/v1/x402/tokens/health', access: 'siwx' },
  search: { path: '/v1/x402/tokens/assets/search', access: 'siwx', takes: 'query' },
  resolve: { path: '/v1/x402/tokens/assets/resolve', access: 'siwx', takes: 'query' },
  curated: { path: '/v1/x402/tokens/assets/curated', access: 'siwx', takes: 'query' },
  marketSnapshots: { path: '/v1/x402/tokens/assets/market-snapshots', access: 'siwx', post: true, takes: 'body' },
  variantMarkets: { path: '/v1/x402/tokens/assets/variant-markets', access: 'siwx', takes: 'query' },
  riskSummaryByMint: { path: '/v1/x402/tokens/assets/risk-summary', access: 'siwx', takes: 'query' },
  assetDetail: { path: '/v1/x402/tokens/assets/:assetId', access: 'siwx', takes: 'query' },
  variants: { path: '/v1/x402/tokens/assets/:assetId/variants', access: 'siwx', takes: 'query' },
  variantTopMarkets: { path: '/v1/x402/tokens/assets/:assetId/variant-top-markets', access: 'siwx', takes: 'query' },
  variantMarket: { path: '/v1/x402/tokens/assets/:assetId/variant-market', access: 'siwx', takes: 'query' },
  markets: { path: '/v1/x402/tokens/assets/:assetId/markets', access: 'siwx', takes: 'query' },
  ohlcv: { path: '/v1/x402/tokens/assets/:assetId/ohlcv', access: 'siwx', takes: 'query' },
  priceChart: { path: '/v1/x402/tokens/assets/:assetId/price-chart', access: 'siwx', takes: 'query' },
  profile: { path: '/v1/x402/tokens/assets/:assetId/profile', access: 'siwx' },
  tickers: { path: '/v1/x402/tokens/assets/:assetId/tickers', access: 'siwx', takes: 'query' },
  riskSummary: { path: '/v1/x402/tokens/assets/:assetId/risk-summary', access: 'siwx', takes: 'query' },
  riskDetails: { path: '/v1/x402/tokens/assets/:assetId/risk-details', access: 'siwx', takes: 'query' },
  description: { path: '/v1/x402/tokens/assets/:assetId/description', access: 'siwx', takes: 'query' },
};

const rpc: MethodRows = {
  getBalance: { path: '/v1/x402/solana/:cluster/:provider/rpc/getBalance', access: 'exact', post: true, takes: 'params', served: ['mainnet/alchemy', 'mainnet/helius', 'devnet/alchemy', 'devnet/helius'], uint64: ['context.slot', 'value'] },
  getAccountInfo: { path: '/v1/x402/solana/:cluster/:provider/rpc/getAccountInfo', access: 'exact', post: true, takes: 'params', served: ['mainnet/alchemy', 'mainnet/helius', 'devnet/alchemy', 'devnet/helius'], uint64: ['context.slot', 'value.data.space', 'value.lamports', 'value.rentEpoch', 'value.space'] },
  getTransaction: { path: '/v1/x402/solana/:cluster/:provider/rpc/getTransaction', access: 'exact', post: true, takes: 'params', served: ['mainnet/alchemy', 'mainnet/helius', 'devnet/alchemy', 'devnet/helius'], uint64: ['slot', 'meta.fee', 'meta.preBalances.*', 'meta.postBalances.*', 'meta.computeUnitsConsumed'] },
  getSignaturesForAddress: { path: '/v1/x402/solana/:cluster/:provider/rpc/getSignaturesForAddress', access: 'exact', post: true, takes: 'params', served: ['mainnet/alchemy', 'mainnet/helius', 'devnet/alchemy', 'devnet/helius'], uint64: ['*.slot'] },
  getTokenAccountsByOwner: { path: '/v1/x402/solana/:cluster/:provider/rpc/getTokenAccountsByOwner', access: 'exact', post: true, takes: 'params', served: ['mainnet/alchemy', 'mainnet/helius', 'devnet/alchemy', 'devnet/helius'], uint64: ['context.slot', 'value.*.account.data.space', 'value.*.account.lamports', 'value.*.account.rentEpoch', 'value.*.account.space'] },
  getProgramAccounts: { path: '/v1/x402/solana/:cluster/:provider/rpc/getProgramAccounts', access: 'exact', post: true, takes: 'params', served: ['mainnet/alchemy', 'mainnet/helius', 'devnet/alchemy', 'devnet/helius'], uint64: ['*.account.data.space', '*.account.lamports', '*.account.rentEpoch', '*.account.space', 'context.slot', 'value.*.account.data.space', 'value.*.account.lamports', 'value.*.account.rentEpoch', 'value.*.account.space'] },
  getTransactionsForAddress: { path: '/v1/x402/solana/:cluster/:provider/rpc/getTransactionsForAddress', access: 'exact', post: true, takes: 'params', served: ['mainnet/helius', 'devnet/helius'], uint64: ['data.*.slot', 'data.*.meta.fee', 'data.*.meta.preBalances.*', 'data.*.meta.postBalances.*', 'data.*.meta.computeUnitsConsumed'] },
};

const das: MethodRows = {
  getAsset: { path: '/v1/x402/solana/:cluster/:provider/das/getAsset', access: 'exact', post: true, takes: 'named', served: ['mainnet/alchemy', 'mainnet/helius', 'devnet/helius'], uint64: ['token_info.balance', 'token_info.supply'] },
  getAssetsByOwner: { path: '/v1/x402/solana/:cluster/:provider/das/getAssetsByOwner', access: 'exact', post: true, takes: 'named', served: ['mainnet/alchemy', 'mainnet/helius', 'devnet/helius'], uint64: ['items.*.token_info.balance', 'items.*.token_info.supply', 'last_indexed_slot', 'nativeBalance.lamports'] },
  searchAssets: { path: '/v1/x402/solana/:cluster/:provider/das/searchAssets', access: 'exact', post: true, takes: 'named', served: ['mainnet/alchemy', 'mainnet/helius', 'devnet/helius'], uint64: ['items.*.token_info.balance', 'items.*.token_info.supply', 'last_indexed_slot', 'nativeBalance.lamports'] },
};

const wallet: MethodRows = {
  identity: { path: '/v1/x402/helius/wallet/identity/:wallet', access: 'exact', served: ['mainnet/helius'] },
  batchIdentity: { path: '/v1/x402/helius/wallet/batch-identity', access: 'exact', post: true, takes: 'body', served: ['mainnet/helius'] },
  balances: { path: '/v1/x402/helius/wallet/balances/:wallet', access: 'exact', takes: 'query', served: ['mainnet/helius'] },
  history: { path: '/v1/x402/helius/wallet/history/:wallet', access: 'exact', takes: 'query', served: ['mainnet/helius'], uint64: ['data.*.slot'] },
  transfers: { path: '/v1/x402/helius/wallet/transfers/:wallet', access: 'exact', takes: 'query', served: ['mainnet/helius'] },
  fundedBy: { path: '/v1/x402/helius/wallet/funded-by/:wallet', access: 'exact', served: ['mainnet/helius'], uint64: ['slot'] },
};

const credit: MethodRows = {
  balance: { path: '/v1/x402/credit', access: 'siwx' },
  buy: { path: '/v1/x402/credit/:cluster', access: 'exact', post: true, takes: 'amount', served: ['mainnet', 'devnet'] },
};

/** The table of the free methods. */
export const FREE_METHODS: MethodTable = { system, tokens };

/** The table of all methods. */
export const METHODS: MethodTable = { system, tokens, rpc, das, wallet, credit };
