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
  reason: oneOf(['not_available', 'not_configured', 'not_found', 'error'], 'Why there is nothing.'),
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
        'Where to read more.',
      ),
    ),
  },
  'The profile.',
);

/** What others know about an asset. */
export const profileBlock = block(profileData, 'What others know about the asset, or why that is missing.');

const verdict = {
  score: number('0 (worst) to 100.'),
  grade: oneOf(['A', 'B', 'C'], 'From 85, from 70, below.'),
  label: string('The verdict in words: Established, Speculative, Weak Metrics, Trusted Launch, Insufficient Data.'),
  tone: string('How to show it: safe, warning, risk.'),
  isTrustedLaunch: flag('Whether it comes from an issuer that is trusted.'),
  caps: list(Type.String(), 'What keeps the score down.'),
  hasInsufficientData: flag('Whether too little is known for a verdict.'),
  insufficientDataReason: nullable(string('Why too little is known.')),
};

const component = object(
  {
    score: number('0 (worst) to 100.'),
    status: string('The verdict in a word: safe, warning, risk, info.'),
    hasData: flag('Whether anything is known.'),
  },
  'One part of the score.',
);

/** How much the market of a mint can be relied upon, without what went into it. */
export const riskVerdict = object(verdict, 'How much the market can be relied upon.');

/** How much the market of a mint can be relied upon. */
export const marketScore = object(
  {
    ...verdict,
    borderlineSignals: list(Type.String(), 'What could tip the verdict.'),
    components: object(
      {
        liquidityHealth: component,
        holderDistribution: component,
        tradingActivity: component,
        holderCount: component,
      },
      'What the score is made of.',
    ),
    tokenAgeDays: nullable(number('Days since the token was minted.')),
  },
  'How much the market can be relied upon.',
);

/** What a market score is computed from. */
export const marketScoreInput = object(
  {
    ...each(
      {
        liquidityUsd: usd('Liquidity'),
        marketCapUsd: usd('Market capitalisation'),
        holderCount: integer('Wallets that hold the token.'),
        top10HoldersPercent: percent('What the ten largest holders have'),
        volume24hUsd: usd('Traded in 24 hours'),
        volume7dUsd: usd('Traded in 7 days'),
        tokenMintTime: seconds('When the token was minted'),
      },
      nullable,
    ),
    tokenAddress: string('The mint.'),
  },
  'What the score is computed from.',
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

/** The score of a mint, or that there is none. */
export const riskSummary = Type.Union([object(scored), unknown], { description: 'The score, or why there is none.' });

/** The score of a mint with what it is computed from, or that there is none. */
export const riskDetails = Type.Union(
  [object({ ...scored, marketScoreInput, tags: list(Type.String(), 'Marks of the token.') }), unknown],
  { description: 'The score and what it is computed from, or why there is none.' },
);

/** A score in which everything is well, as examples show it. */
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
