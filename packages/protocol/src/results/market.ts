import { ENUMERATIONS } from '../enumerations.ts';
import * as field from './fields.ts';

/** The time in examples, in Unix milliseconds. */
export const EXAMPLE_TIME_MS = 1_767_000_000_000;

/** An asset's id. */
export const assetId = field.string('Canonical asset id.', 'solana');

/** The part of a list that an answer has. */
export const page = (limit?: number) => ({
  offset: field.integer('Rows that were skipped.', 0),
  limit: field.integer('Rows at most.', limit),
});

/** The mint that an answer is about. */
export const mint = field.string('The mint of the answer.', field.WRAPPED_SOL);

/** How the upstream found an asset from a reference. */
export const resolvedBy = field.word(
  ['assetId', 'alias', 'mint', 'singletonMint', 'registry', 'sanctum', 'singleton'],
  'How the asset was found.',
  'mint',
);

/** Categories of assets. */
export const category = field.word(
  ['crypto', 'stablecoin', 'lst', 'rwa', 'commodity', 'equity', 'etf', 'index'],
  'The category of the asset.',
  'crypto',
);

/** How the upstream chose an asset's primary variant. */
export const strategy = field.word(
  ['liquidity', 'execution_quality', 'stock_redeemability'],
  'How the primary variant was chosen.',
  'liquidity',
);

/** A price's changes, with examples. */
export const changes = (day?: number, hour?: number) => ({
  priceChange24hPercent: field.percent('Change of the price in 24 hours', day),
  priceChange1hPercent: field.percent('Change of the price in 1 hour', hour),
});

const supplies = {
  fdv: field.usd('Fully diluted valuation'),
  totalSupply: field.number('Tokens in existence.'),
  circulatingSupply: field.number('Tokens in circulation.'),
};

/** An asset's figures; null if it has no market. */
export const stats = field.nullable(
  field.part('The figures of the asset.', {
    ...field.each(field.nullable, {
      price: field.usd('Price', 151.4),
      liquidity: field.usd('Liquidity of all variants', 41_200_000),
      volume24hUSD: field.usd('Traded in 24 hours', 913_000_000),
      volume30dUSD: field.usd('Traded in 30 days'),
      marketCap: field.usd('Market capitalisation', 81_500_000_000),
      ...changes(-1.7, 0.2),
    }),
    ...field.each(field.partial, supplies),
  }),
);

/** Metrics of every mint with a market. */
export const metrics = {
  price: field.usd('Price', 151.4),
  liquidity: field.usd('Liquidity in all pools'),
  volume24hUSD: field.usd('Traded in 24 hours'),
  marketCap: field.usd('Market capitalisation'),
  ...changes(),
  decimals: field.integer('Decimals of the mint.'),
  logoURI: field.string('Picture of the token.'),
};

/** Metrics of better-known mints. */
export const furtherMetrics = {
  volume1hUSD: field.usd('Traded in 1 hour'),
  trade1h: field.integer('Trades in 1 hour.'),
  trade24h: field.integer('Trades in 24 hours.'),
  uniqueWallet1h: field.integer('Wallets that traded in 1 hour.'),
  uniqueWallet24h: field.integer('Wallets that traded in 24 hours.'),
  holder: field.integer('Wallets that hold the token.'),
  ...supplies,
  lastTradeAt: field.seconds('The latest trade'),
  asOf: field.seconds('When the metrics were computed'),
};

/** When the upstream fetched the market. */
export const lastFetchedAt = field.milliseconds('When the market was fetched', EXAMPLE_TIME_MS);

/** The market of one mint, without undocumented fields. */
export const rawMarket = field.part('The market of the mint.', {
  mint: field.string('The mint.', field.WRAPPED_SOL),
  source: field.string('Where the market comes from.', 'birdeye'),
  lastFetchedAt,
  metricsSource: field.optional(field.string('Where the metrics come from.')),
  symbol: field.optional(field.string('Symbol of the token.')),
  name: field.optional(field.string('Name of the token.')),
  ...field.each(field.optional, { ...metrics, ...furtherMetrics }),
  lastTradeHumanTime: field.optional(field.string('The latest trade, in ISO 8601.')),
  extensions: field.optional(
    field.part(
      'Links.',
      field.each(field.optional, {
        coingeckoId: field.string('Its id at CoinGecko.'),
        website: field.string('Its website.'),
        twitter: field.string('Its account at X.'),
        discord: field.string('Its Discord server.'),
        telegram: field.string('Its Telegram group.'),
        description: field.string('What it is.'),
        github: field.string('Its source code.'),
      }),
    ),
  ),
});

/** A token's main properties. */
export const token = (description: string) =>
  field.part(description, {
    address: field.string('The mint.'),
    decimals: field.optional(field.integer('Its decimals.')),
    symbol: field.optional(field.string('Its symbol.')),
    icon: field.optional(field.string('Its picture.')),
    name: field.optional(field.string('Its name.')),
  });

const side = field.optional(token('One of the two tokens.'));

export const EXAMPLE_POOL = '58oQChx4yWmvKdwLLZzBi4ChoCc2fqCUWBkwMihLYQo2';

/** One market of a decentralised exchange. */
export const dexMarket = field.part('A pool.', {
  address: field.string('Address of the pool.', EXAMPLE_POOL),
  base: side,
  quote: side,
  ...field.each(field.optional, {
    name: field.string('The pair.'),
    source: field.string('The exchange.'),
    createdAt: field.string('Since when, in ISO 8601.'),
    liquidity: field.usd('Liquidity', 9_100_000),
    volume24h: field.usd('Traded in 24 hours'),
    trade24h: field.integer('Trades in 24 hours.'),
    trade24hChangePercent: field.percent('Change of the trades in 24 hours'),
    uniqueWallet24h: field.integer('Wallets that traded in 24 hours.'),
    uniqueWallet24hChangePercent: field.percent('Change of the wallets in 24 hours'),
    price: field.usd('Price'),
  }),
});

/** Candles, oldest first. */
export const candles = field.rows('Candles, the oldest first.', {
  time: field.seconds('Start of the candle', 1_766_995_200),
  open: field.usd('First price', 150.9),
  high: field.usd('Highest price', 152.1),
  low: field.usd('Lowest price', 150.2),
  close: field.usd('Last price', 151.4),
  volume: field.usd('Traded', 38_100_000),
});

/** Length of the candles. */
export const interval = field.word(ENUMERATIONS.interval, 'Length of one candle.', '1H');
