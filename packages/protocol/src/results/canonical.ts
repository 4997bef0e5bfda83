import Type from 'typebox';
import { always, each, milliseconds, nullable, object, percent, seconds, string, usd } from './fields.ts';
import { changes, lastFetchedAt } from './market.ts';

const listed = each(
  {
    price: usd('Price'),
    marketCap: usd('Market capitalisation, and of a company that is not listed its implied valuation'),
    volume24hUSD: usd('Traded in 24 hours'),
    priceChange24hPercent: changes.priceChange24hPercent,
    lastFetchedAt,
  },
  nullable,
);

const valuation = each(
  {
    markPriceUsd: usd('Price of one token at which its issuer values the company'),
    markValuationUsd: usd('What the company is worth at that price'),
    impliedValuationUsd: usd('What it is worth at the price of the token'),
    premiumToMarkPercent: percent('Price of the token above that of its issuer'),
  },
  nullable,
);

/** What a token says about a company that is not listed. */
export const preStocks = object(
  { symbol: string('The symbol at its issuer.'), ...valuation, lastFetchedAt },
  'What the token says about a company that is not listed.',
);

/** The market of the asset itself, beside its variants; its fields depend on the source. */
export const canonicalMarket = Type.Union(
  [
    object({
      source: always('coingecko'),
      coinId: string('Its id at CoinGecko.'),
      ...listed,
      providerLastUpdatedAt: nullable(seconds('When CoinGecko updated it')),
    }),
    object({
      source: always('clickhouse_stock'),
      symbol: string('The ticker symbol.'),
      ...listed,
      providerLastUpdatedAt: nullable(seconds('When the exchange updated it')),
      asOf: nullable(seconds('When it was computed')),
    }),
    object({
      source: always('prestocks'),
      symbol: string('The symbol at its issuer.'),
      mint: string('The mint.'),
      ...listed,
      ...valuation,
      providerLastUpdatedAt: nullable(milliseconds('As lastFetchedAt')),
      asOf: nullable(milliseconds('As lastFetchedAt')),
    }),
  ],
  { description: 'The market of the asset itself.' },
);
