import Type from 'typebox';
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
  percent,
  seconds,
  string,
  usd,
} from './fields.ts';

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
