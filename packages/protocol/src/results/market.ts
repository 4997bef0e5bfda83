import { ENUMERATIONS } from '../enumerations.ts';
import {
  each,
  integer,
  list,
  milliseconds,
  nullable,
  number,
  object,
  optional,
  partial,
  percent,
  seconds,
  string,
  usd,
  WRAPPED_SOL,
  word,
} from './fields.ts';

/** Categories of assets. */
export const category = word(
  ['crypto', 'stablecoin', 'lst', 'rwa', 'commodity', 'equity', 'etf', 'index'],
  'The category of the asset.',
  'crypto',
);

/** How the upstream chose an asset's primary variant. */
export const strategy = word(
  ['liquidity', 'execution_quality', 'stock_redeemability'],
  'How the primary variant was chosen.',
  'liquidity',
);

/** Changes of a price, and examples of them. */
export const changes = (day?: number, hour?: number) => ({
  priceChange24hPercent: percent('Change of the price in 24 hours', day),
  priceChange1hPercent: percent('Change of the price in 1 hour', hour),
});

const supplies = {
  fdv: usd('Fully diluted valuation'),
  totalSupply: number('Tokens in existence.'),
  circulatingSupply: number('Tokens in circulation.'),
};

/** The figures of an asset; null for one without a market. */
export const stats = nullable(
  object(
    {
      ...each(
        {
          price: usd('Price', 151.4),
          liquidity: usd('Liquidity of all variants', 41_200_000),
          volume24hUSD: usd('Traded in 24 hours', 913_000_000),
          volume30dUSD: usd('Traded in 30 days'),
          marketCap: usd('Market capitalisation', 81_500_000_000),
          ...changes(-1.7, 0.2),
        },
        nullable,
      ),
      ...each(supplies, partial),
    },
    'The figures of the asset.',
  ),
);

/** Metrics of every mint with a market. */
export const metrics = {
  price: usd('Price', 151.4),
  liquidity: usd('Liquidity in all pools'),
  volume24hUSD: usd('Traded in 24 hours'),
  marketCap: usd('Market capitalisation'),
  ...changes(),
  decimals: integer('Decimals of the mint.'),
  logoURI: string('Picture of the token.'),
};

/** Metrics of better-known mints. */
export const furtherMetrics = {
  volume1hUSD: usd('Traded in 1 hour'),
  trade1h: integer('Trades in 1 hour.'),
  trade24h: integer('Trades in 24 hours.'),
  uniqueWallet1h: integer('Wallets that traded in 1 hour.'),
  uniqueWallet24h: integer('Wallets that traded in 24 hours.'),
  holder: integer('Wallets that hold the token.'),
  ...supplies,
  lastTradeAt: seconds('The latest trade'),
  asOf: seconds('When the metrics were computed'),
};

/** When the upstream fetched it. */
export const lastFetchedAt = milliseconds('When the market was fetched', 1_767_000_000_000);

/** The market of one mint, without unknown fields. */
export const rawMarket = object(
  {
    mint: string('The mint.', WRAPPED_SOL),
    source: string('Where the market comes from.', 'birdeye'),
    lastFetchedAt,
    metricsSource: optional(string('Where the metrics come from.')),
    symbol: optional(string('Symbol of the token.')),
    name: optional(string('Name of the token.')),
    ...each({ ...metrics, ...furtherMetrics }, optional),
    lastTradeHumanTime: optional(string('The latest trade, in ISO 8601.')),
    extensions: optional(
      object(
        each(
          {
            coingeckoId: string('Its id at CoinGecko.'),
            website: string('Its website.'),
            twitter: string('Its account at X.'),
            discord: string('Its Discord server.'),
            telegram: string('Its Telegram group.'),
            description: string('What it is.'),
            github: string('Its source code.'),
          },
          optional,
        ),
        'Links.',
      ),
    ),
  },
  'The market of the mint.',
);

/** A token's main properties. */
export const token = (description: string) =>
  object(
    {
      address: string('The mint.'),
      decimals: optional(integer('Its decimals.')),
      symbol: optional(string('Its symbol.')),
      icon: optional(string('Its picture.')),
      name: optional(string('Its name.')),
    },
    description,
  );

const side = optional(token('One of the two tokens.'));

export const EXAMPLE_POOL = '58oQChx4yWmvKdwLLZzBi4ChoCc2fqCUWBkwMihLYQo2';

/** One market of a decentralised exchange. */
export const dexMarket = object(
  {
    address: string('Address of the pool.', EXAMPLE_POOL),
    base: side,
    quote: side,
    ...each(
      {
        name: string('The pair.'),
        source: string('The exchange.'),
        createdAt: string('Since when, in ISO 8601.'),
        liquidity: usd('Liquidity', 9_100_000),
        volume24h: usd('Traded in 24 hours'),
        trade24h: integer('Trades in 24 hours.'),
        trade24hChangePercent: percent('Change of the trades in 24 hours'),
        uniqueWallet24h: integer('Wallets that traded in 24 hours.'),
        uniqueWallet24hChangePercent: percent('Change of the wallets in 24 hours'),
        price: usd('Price'),
      },
      optional,
    ),
  },
  'A pool.',
);

/** Prices in ascending order of time. */
export const candles = list(
  object({
    time: seconds('Start of the candle', 1_766_995_200),
    open: usd('First price', 150.9),
    high: usd('Highest price', 152.1),
    low: usd('Lowest price', 150.2),
    close: usd('Last price', 151.4),
    volume: usd('Traded', 38_100_000),
  }),
  'Candles, the oldest first.',
);

/** Length of the candles. */
export const interval = word(ENUMERATIONS.interval, 'Length of one candle.', '1H');
