import { describe, expect, it } from 'vitest';
import { runHere } from '../cli/in-process.ts';
import { openCustomer } from '../client/kit.ts';
import { makeFolder } from '../kit/folder.ts';
import { serveApis } from './apis.ts';
import { inQuery, writeOperations } from './hostile-documents.ts';

const inPath = (name: string, schema: object) => [{ name, in: 'path', required: true, schema }];
const paid = { access: 'exact', price: '0.002' };
const OPERATIONS = {
  item: ['get /items/{id}', inPath('id', { type: 'integer', minimum: 1 })],
  size: ['get /sizes/{size}', inPath('size', { type: 'number' })],
  flag: ['get /flags/{flag}', inPath('flag', { type: 'boolean' })],
  dotnet: ['get /dotnet/{id}', inPath('id', { type: ['integer', 'string'], pattern: '^\\d+$' })],
  either: ['get /either/{id}', inPath('id', { anyOf: [{ type: 'integer' }, { type: 'string', enum: ['latest'] }] })],
  latest: ['get /items/latest', []],
  list: ['get /list', [inQuery('q', { type: 'array', maxItems: 2, items: { type: 'string' } })]],
  tiny: ['get /tiny', [inQuery('q', { type: 'number' })]],
  large: ['get /large', [inQuery('q', { type: 'integer' })]],
} as const;
const ofEach = <Value>(make: (name: keyof typeof OPERATIONS) => Value) =>
  Object.fromEntries(Object.keys(OPERATIONS).map((name) => [name, make(name as keyof typeof OPERATIONS)]));
const { gateway, stub } = await serveApis({
  shop: {
    openapi: writeOperations(ofEach((name) => [OPERATIONS[name][0], { parameters: OPERATIONS[name][1] }])),
    operations: ofEach((name) => (name === 'latest' ? { ...paid, price: '0.003' } : paid)),
  },
});
const chain = gateway.solana.mainnet;
const env = { HOME: makeFolder(), ASSET_GATEWAY_URL: gateway.url, ASSET_GATEWAY_RPC_URL: chain.url };
await chain.fundUsdc((await runHere(['wallet', 'new'], { env })).stdout.trim(), 1_000_000n);

describe('a paid operation is bought by client and command line with', () => {
  it.each<[what: string, name: string, values: Readonly<Record<string, unknown>>, target: string]>([
    ['an integer in the path', 'item', { id: 7 }, '/items/7'],
    ['a number in the path', 'size', { size: 1.5 }, '/sizes/1.5'],
    ['a boolean in the path', 'flag', { flag: true }, '/flags/true'],
    ['a path parameter of two types', 'dotnet', { id: 7 }, '/dotnet/7'],
    ['the second of two alternatives', 'either', { id: 'latest' }, '/either/latest'],
    ['a path that another one matches too', 'latest', {}, '/items/latest'],
    ['a comma in an item of a list', 'list', { q: ['a,b', 'c'] }, '/list?q=a%2Cb&q=c'],
    ['a number with an exponent', 'tiny', { q: 1e-7 }, '/tiny?q=1e-7'],
    ['an integer beyond those of JavaScript', 'large', { q: 9007199254740993n }, '/large?q=9007199254740993'],
  ])('%s', async (_, name, values, target) => {
    const { client, transfers } = await openCustomer(gateway);
    const before = stub.arrivals.length;
    await client.call(`shop.${name}`, values);
    expect([transfers().length, stub.arrivals.slice(before).map((each) => each.target)]).toEqual([1, [target]]);
    const textOf = (value: unknown) => (Array.isArray(value) ? JSON.stringify(value) : String(value));
    const options = Object.entries(values).flatMap(([key, value]) => [`--${key}`, textOf(value)]);
    const { code, stderr } = await runHere(['shop', name, ...options, '--pay'], { env });
    expect([code, stderr]).toEqual([0, expect.stringContaining('paying')]);
    expect(stub.arrivals.slice(before).map((each) => each.target)).toEqual([target, target]);
  });
});
