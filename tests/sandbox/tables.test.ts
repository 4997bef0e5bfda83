import { readFileSync } from 'node:fs';
import Type, { type TSchema } from 'typebox';
import { Errors } from 'typebox/schema';
import { expect, it } from 'vitest';
import { CATEGORIES, KINDS, LISTS } from '../../packages/sandbox/src/tokens/model.ts';

const text = Type.String({ minLength: 1 });
const texts = Type.Array(text);
const url = Type.String({ pattern: '^https://' });
const number = Type.Number({ minimum: 0 });
const exactly = <Members extends Record<string, TSchema>>(members: Members) =>
  Type.Object(members, { additionalProperties: false });
const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

const token = {
  symbol: text,
  name: text,
  price: Type.Number({ exclusiveMinimum: 0 }),
  volatility: number,
  supply: number,
  since: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\d$` }),
  about: Type.String(),
};

const variant = exactly({
  symbol: optional(text),
  name: optional(text),
  kind: Type.Enum([...KINDS]),
  liquidity: number,
  pools: Type.Integer({ minimum: 0 }),
  ratio: optional(Type.Number({ exclusiveMinimum: 0 })),
  decimals: optional(Type.Integer({ minimum: 0, maximum: 18 })),
  mint: optional(Type.String({ pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' })),
  issuer: optional(text),
  issuerUrl: optional(url),
  label: optional(text),
  tags: optional(texts),
  stockVariantTier: optional(Type.Enum(['share_redeemable', 'cash_redeemable', 'not_redeemable'])),
  mark: optional(exactly({ symbol: text, price: number, valuation: number })),
  unregistered: optional(Type.Boolean()),
});

const asset = exactly({
  ...token,
  id: text,
  symbol: optional(text),
  name: optional(text),
  category: Type.Enum([...CATEGORIES]),
  aliases: texts,
  addedAliases: optional(texts),
  coingeckoId: optional(text),
  benchmark: optional(exactly({ symbol: text, ratio: optional(number) })),
  listsRedeemable: optional(Type.Boolean()),
  follows: optional(text),
  tickers: Type.Integer({ minimum: 0 }),
  lists: Type.Array(Type.Enum([...LISTS])),
  website: url,
  twitter: optional(url),
  variants: Type.Array(variant),
});

it.each([
  ['assets', asset],
  ['tokens', exactly(token)],
] as const)('every row of %s.json fits its schema', (name, schema) => {
  const rows = JSON.parse(readFileSync(`packages/sandbox/src/tokens/tables/${name}.json`, 'utf8')) as object[];
  expect(rows.length).toBeGreaterThan(3);
  for (const row of rows) expect(Errors(schema, row)).toEqual([true, []]);
});
