import Type, { type TSchema } from 'typebox';
import { oneOf } from '../parameters.ts';
import {
  always,
  each,
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
  string,
  usd,
} from './fields.ts';

const missing = object({
  ok: always(false),
  reason: oneOf(['not_available', 'not_configured', 'not_found', 'error'], 'Why it is missing.'),
  message: string('The same in a sentence.'),
});

/** A part of an answer that may be missing while the rest is there. */
export const block = (data: TSchema, description: string) =>
  Type.Union([object({ ok: always(true), data }), missing], { description });

const profileData = object(
  {
    marketCap: nullable(usd('Market capitalisation')),
    fdv: nullable(usd('Fully diluted valuation')),
    circulatingSupply: nullable(number('Units in circulation.')),
    totalSupply: nullable(number('Units in existence.')),
    price: nullable(usd('Price')),
    priceChange24h: nullable(percent('Change of the price in 24 hours')),
    volume24h: nullable(usd('Traded in 24 hours')),
    allTimeHigh: nullable(usd('Highest price ever')),
    allTimeHighDate: string('When that was, in ISO 8601; empty when it is not known.'),
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
  score: number('0 (worst) to 100.'),
  grade: oneOf(['A', 'B', 'C'], 'From 85, from 70, below.'),
  label: string('The verdict in words: Established, Speculative, Weak Metrics, Trusted Launch, Insufficient Data.'),
  tone: string('How to show it: safe, warning, risk.'),
  isTrustedLaunch: flag('Whether it comes from an issuer that is trusted.'),
  caps: list(Type.String(), 'Reasons for a capped score.'),
  hasInsufficientData: flag('Whether too little is known for a verdict.'),
  insufficientDataReason: nullable(string('Why too little is known.')),
};

const component = object(
  {
    score: number('0 (worst) to 100.'),
    status: string('The verdict in a word: safe, warning, risk, info.'),
    hasData: flag('Whether data is available.'),
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
        liquidityUsd: usd('Liquidity'),
        marketCapUsd: usd('Market capitalisation'),
        holderCount: integer('Wallets that hold the token.'),
        top10HoldersPercent: percent('Share of the ten largest holders'),
        volume24hUsd: usd('Traded in 24 hours'),
        volume7dUsd: usd('Traded in 7 days'),
        tokenMintTime: seconds('When the token was minted'),
      },
      nullable,
    ),
    tokenAddress: string('The mint.'),
  },
  'The inputs of the score.',
);

const unknown = object({
  ok: always(false),
  reason: always('not_found'),
  message: string('Why there is no score.'),
});
const scored = {
  ok: always(true),
  marketScore,
  lastUpdatedAt: nullable(milliseconds('When the market was fetched')),
};

/** The score of a mint, if any. */
export const riskSummary = Type.Union([object(scored), unknown], { description: 'The score, or why there is none.' });

/** The score of a mint with its inputs, if any. */
export const riskDetails = Type.Union(
  [object({ ...scored, marketScoreInput, tags: list(Type.String(), 'Marks of the token.') }), unknown],
  { description: 'The score and its inputs, or why there is none.' },
);

/** A perfect score for examples. */
export const EXAMPLE_SCORE = {
  score: 100,
  grade: 'A',
  label: 'Established',
  tone: 'safe',
  isTrustedLaunch: false,
  caps: [],
  hasInsufficientData: false,
  insufficientDataReason: null,
} as const;
