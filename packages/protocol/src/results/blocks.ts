import Type, { type TSchema } from 'typebox';
import * as field from './fields.ts';

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

/** The verdict of a score. */
export const verdict = {
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
