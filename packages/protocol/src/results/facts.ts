import Type, { type TSchema } from 'typebox';
import * as field from './fields.ts';
import { candles, interval } from './market.ts';

const EXAMPLE_TIME_MS = 1_767_000_000_000;

const missing = field.object({
  ok: field.always(false),
  reason: field.word(['not_available', 'not_configured', 'not_found', 'error'], 'Why it is missing.'),
  message: field.string('The same in a sentence.'),
});

/** A part of an answer that may be missing while the rest is there. */
export const block = (data: TSchema, description: string) =>
  field.union(description, [field.object({ ok: field.always(true), data }), missing]);

const profileData = field.part('The profile.', {
  marketCap: field.nullable(field.usd('Market capitalisation', 81_500_000_000)),
  fdv: field.nullable(field.usd('Fully diluted valuation', 91_000_000_000)),
  circulatingSupply: field.nullable(field.number('Units in circulation.', 538_000_000)),
  totalSupply: field.nullable(field.number('Units in existence.', 601_000_000)),
  price: field.nullable(field.usd('Price', 151.4)),
  priceChange24h: field.nullable(field.percent('Change of the price in 24 hours', -1.7)),
  volume24h: field.nullable(field.usd('Traded in 24 hours', 3_900_000_000)),
  allTimeHigh: field.nullable(field.usd('Highest price ever', 293)),
  allTimeHighDate: field.string('When that was, in ISO 8601; empty when it is not known.', '2025-01-19T11:15:27Z'),
  description: field.optional(field.string('What the asset is.')),
  links: field.optional(
    field.part(
      'Links.',
      field.each(field.optional, {
        website: field.string('Its website.'),
        twitter: field.string('Its account at X.'),
        telegram: field.string('Its Telegram group.'),
        discord: field.string('Its Discord server.'),
        reddit: field.string('Its subreddit.'),
      }),
    ),
  ),
});

/** The profile of an asset, if available. */
export const profileBlock = block(profileData, 'The profile of the asset, or why it is missing.');

const verdict = {
  score: field.number('0 (worst) to 100.', 100),
  grade: field.word(['A', 'B', 'C'], 'From 85, from 70, below.', 'A'),
  label: field.string(
    'The verdict in words: Established, Speculative, Weak Metrics, Trusted Launch, Insufficient Data.',
    'Established',
  ),
  tone: field.string('How to show it: safe, warning, risk.', 'safe'),
  isTrustedLaunch: field.flag('Whether it comes from an issuer that is trusted.', false),
  caps: field.list(Type.String(), 'Reasons for a capped score.'),
  hasInsufficientData: field.flag('Whether too little is known for a verdict.', false),
  insufficientDataReason: field.nullable(field.string('Why too little is known.')),
};

const component = field.part('One part of the score.', {
  score: field.number('0 (worst) to 100.', 100),
  status: field.string('The verdict in a word: safe, warning, risk, info.', 'safe'),
  hasData: field.flag('Whether data is available.', true),
});

/** The market risk score of a mint. */
export const marketScore = field.part('The market risk score.', {
  ...verdict,
  borderlineSignals: field.list(Type.String(), 'Signals that could change the verdict.'),
  components: field.part('The components of the score.', {
    liquidityHealth: component,
    holderDistribution: component,
    tradingActivity: component,
    holderCount: component,
  }),
  tokenAgeDays: field.nullable(field.number('Days since the token was minted.')),
});

/** The inputs of a market score. */
export const marketScoreInput = field.part('The inputs of the score.', {
  ...field.each(field.nullable, {
    liquidityUsd: field.usd('Liquidity', 41_200_000),
    marketCapUsd: field.usd('Market capitalisation', 81_500_000_000),
    holderCount: field.integer('Wallets that hold the token.', 1_900_000),
    top10HoldersPercent: field.percent('Share of the ten largest holders'),
    volume24hUsd: field.usd('Traded in 24 hours', 913_000_000),
    volume7dUsd: field.usd('Traded in 7 days', 6_100_000_000),
    tokenMintTime: field.seconds('When the token was minted'),
  }),
  tokenAddress: field.string('The mint.', field.WRAPPED_SOL),
});

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

/** The score of a mint with its inputs, if any; its example is in the order of the upstream. */
const details = field.shown(
  field.union('The score and its inputs, or why there is none.', [field.object({ ...scored, ...inputs }), unknown]),
  field.exampleOf(field.object({ ok: field.always(true), marketScore, ...inputs, lastUpdatedAt })),
);

const assetId = field.string('Canonical asset id.', 'solana');
const mint = field.string('The mint of the answer.', field.WRAPPED_SOL);
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
    offset: field.integer('Rows that were skipped.', 0),
    limit: field.integer('Rows at most.', 1),
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

/** The risk of a mint, nothing around it. */
export const riskSummaryByMint = field.answerOf(field.part('The market risk score.', verdict));
