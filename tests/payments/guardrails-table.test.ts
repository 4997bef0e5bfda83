import type { Route, Values } from '@asset-gateway/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { everyThird, isFull } from '../kit/rounds.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { forbids, paidRoutes, ROOMY } from './calls.ts';
import { openWallet, type Wallet } from './wallets.ts';

let gateway: SellingGateway;
let poor: Wallet;
beforeAll(async () => {
  gateway = await startSellingGateway(ROOMY);
  poor = await openWallet(gateway.solana, 0n);
});
afterAll(() => gateway.stop());

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/** Values just outside of a schema's bounds, and one of another type. */
function outside(schema: Json): unknown[] {
  const { type, minimum, maximum, maxLength, maxItems, minItems } = schema;
  const values: unknown[] = [type === 'object' || type === 'array' ? 1 : {}];
  if (typeof minimum === 'number') values.push(minimum - 1);
  if (typeof maximum === 'number') values.push(maximum + 1);
  if (typeof maxLength === 'number') values.push('a'.repeat(maxLength + 1));
  if (typeof minItems === 'number' && minItems > 0) values.push([]);
  if (typeof maxItems === 'number') values.push(Array(maxItems + 1).fill('a'));
  if (type === 'string') values.push('');
  return values;
}

interface Bound {
  readonly where: string;
  /** The whole value with one thing in it that breaks a bound. */
  readonly value: unknown;
}

const put = (target: unknown, name: string | number, value: unknown): unknown => {
  if (typeof name === 'string') return { ...(isObject(target) ? target : {}), [name]: value };
  const items = Array.isArray(target) ? [...target] : [];
  for (let index = items.length; index < name; index++) items.push({});
  items[name] = value;
  return items;
};

/** Every bound that a schema states, anywhere in it, broken once on each side inside an otherwise good value. */
function boundsIn(schema: Json, good: unknown, where: string): Bound[] {
  const own = outside(schema).map((value, index) => ({ where: `${where} (${index})`, value }));
  const inner: [string | number, unknown][] = [
    ...Object.entries(isObject(schema.properties) ? schema.properties : {}),
    ...(Array.isArray(schema.prefixItems) ? schema.prefixItems.entries() : []),
  ];
  const deeper = inner.flatMap(([name, part]) => {
    const before: unknown = isObject(good) ? Reflect.get(good, name) : undefined;
    const broken = isObject(part) ? boundsIn(part, before, `${where}.${name}`) : [];
    return broken.map((bound) => ({ where: bound.where, value: put(good, name, bound.value) }));
  });
  const isObjectSchema = isObject(schema.properties);
  const unknown = isObjectSchema ? [{ where: `${where}.nobodyKnows`, value: put(good, 'nobodyKnows', 1) }] : [];
  return [...own, ...deeper, ...unknown];
}

/** In a query everything is text: only what differs as text breaks a bound. */
function queriesOf({ input, example }: Route): { where: string; query: Values }[] {
  return Object.entries(input.query?.properties ?? {}).flatMap(([name, schema]) =>
    outside(schema as unknown as Json)
      .filter((value) => !isObject(value) || !Reflect.has(schema, 'maxLength'))
      .map((value, index) => ({
        where: `query.${name} (${index})`,
        query: { ...example.query, [name]: String(value) },
      })),
  );
}

/** Rows of the same method share their schemas: one of each is enough, unless all are asked for. */
const rows = paidRoutes.filter(
  ({ method }, index) => isFull || paidRoutes.findIndex((other) => other.method === method) === index,
);

describe('every bound of the table is kept, also where money is offered', () => {
  it.each(rows.filter(({ input }) => input.body).map((row) => [row.id, row] as const))('%s', async (id, row) => {
    const schema = row.input.body as unknown as Json;
    const bounds = boundsIn(schema, row.example.body, 'body').filter(({ value }) => isObject(value));
    expect(bounds.length).toBeGreaterThan(3);
    for (const { where, value } of everyThird(bounds, rows.indexOf(row))) {
      const refused = forbids(gateway, id, { body: value as Values }, poor, 1);
      await expect(refused, where).resolves.toBeDefined();
    }
  });

  it.each(rows.filter(({ input }) => input.query).map((row) => [row.id, row] as const))('%s', async (id, row) => {
    for (const { where, query } of everyThird(queriesOf(row), rows.indexOf(row))) {
      await expect(forbids(gateway, id, { query }, poor, 1), where).resolves.toBeDefined();
    }
  });
});
