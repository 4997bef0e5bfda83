import Type, { type TSchema } from 'typebox';
import { oneOf } from '../parameters.ts';
import { always, each, nullable, number, object, optional, percent, string, usd } from './fields.ts';

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
