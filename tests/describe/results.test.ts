import { readFileSync } from 'node:fs';
import { type Route, routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { exampleOf, ofEachMethod, rowOf } from '../http/targets.ts';
import { startSellingGateway, startTestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { paidRoutes, ROOMY } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { faultsOf, fits, type JsonSchema, published } from './json-schema.ts';

const each = <T>(values: Readonly<Record<string, T>> = {}, change: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

/** The schema without additional properties, where properties are named. */
function closed(schema: JsonSchema): JsonSchema {
  const { anyOf, items, properties, additionalProperties } = schema;
  const isNamed = properties !== undefined && Object.keys(properties).length > 0;
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map(closed) }),
    ...(items && { items: closed(items) }),
    ...(properties && { properties: each(properties, closed) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: closed(additionalProperties) }),
    ...(isNamed && additionalProperties === undefined && { additionalProperties: false }),
  };
}

/** Every schema within a schema, itself included, by where it stands. */
function partsOf(schema: JsonSchema, where = ''): [where: string, part: JsonSchema][] {
  const { anyOf = [], items, properties = {}, additionalProperties } = schema;
  const inner = [
    ...anyOf.map((form, index) => [`${where}(${index})`, form] as const),
    ...(items ? [[`${where}[]`, items] as const] : []),
    ...Object.entries(properties).map(([name, property]) => [`${where}.${name}`, property] as const),
    ...(typeof additionalProperties === 'object' ? [[`${where}.*`, additionalProperties] as const] : []),
  ];
  return [[where, schema], ...inner.flatMap(([place, part]) => partsOf(part, place))];
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value with one thing wrong in it. */
interface Broken {
  readonly what: string;
  readonly value: unknown;
}

/** A value that the schema refuses. */
function misfit(schema: JsonSchema): unknown {
  const found = [{}, [], 'text', 0.5, -1, true, null].find((value) => !fits(schema, value));
  if (found === undefined) throw new Error(`takes everything: ${JSON.stringify(schema)}`);
  return found;
}

/** The form of a value among those that a schema allows. */
function formOf(schema: JsonSchema, value: unknown): JsonSchema {
  const form = schema.anyOf?.find((branch) => fits(branch, value));
  return form ? formOf(form, value) : schema;
}

function brokenObjects({ properties = {}, required = [], additionalProperties }: JsonSchema, value: Json): Broken[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const schema = properties[name] ?? additionalProperties;
    if (typeof schema !== 'object') return [];
    const { [name]: _, ...rest } = value;
    const inner = [{ what: 'of another type', value: misfit(schema) }, ...brokenWithin(schema, member)];
    return [
      ...(required.includes(name) ? [{ what: `${name} is missing`, value: rest }] : []),
      ...inner.map((broken) => ({ what: `${name} ${broken.what}`, value: { ...value, [name]: broken.value } })),
    ];
  });
}

/** The value with each described field missing or of another type. */
function brokenWithin(schema: JsonSchema, value: unknown): Broken[] {
  const form = formOf(schema, value);
  if (isObject(value)) return brokenObjects(form, value);
  if (!Array.isArray(value) || !form.items || value.length === 0) return [];
  const [first, ...rest] = value as unknown[];
  return brokenWithin(form.items, first).map(({ what, value: item }) => ({ what, value: [item, ...rest] }));
}

/** Expects that a value fits, and that the schema refuses it with a field missing or of another type. */
function expectToDescribe(schema: JsonSchema, value: unknown): void {
  expect(faultsOf(schema, value)).toEqual([]);
  const taken = brokenWithin(schema, value).filter((broken) => fits(schema, broken.value));
  expect(taken.map(({ what }) => what)).toEqual([]);
}

const gateway = await startSellingGateway(ROOMY);
const wallet = await openWallet(gateway.solana);

const free = await startTestGateway();
const NEWEST = { maxSupportedTransactionVersion: 0 };

/** Requests for each method beside its row's example, whose addresses are not on the sandbox's chains. */
const REQUESTS: Readonly<Record<string, readonly Route['example'][]>> = JSON.parse(
  readFileSync('tests/describe/requests.json', 'utf8').replaceAll('<buyer>', wallet.address),
);

/** One row a method: rows of the same method share their schemas. */
const paidRows = paidRoutes.filter(({ cluster, provider }) => cluster === 'mainnet' && provider === 'helius');
const freeRows = routes.filter(({ surface }) => surface === 'tokens');

async function answerOf(route: Route, values: Route['example']): Promise<unknown> {
  const { target, init } = exampleOf(route, values);
  const isPaid = route.access === 'exact';
  const response = await (isPaid ? wallet.buy(gateway.url + target, init) : askSigned(free.url + target, init));
  const body = (await response.json()) as { ok: boolean; result: unknown };
  expect([response.status, body.ok], `${target} ${init.body}`).toEqual([200, true]);
  return body.result;
}

it('asks for every method', () => {
  const methods = [...freeRows, ...paidRows].map(({ method }) => method);
  expect(methods).toEqual(expect.arrayContaining(Object.keys(REQUESTS)));
  expect(Object.keys(REQUESTS)).toEqual(expect.arrayContaining(freeRows.map(({ method }) => method)));
});

it.each([...freeRows, ...paidRows].map((route) => [route.method, route] as const))(
  '%s answers as its row describes',
  async (method, route) => {
    const schema = published(route.result.schema);
    const expected = ['tokens', 'wallet'].includes(route.surface) ? closed(schema) : schema;
    const answer = await answerOf(route, {});
    expect(faultsOf(expected, answer)).toEqual([]);
    expectToDescribe(schema, answer);
    for (const values of REQUESTS[method] ?? []) expect(faultsOf(expected, await answerOf(route, values))).toEqual([]);
  },
);

it.each(['json', 'jsonParsed', 'base64', 'base58'])('getTransaction answers as described in %s', async (encoding) => {
  const rpc = (name: string) => rowOf(`rpc.mainnet.helius.${name}`);
  const [history, transaction] = [rpc('getSignaturesForAddress'), rpc('getTransaction')];
  const listed = await answerOf(history, {
    body: { params: [wallet.address, { limit: 3, commitment: 'confirmed' }] },
  });
  for (const { signature } of listed as { signature: string }[]) {
    const answer = await answerOf(transaction, {
      body: { params: [signature, { encoding, commitment: 'confirmed', ...NEWEST }] },
    });
    expect(answer).not.toBeNull();
    expectToDescribe(published(transaction.result.schema), answer);
  }
});

/** Largest example in a challenge. */
const MAX_EXAMPLE_BYTES = 900;

const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];

/** Whether a part has a description, a const, or an explained form. */
const isExplained = ({ description, const: only, type, anyOf = [] }: JsonSchema): boolean =>
  description !== undefined || only !== undefined || type === 'null' || anyOf.some(isExplained);

// The gateway's own documents are judged where they are served.
const described = ofEachMethod.filter(({ surface }) => surface !== 'system');

describe.each(described.map((route) => [route.id, published(route.result.schema), route.result.example] as const))(
  '%s',
  (_, schema, example) => {
    it('has a valid example with all required fields, small and in plain JSON', () => {
      expectToDescribe(schema, example);
      expect(brokenWithin(schema, example).length).toBeGreaterThan(0);
      const json = JSON.stringify(example);
      expect(JSON.parse(json)).toEqual(example);
      expect(json.length).toBeLessThan(MAX_EXAMPLE_BYTES);
    });

    it('describes each field, types each value, and allows more properties', () => {
      for (const [where, part] of partsOf(schema)) {
        const { type, anyOf, additionalProperties } = part;
        if (/\.\w+$/.test(where)) expect(isExplained(part), where).toBe(true);
        expect(anyOf === undefined ? TYPES : [undefined], where).toContain(type);
        expect(additionalProperties === false, where).toBe(false);
      }
    });
  },
);

it('every row describes its answer', () => {
  const open = routes.filter(({ result }) => Object.keys(published(result.schema)).length === 0);
  expect(open.map(({ id }) => id)).toEqual([]);
});
