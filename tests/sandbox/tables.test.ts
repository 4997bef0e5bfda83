import { readFileSync } from 'node:fs';
import { ENUMERATIONS } from '@asset-gateway/protocol';
import Type, { type TSchema } from 'typebox';
import { Errors } from 'typebox/schema';
import { expect, it } from 'vitest';

const text = Type.String({ minLength: 1 });
const texts = Type.Array(text);
const url = Type.String({ pattern: '^https://' });
const number = Type.Number({ minimum: 0 });
const exactly = <Members extends Record<string, TSchema>>(members: Members) =>
  Type.Object(members, { additionalProperties: false });
const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema);

const variant = exactly({
  symbol: optional(text),
  name: optional(text),
  kind: Type.Enum([...ENUMERATIONS.kind, 'spot']),
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
});

const asset = exactly({
  id: text,
  symbol: optional(text),
  name: optional(text),
  price: Type.Number({ exclusiveMinimum: 0 }),
  volatility: number,
  supply: number,
  since: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\d$` }),
  about: Type.String(),
  category: Type.Enum(['commodity', 'crypto', 'equity', 'etf', 'rwa', 'stablecoin']),
  aliases: texts,
  coingeckoId: optional(text),
  lists: Type.Array(Type.Enum([...ENUMERATIONS.list])),
  website: url,
  twitter: optional(url),
  variants: Type.Array(variant),
});

it('every row of assets.json fits its schema', () => {
  const rows = JSON.parse(readFileSync('packages/sandbox/src/tokens/tables/assets.json', 'utf8')) as object[];
  expect(rows.length).toBeGreaterThan(3);
  for (const row of rows) expect(Errors(asset, row)).toEqual([true, []]);
});
