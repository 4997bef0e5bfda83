import type { ResultShape } from '../route.ts';
import { riskDetails as details, EXAMPLE_SCORE, profileBlock, riskSummary as summary } from './blocks.ts';
import {
  flag,
  integer,
  list,
  milliseconds,
  nullable,
  object,
  optional,
  partial,
  percent,
  seconds,
  string,
  usd,
} from './fields.ts';
import { candles, interval } from './market.ts';

const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const EXAMPLE_TIME_MS = 1_767_000_000_000;

const assetId = string('Canonical asset id.');
const mint = string('The mint of the answer.');

const range = {
  interval: interval,
  from: seconds('Start of the range'),
  to: seconds('End of the range'),
  candles: candles,
};
const EXAMPLE_RANGE = {
  interval: '1H',
  from: 1_766_995_200,
  to: 1_766_998_800,
  candles: [{ time: 1_766_995_200, open: 150.9, high: 152.1, low: 150.2, close: 151.4, volume: 38_100_000 }],
};

/** Candles of one variant. */
export const ohlcv: ResultShape = {
  schema: object({ assetId, mint, ...range }),
  example: { assetId: 'solana', mint: WRAPPED_SOL, ...EXAMPLE_RANGE },
};

/** Candles of the canonical price. */
export const priceChart: ResultShape = {
  schema: object({ assetId, ...range }),
  example: { assetId: 'solana', ...EXAMPLE_RANGE },
};

/** The external profile of an asset. */
export const profile: ResultShape = {
  schema: object({ assetId, profile: profileBlock }),
  example: {
    assetId: 'solana',
    profile: {
      ok: true,
      data: {
        marketCap: 81_500_000_000,
        fdv: 91_000_000_000,
        circulatingSupply: 538_000_000,
        totalSupply: 601_000_000,
        price: 151.4,
        priceChange24h: -1.7,
        volume24h: 3_900_000_000,
        allTimeHigh: 293,
        allTimeHighDate: '2025-01-19T11:15:27Z',
      },
    },
  },
};

const ticker = object({
  base: string('What is traded.'),
  target: string('What it is traded for.'),
  market: object(
    {
      name: string('Name of the exchange.'),
      identifier: optional(string('Its id at CoinGecko.')),
      logo: optional(string('Its picture.')),
      hasTradingIncentive: flag('Whether it pays for trades.'),
    },
    'The exchange.',
  ),
  priceUsd: nullable(usd('Price')),
  volume24hUsd: nullable(usd('Traded in 24 hours')),
  spreadPercent: nullable(percent('Distance of bid and ask')),
  tradeUrl: nullable(string('Where to trade.')),
  trustScore: nullable(string('Verdict of CoinGecko.')),
  isAnomaly: flag('Whether the price is out of line.'),
  isStale: flag('Whether it is out of date.'),
  timestamp: nullable(string('When it was seen, in ISO 8601.')),
});

/** A page of the exchange tickers of an asset. */
export const tickers: ResultShape = {
  schema: object({
    assetId,
    tickers: object(
      {
        rows: list(ticker, 'Tickers, the largest volume first.'),
        total: optional(integer('Tickers in all.')),
        offset: integer('Rows that were skipped.'),
        limit: integer('Rows at most.'),
        lastUpdatedAt: partial(milliseconds('When they were fetched')),
      },
      'A page of the tickers.',
    ),
  }),
  example: {
    assetId: 'solana',
    tickers: {
      rows: [
        {
          base: 'SOL',
          target: 'USDT',
          market: { name: 'ExampleX', hasTradingIncentive: false },
          priceUsd: 151.5,
          volume24hUsd: 310_000_000,
          spreadPercent: 0.01,
          tradeUrl: null,
          trustScore: 'green',
          isAnomaly: false,
          isStale: false,
          timestamp: '2025-12-29T09:20:00Z',
        },
      ],
      total: 80,
      offset: 0,
      limit: 1,
      lastUpdatedAt: EXAMPLE_TIME_MS,
    },
  },
};

const EXAMPLE_COMPONENT = { score: 100, status: 'safe', hasData: true };
const EXAMPLE_MARKET_SCORE = {
  ...EXAMPLE_SCORE,
  borderlineSignals: [],
  components: {
    liquidityHealth: EXAMPLE_COMPONENT,
    holderDistribution: EXAMPLE_COMPONENT,
    tradingActivity: EXAMPLE_COMPONENT,
    holderCount: EXAMPLE_COMPONENT,
  },
  tokenAgeDays: null,
};

/** The risk of one variant. */
export const riskSummary: ResultShape = {
  schema: object({ assetId, mint, risk: summary }),
  example: {
    assetId: 'solana',
    mint: WRAPPED_SOL,
    risk: { ok: true, marketScore: EXAMPLE_MARKET_SCORE, lastUpdatedAt: EXAMPLE_TIME_MS },
  },
};

/** The risk of one variant with its inputs. */
export const riskDetails: ResultShape = {
  schema: object({ assetId, mint, risk: details }),
  example: {
    assetId: 'solana',
    mint: WRAPPED_SOL,
    risk: {
      ok: true,
      marketScore: EXAMPLE_MARKET_SCORE,
      marketScoreInput: {
        liquidityUsd: 41_200_000,
        marketCapUsd: 81_500_000_000,
        holderCount: 1_900_000,
        top10HoldersPercent: null,
        volume24hUsd: 913_000_000,
        volume7dUsd: 6_100_000_000,
        tokenMintTime: null,
        tokenAddress: WRAPPED_SOL,
      },
      tags: [],
      lastUpdatedAt: EXAMPLE_TIME_MS,
    },
  },
};

/** The description of one variant. */
export const description: ResultShape = {
  schema: object({
    assetId,
    mint,
    description: nullable(
      object(
        { summary: string('What the token is.'), generatedAt: milliseconds('When this was written') },
        'The description of the token.',
      ),
    ),
  }),
  example: {
    assetId: 'solana',
    mint: WRAPPED_SOL,
    description: { summary: 'Wrapped SOL is SOL as a token.', generatedAt: EXAMPLE_TIME_MS },
  },
};
