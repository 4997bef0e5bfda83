import { ENUMERATIONS } from '../enumerations.ts';
import { oneOf } from '../parameters.ts';
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
} from './fields.ts';

/** Categories of assets. */
export const category = oneOf(
  ['crypto', 'stablecoin', 'lst', 'rwa', 'commodity', 'equity', 'etf', 'index'],
  'The category of the asset.',
);

/** How the upstream chose an asset's primary variant. */
export const strategy = oneOf(
  ['liquidity', 'execution_quality', 'stock_redeemability'],
  'How the primary variant was chosen.',
);

/** Changes of a price. */
export const changes = {
  priceChange24hPercent: percent('Change of the price in 24 hours'),
  priceChange1hPercent: percent('Change of the price in 1 hour'),
};

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
          price: usd('Price'),
          liquidity: usd('Liquidity of all variants'),
          volume24hUSD: usd('Traded in 24 hours'),
          volume30dUSD: usd('Traded in 30 days'),
          marketCap: usd('Market capitalisation'),
          ...changes,
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
  price: usd('Price'),
  liquidity: usd('Liquidity in all pools'),
  volume24hUSD: usd('Traded in 24 hours'),
  marketCap: usd('Market capitalisation'),
  ...changes,
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
export const lastFetchedAt = milliseconds('When the market was fetched');

/** The market of one mint, without unknown fields. */
export const rawMarket = object(
  {
    mint: string('The mint.'),
    source: string('Where the market comes from.'),
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

/** One market of a decentralised exchange. */
export const dexMarket = object(
  {
    address: string('Address of the pool.'),
    base: side,
    quote: side,
    ...each(
      {
        name: string('The pair.'),
        source: string('The exchange.'),
        createdAt: string('Since when, in ISO 8601.'),
        liquidity: usd('Liquidity'),
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
    time: seconds('Start of the candle'),
    open: usd('First price'),
    high: usd('Highest price'),
    low: usd('Lowest price'),
    close: usd('Last price'),
    volume: usd('Traded'),
  }),
  'Candles, the oldest first.',
);

/** Length of the candles. */
export const interval = oneOf(ENUMERATIONS.interval, 'Length of one candle.');
