import Type, { type TSchema } from 'typebox';
import {
  always,
  each,
  exampleOf,
  flag,
  integer,
  list,
  milliseconds,
  nullable,
  number,
  object,
  optional,
  percent,
  seconds,
  shown,
  string,
  union,
  usd,
  WRAPPED_SOL,
  word,
} from './fields.ts';

const missing = object({
  ok: always(false),
  reason: word(['not_available', 'not_configured', 'not_found', 'error'], 'Why it is missing.'),
  message: string('The same in a sentence.'),
});

/** A part of an answer that may be missing while the rest is there. */
export const block = (data: TSchema, description: string) =>
  union([object({ ok: always(true), data }), missing], description);

const profileData = object(
  {
    marketCap: nullable(usd('Market capitalisation', 81_500_000_000)),
    fdv: nullable(usd('Fully diluted valuation', 91_000_000_000)),
    circulatingSupply: nullable(number('Units in circulation.', 538_000_000)),
    totalSupply: nullable(number('Units in existence.', 601_000_000)),
    price: nullable(usd('Price', 151.4)),
    priceChange24h: nullable(percent('Change of the price in 24 hours', -1.7)),
    volume24h: nullable(usd('Traded in 24 hours', 3_900_000_000)),
    allTimeHigh: nullable(usd('Highest price ever', 293)),
    allTimeHighDate: string('When that was, in ISO 8601; empty when it is not known.', '2025-01-19T11:15:27Z'),
    description: optional(string('What the asset is.')),
    links: optional(
      object(
        each(
          {
            website: string('Its website.'),
            twitter: string('Its account at X.'),
            telegram: string('Its Telegram group.'),
            discord: string('Its Discord server.'),
            reddit: string('Its subreddit.'),
          },
          optional,
        ),
        'Links.',
      ),
    ),
  },
  'The profile.',
);

/** The profile of an asset, if available. */
export const profileBlock = block(profileData, 'The profile of the asset, or why it is missing.');

const verdict = {
  score: number('0 (worst) to 100.', 100),
  grade: word(['A', 'B', 'C'], 'From 85, from 70, below.', 'A'),
  label: string(
    'The verdict in words: Established, Speculative, Weak Metrics, Trusted Launch, Insufficient Data.',
    'Established',
  ),
  tone: string('How to show it: safe, warning, risk.', 'safe'),
  isTrustedLaunch: flag('Whether it comes from an issuer that is trusted.', false),
  caps: list(Type.String(), 'Reasons for a capped score.'),
  hasInsufficientData: flag('Whether too little is known for a verdict.', false),
  insufficientDataReason: nullable(string('Why too little is known.')),
};

const component = object(
  {
    score: number('0 (worst) to 100.', 100),
    status: string('The verdict in a word: safe, warning, risk, info.', 'safe'),
    hasData: flag('Whether data is available.', true),
  },
  'One part of the score.',
);

/** The market risk verdict of a mint, without its components. */
export const riskVerdict = object(verdict, 'The market risk score.');

/** The market risk score of a mint. */
export const marketScore = object(
  {
    ...verdict,
    borderlineSignals: list(Type.String(), 'Signals that could change the verdict.'),
    components: object(
      {
        liquidityHealth: component,
        holderDistribution: component,
        tradingActivity: component,
        holderCount: component,
      },
      'The components of the score.',
    ),
    tokenAgeDays: nullable(number('Days since the token was minted.')),
  },
  'The market risk score.',
);

/** The inputs of a market score. */
export const marketScoreInput = object(
  {
    ...each(
      {
        liquidityUsd: usd('Liquidity', 41_200_000),
        marketCapUsd: usd('Market capitalisation', 81_500_000_000),
        holderCount: integer('Wallets that hold the token.', 1_900_000),
        top10HoldersPercent: percent('Share of the ten largest holders'),
        volume24hUsd: usd('Traded in 24 hours', 913_000_000),
        volume7dUsd: usd('Traded in 7 days', 6_100_000_000),
        tokenMintTime: seconds('When the token was minted'),
      },
      nullable,
    ),
    tokenAddress: string('The mint.', WRAPPED_SOL),
  },
  'The inputs of the score.',
);

const unknown = object({
  ok: always(false),
  reason: always('not_found'),
  message: string('Why there is no score.'),
});
const lastUpdatedAt = nullable(milliseconds('When the market was fetched', 1_767_000_000_000));
const scored = { ok: always(true), marketScore, lastUpdatedAt };
const inputs = { marketScoreInput, tags: list(Type.String(), 'Marks of the token.') };

/** The score of a mint, if any. */
export const riskSummary = union([object(scored), unknown], 'The score, or why there is none.');

/** The score of a mint with its inputs, if any; its example is in the order of the upstream. */
export const riskDetails = shown(
  union([object({ ...scored, ...inputs }), unknown], 'The score and its inputs, or why there is none.'),
  exampleOf(object({ ok: always(true), marketScore, ...inputs, lastUpdatedAt })),
);
