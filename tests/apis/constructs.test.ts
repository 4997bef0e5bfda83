import { createFreeClient } from '@asset-gateway/client';
import { describe, expect, it } from 'vitest';
import { jsonInit } from '../http/targets.ts';
import { askSigned } from '../kit/wallet.ts';
import { serveApis } from './apis.ts';
import { inBody, type Operations, ref, writeOperations } from './hostile-documents.ts';

type Node = Readonly<Record<string, unknown>>;

const parameter = (name: string, place: 'path' | 'query' | 'header', schema: Node, more: Node = {}) => ({
  ...{ name, in: place, required: place === 'path', schema },
  ...more,
});
const ofQuery = (schema: Node, more: Node = {}) => ({ parameters: [parameter('q', 'query', schema, more)] });
const ofPath = (name: string, more: Node = {}) => ({
  parameters: [parameter(name, 'path', { type: 'string' }, more)],
});
const answering = (content: object | undefined) => ({
  responses: { 200: { description: 'x', ...(content && { content }) } },
});
const name = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const count = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };

/** Components that references name. */
const SCHEMAS = {
  Kind: { type: 'string', enum: ['plain', 'rich'] },
  Tree: {
    type: 'object',
    properties: { name: { type: 'string' }, children: { type: 'array', items: ref('Tree') } },
  },
};

const eitherOf = { oneOf: [name, { ...name, required: [] }], discriminator: { propertyName: 'name' } };
const scalar = { anyOf: [{ type: 'integer', maximum: 10 }, { type: 'string', enum: ['all'] }, { type: 'null' }] };
const texts = { type: 'array', items: { type: 'string' } };

/** One operation for each construct. */
const OPERATIONS: Operations = {
  all: ['post /all', inBody({ allOf: [name, count] })],
  any: ['post /any', inBody({ anyOf: [name, count] })],
  one: ['post /one', inBody({ oneOf: [name, { ...count, additionalProperties: false }] })],
  marked: ['post /marked', inBody(eitherOf)],
  items: ['post /items', inBody({ properties: { kinds: { type: 'array', enum: ['plain', 'rich'] } } })],
  list: ['post /list', inBody({ type: 'array', items: name })],
  tree: ['post /tree', inBody(ref('Tree'))],
  merge: ['post /merge', inBody(name, 'application/merge-patch+json; charset=utf-8')],
  hal: ['get /hal', answering({ 'application/hal+json; charset=utf-8': { schema: name } })],
  empty: ['get /empty', answering(undefined)],
  dotnet: ['get /dotnet', ofQuery({ type: ['integer', 'string'], pattern: '^-?(?:0|[1-9]\\d*)$', maximum: 10 })],
  kind: ['get /kind', ofQuery({ allOf: [ref('Kind')], default: 'plain' })],
  scalars: ['get /scalars', ofQuery(scalar)],
  spelled: ['get /spelled', ofQuery({ type: 'string', enum: [true, 1] })],
  number: ['get /number', ofQuery({ type: 'number' })],
  digits: ['post /digits', { ...ofQuery({ type: 'integer' }), ...inBody({ type: 'object' }) }],
  repeat: ['get /repeat', ofQuery(texts)],
  commas: ['get /commas', ofQuery(texts, { explode: false })],
  deep: ['get /deep', { parameters: [parameter('filter', 'query', { type: 'object' }, { style: 'deepObject' })] }],
  version: [
    'get /version',
    { parameters: [parameter('X-Version', 'header', { enum: ['2026-01'] }, { required: true })] },
  ],
  models: ['get /models/{model}', ofPath('model')],
  generate: ['post /models/{model}:generate', { ...ofPath('model'), ...inBody(name) }],
  stream: ['post /models/{model}:stream', { ...ofPath('model'), ...inBody(name) }],
  batch: ['post /models:batch', inBody(name)],
  format: ['get /files/{id}.json', ofPath('id')],
  contents: ['get /contents/{path}', ofPath('path', { example: 'src/a.ts' })],
  secret: ['get /contents/{folder}/secret', ofPath('folder')],
  folder: ['get /folder/', {}],
};
const openapi = writeOperations(OPERATIONS, { components: { schemas: SCHEMAS } });
const settings = (operationId: string) => (operationId === 'contents' ? { slashes: true } : {});
const { gateway, stub, rows } = await serveApis({
  real: { openapi, operations: Object.fromEntries(Object.keys(OPERATIONS).map((each) => [each, settings(each)])) },
});
const client = createFreeClient({ baseUrl: gateway.url });

const digits = 2n ** 53n + 1n;

/** Expects a refusal of this rule before the API is called. */
async function refuses(target: string, rule: string, body?: string): Promise<void> {
  const before = stub.arrivals.length;
  const init = body === undefined ? {} : jsonInit(body);
  const response = await askSigned(`${gateway.url}/v1/x402/real${target}`, init);
  const { issues = [] } = (await response.json()) as { issues?: { rule: string }[] };
  expect([response.status, issues.map((each) => each.rule)]).toEqual([400, expect.arrayContaining([rule])]);
  expect(stub.arrivals).toHaveLength(before);
}

describe('of a real document, the client sends', () => {
  it.each<[operation: string, values: Node, arrival: string]>([
    ['all', { name: 'a', count: 1 }, 'POST /all {"name":"a","count":1}'],
    ['any', { count: 1 }, 'POST /any {"count":1}'],
    ['one', { count: 1 }, 'POST /one {"count":1}'],
    ['marked', { name: 'a' }, 'POST /marked {"name":"a"}'],
    ['items', { kinds: ['plain'] }, 'POST /items {"kinds":["plain"]}'],
    ['list', { body: [{ name: 'a' }] }, 'POST /list [{"name":"a"}]'],
    ['tree', { name: 'a', children: [{ children: [{}] }] }, 'POST /tree {"name":"a","children":[{"children":[{}]}]}'],
    ['dotnet', { q: 7 }, 'GET /dotnet?q=7'],
    ['kind', { q: 'rich' }, 'GET /kind?q=rich'],
    ['scalars', { q: 'all' }, 'GET /scalars?q=all'],
    ['spelled', { q: true }, 'GET /spelled?q=true'],
    ['number', { q: 1e-7 }, 'GET /number?q=1e-7'],
    ['digits', { q: digits, amount: digits }, 'POST /digits?q=9007199254740993 {"amount":9007199254740993}'],
    ['repeat', { q: ['a,b', 'c'] }, 'GET /repeat?q=a%2Cb&q=c'],
    ['commas', { q: ['a,b', 'c'] }, 'GET /commas?q=a%2Cb,c'],
    ['deep', {}, 'GET /deep'],
    ['generate', { model: 'm-1', name: 'a' }, 'POST /models/m-1:generate {"name":"a"}'],
    ['batch', { name: 'a' }, 'POST /models:batch {"name":"a"}'],
    ['format', { id: 'a.b' }, 'GET /files/a.b.json'],
    ['contents', { path: 'src/a b.ts' }, 'GET /contents/src/a%20b.ts'],
    ['folder', {}, 'GET /folder/'],
  ])('%s', async (operation, values, arrival) => {
    await client.call(`real.${operation}`, values);
    expect(stub.arrived()).toBe(arrival);
  });

  it('the media types and the constant header that the document names', async () => {
    await client.call('real.merge', { name: 'a' });
    expect(stub.arrivals.at(-1)?.headers['content-type']).toBe('application/merge-patch+json; charset=utf-8');
    await client.call('real.hal');
    expect(stub.arrivals.at(-1)?.headers.accept).toBe('application/hal+json; charset=utf-8, application/json');
    await client.call('real.version');
    expect(stub.arrivals.at(-1)?.headers['x-version']).toBe('2026-01');
  });
});

describe('the API is not called with', () => {
  it.each<[target: string, rule: string, body?: string]>([
    ['/all', 'required', '{"name":"a"}'],
    ['/any', 'required', '{}'],
    ['/one', 'type', '{"name":1,"count":"a"}'],
    ['/list', 'type', '{"name":"a"}'],
    ['/list', 'required', '[{}]'],
    ['/tree', 'type', '{"name":1}'],
    ['/dotnet?q=11', 'maximum'],
    ['/dotnet?q=x', 'pattern'],
    ['/kind?q=other', 'enum'],
    ['/scalars?q=11', 'maximum'],
    ['/spelled?q=false', 'enum'],
    ['/number?q=1e', 'type'],
    ['/deep?filter=1', 'additionalProperties'],
    ['/models/m:stream', 'samePath'],
    ['/models/m:stream/generate', 'samePath', '{"name":"a"}'],
    ['/contents/a%2Fsecret', 'samePath'],
    ['/contents/a%2F%2Fb', 'segment'],
    ['/contents/a%2F..%2Fb', 'segment'],
    ['/contents/a%5Cb', 'segment'],
  ])('%s: %s', refuses);
});

describe('numbers reach the API digit for digit', () => {
  const post = (body: string) => askSigned(`${gateway.url}/v1/x402/real/digits?q=9223372036854775807`, jsonInit(body));
  it.each([
    '{"amount":9007199254740993,"price":1.50,"list":[1E400,{"a":-0.10}]}',
    '{"text":"9007199254740993 \\\\\\" 1.50","true":true,"n":null,"plain":12}',
    '{"toJSON":1,"amount":9007199254740993,"list":[{"toJSON":"a","price":1.50}]}',
    '{"__proto__":{"a":1.0}}',
  ])('%s', async (body) => {
    expect((await post(body)).status).toBe(200);
    expect(stub.arrived()).toBe(`POST /digits?q=9223372036854775807 ${body}`);
  });

  it.each([
    ['of a member that is given twice only the last value', '{"a":1.0,"a":2.0}', '{"a":2.0}'],
    ['except beside a NUL, which marks them', '{"text":"\\u00001.50","a":1.50}', '{"text":"\\u00001.50","a":1.5}'],
  ])('%s', async (_, body, arrival) => {
    expect((await post(body)).status).toBe(200);
    expect(stub.arrived()).toBe(`POST /digits?q=9223372036854775807 ${arrival}`);
  });
});

describe('an answer', () => {
  const answerTo = async (name: string, text: string) => {
    stub.text = text;
    return client.call(`real.${name}`).catch(({ code }: { code: string }) => code);
  };

  it('without described content is any JSON or none', async () => {
    expect(await answerTo('empty', '[1,{"a":null}]')).toEqual([1, { a: null }]);
    expect(await answerTo('empty', '')).toBe(null);
  });

  it('with described content is JSON', async () => {
    expect(await answerTo('hal', '')).toBe('upstream_invalid_response');
    stub.text = undefined;
  });
});

it('each operation has an example that the gateway accepts', () => {
  const without = rows.filter(({ input, example }) => Object.keys(input).some((place) => !(place in example)));
  expect(without.map(({ method }) => method)).toEqual([]);
});
