import { riskDetails as details, profileBlock, riskSummary as summary } from './blocks.ts';
import {
  answer,
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
  WRAPPED_SOL,
} from './fields.ts';
import { candles, interval } from './market.ts';

const EXAMPLE_TIME_MS = 1_767_000_000_000;

const assetId = string('Canonical asset id.', 'solana');
const mint = string('The mint of the answer.', WRAPPED_SOL);
const range = {
  interval,
  from: seconds('Start of the range', 1_766_995_200),
  to: seconds('End of the range', 1_766_998_800),
  candles,
};

/** Candles of one variant. */
export const ohlcv = answer({ assetId, mint, ...range });

/** Candles of the canonical price. */
export const priceChart = answer({ assetId, ...range });

/** The external profile of an asset. */
export const profile = answer({ assetId, profile: profileBlock });

const ticker = object({
  base: string('What is traded.', 'SOL'),
  target: string('What it is traded for.', 'USDT'),
  market: object(
    {
      name: string('Name of the exchange.', 'ExampleX'),
      identifier: optional(string('Its id at CoinGecko.')),
      logo: optional(string('Its picture.')),
      hasTradingIncentive: flag('Whether it pays for trades.', false),
    },
    'The exchange.',
  ),
  priceUsd: nullable(usd('Price', 151.5)),
  volume24hUsd: nullable(usd('Traded in 24 hours', 310_000_000)),
  spreadPercent: nullable(percent('Distance of bid and ask', 0.01)),
  tradeUrl: nullable(string('Where to trade.')),
  trustScore: nullable(string('Verdict of CoinGecko.', 'green')),
  isAnomaly: flag('Whether the price is out of line.', false),
  isStale: flag('Whether it is out of date.', false),
  timestamp: nullable(string('When it was seen, in ISO 8601.', '2025-12-29T09:20:00Z')),
});

/** A page of the exchange tickers of an asset. */
export const tickers = answer({
  assetId,
  tickers: object(
    {
      rows: list(ticker, 'Tickers, the largest volume first.'),
      total: optional(integer('Tickers in all.', 80)),
      offset: integer('Rows that were skipped.', 0),
      limit: integer('Rows at most.', 1),
      lastUpdatedAt: partial(milliseconds('When they were fetched', EXAMPLE_TIME_MS)),
    },
    'A page of the tickers.',
  ),
});

/** The risk of one variant. */
export const riskSummary = answer({ assetId, mint, risk: summary });

/** The risk of one variant with its inputs. */
export const riskDetails = answer({ assetId, mint, risk: details });

/** The description of one variant. */
export const description = answer({
  assetId,
  mint,
  description: nullable(
    object(
      {
        summary: string('What the token is.', 'Wrapped SOL is SOL as a token.'),
        generatedAt: milliseconds('When this was written', EXAMPLE_TIME_MS),
      },
      'The description of the token.',
    ),
  ),
});
