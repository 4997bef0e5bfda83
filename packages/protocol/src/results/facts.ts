import Type from 'typebox';
import { marketScore, marketScoreInput, profileBlock, verdict } from './blocks.ts';
import * as field from './fields.ts';
import { assetId, candles, EXAMPLE_TIME_MS, interval, mint, page } from './market.ts';

const unknown = field.object({
  ok: field.always(false),
  reason: field.always('not_found'),
  message: field.string('Why there is no score.'),
});
const lastUpdatedAt = field.nullable(field.milliseconds('When the market was fetched', EXAMPLE_TIME_MS));
const scored = { ok: field.always(true), marketScore, lastUpdatedAt };
const inputs = { marketScoreInput, tags: field.list(Type.String(), 'Marks of the token.') };

/** The score of a mint, if any. */
const summary = field.union('The score, or why there is none.', [field.object(scored), unknown]);

/** The score of a mint with its inputs, if any. The example has the upstream's order. */
const details = field.shown(
  field.union('The score and its inputs, or why there is none.', [field.object({ ...scored, ...inputs }), unknown]),
  field.exampleOf(field.object({ ok: field.always(true), marketScore, ...inputs, lastUpdatedAt })),
);

const range = {
  interval,
  from: field.seconds('Start of the range', 1_766_995_200),
  to: field.seconds('End of the range', 1_766_998_800),
  candles,
};

/** Candles of one variant. */
export const ohlcv = field.answer({ assetId, mint, ...range });

/** Candles of the canonical price. */
export const priceChart = field.answer({ assetId, ...range });

/** The external profile of an asset. */
export const profile = field.answer({ assetId, profile: profileBlock });

const ticker = field.object({
  base: field.string('What is traded.', 'SOL'),
  target: field.string('What it is traded for.', 'USDT'),
  market: field.part('The exchange.', {
    name: field.string('Name of the exchange.', 'ExampleX'),
    identifier: field.optional(field.string('Its id at CoinGecko.')),
    logo: field.optional(field.string('Its picture.')),
    hasTradingIncentive: field.flag('Whether it pays for trades.', false),
  }),
  priceUsd: field.nullable(field.usd('Price', 151.5)),
  volume24hUsd: field.nullable(field.usd('Traded in 24 hours', 310_000_000)),
  spreadPercent: field.nullable(field.percent('Distance of bid and ask', 0.01)),
  tradeUrl: field.nullable(field.string('Where to trade.')),
  trustScore: field.nullable(field.string('Verdict of CoinGecko.', 'green')),
  isAnomaly: field.flag('Whether the price is out of line.', false),
  isStale: field.flag('Whether it is out of date.', false),
  timestamp: field.nullable(field.string('When it was seen, in ISO 8601.', '2025-12-29T09:20:00Z')),
});

/** A page of the exchange tickers of an asset. */
export const tickers = field.answer({
  assetId,
  tickers: field.part('A page of the tickers.', {
    rows: field.list(ticker, 'Tickers, the largest volume first.'),
    total: field.optional(field.integer('Tickers in all.', 80)),
    ...page(1),
    lastUpdatedAt: field.partial(field.milliseconds('When they were fetched', EXAMPLE_TIME_MS)),
  }),
});

/** The risk of one variant. */
export const riskSummary = field.answer({ assetId, mint, risk: summary });

/** The risk of one variant with its inputs. */
export const riskDetails = field.answer({ assetId, mint, risk: details });

/** The description of one variant. */
export const description = field.answer({
  assetId,
  mint,
  description: field.nullable(
    field.part('The description of the token.', {
      summary: field.string('What the token is.', 'Wrapped SOL is SOL as a token.'),
      generatedAt: field.milliseconds('When this was written', EXAMPLE_TIME_MS),
    }),
  ),
});

/** The risk of a mint, as the whole answer. */
export const riskSummaryByMint = field.resultShape(field.part('The market risk score.', verdict));
