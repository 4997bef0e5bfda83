import { createFreeClient } from '@asset-gateway/client';
import { describe, expect, it } from 'vitest';
import { askSigned } from '../kit/wallet.ts';
import { serveApis } from './apis.ts';
import { writeDocument } from './document-files.ts';
import { operation } from './hostile-documents.ts';

type Node = Readonly<Record<string, unknown>>;

const parameter = (name: string, place: 'path' | 'query' | 'header', schema: Node, more: Node = {}) => ({
  ...{ name, in: place, required: place === 'path', schema },
  ...more,
});
const inQuery = (schema: Node, more: Node = {}) => ({ parameters: [parameter('q', 'query', schema, more)] });
const json = (schema: Node, type = 'application/json') => ({ requestBody: { content: { [type]: { schema } } } });
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
    properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#/components/schemas/Tree' } } },
  },
};

/** One operation for each construct: its path, its members, and its verb. */
const OPERATIONS: Readonly<Record<string, readonly [path: string, members: object, verb?: string]>> = {
  all: ['/all', json({ allOf: [name, count] }), 'post'],
  any: ['/any', json({ anyOf: [name, count] }), 'post'],
  one: ['/one', json({ oneOf: [name, { ...count, additionalProperties: false }] }), 'post'],
  marked: [
    '/marked',
    json({ oneOf: [name, { ...name, required: [] }], discriminator: { propertyName: 'name' } }),
    'post',
  ],
  items: ['/items', json({ properties: { kinds: { type: 'array', enum: ['plain', 'rich'] } } }), 'post'],
  list: ['/list', json({ type: 'array', items: name }), 'post'],
  tree: ['/tree', json({ $ref: '#/components/schemas/Tree' }), 'post'],
  merge: ['/merge', json(name, 'application/merge-patch+json; charset=utf-8'), 'post'],
  hal: ['/hal', answering({ 'application/hal+json; charset=utf-8': { schema: name } })],
  empty: ['/empty', answering(undefined)],
  dotnet: ['/dotnet', inQuery({ type: ['integer', 'string'], pattern: '^-?(?:0|[1-9]\\d*)$', maximum: 10 })],
  kind: ['/kind', inQuery({ allOf: [{ $ref: '#/components/schemas/Kind' }], default: 'plain' })],
  scalars: [
    '/scalars',
    inQuery({ anyOf: [{ type: 'integer', maximum: 10 }, { type: 'string', enum: ['all'] }, { type: 'null' }] }),
  ],
  spelled: ['/spelled', inQuery({ type: 'string', enum: [true, 1] })],
  number: ['/number', inQuery({ type: 'number' })],
  digits: ['/digits', { ...inQuery({ type: 'integer' }), ...json({ type: 'object' }) }, 'post'],
  repeat: ['/repeat', inQuery({ type: 'array', items: { type: 'string' } })],
  commas: ['/commas', inQuery({ type: 'array', items: { type: 'string' } }, { explode: false })],
  deep: ['/deep', { parameters: [parameter('filter', 'query', { type: 'object' }, { style: 'deepObject' })] }],
  version: ['/version', { parameters: [parameter('X-Version', 'header', { enum: ['2026-01'] }, { required: true })] }],
  models: ['/models/{model}', { parameters: [parameter('model', 'path', { type: 'string' })] }],
  generate: [
    '/models/{model}:generate',
    { parameters: [parameter('model', 'path', { type: 'string' })], ...json(name) },
    'post',
  ],
  stream: [
    '/models/{model}:stream',
    { parameters: [parameter('model', 'path', { type: 'string' })], ...json(name) },
    'post',
  ],
  batch: ['/models:batch', json(name), 'post'],
  format: ['/files/{id}.json', { parameters: [parameter('id', 'path', { type: 'string' })] }],
  contents: [
    '/contents/{path}',
    { parameters: [parameter('path', 'path', { type: 'string' }, { example: 'src/a.ts' })] },
  ],
  secret: ['/contents/{folder}/secret', { parameters: [parameter('folder', 'path', { type: 'string' })] }],
  folder: ['/folder/', {}],
};

const paths: Record<string, object> = {};
for (const [operationId, [path, members, verb = 'get']] of Object.entries(OPERATIONS)) {
  Object.assign(paths, operation(path, { operationId, ...members }, {}, verb).paths);
}
const openapi = writeDocument({ openapi: '3.1.0', components: { schemas: SCHEMAS }, paths });
const settings = (operationId: string) => (operationId === 'contents' ? { slashes: true } : {});
const { gateway, stub, rows } = await serveApis({
  real: { openapi, operations: Object.fromEntries(Object.keys(OPERATIONS).map((each) => [each, settings(each)])) },
});
const client = createFreeClient({ baseUrl: gateway.url });

/** The last request that reached the API. */
const arrived = () => {
  const { method = '', target = '', body = '' } = stub.arrivals.at(-1) ?? {};
  return [method, target, body].join(' ').trim();
};

/** Expects a refusal of this rule before the API is called. */
async function refuses(target: string, rule: string, body?: string): Promise<void> {
  const before = stub.arrivals.length;
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: body ?? '' };
  const response = await askSigned(`${gateway.url}/v1/x402/real${target}`, body === undefined ? {} : post);
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
    [
      'digits',
      { q: 2n ** 53n + 1n, amount: 2n ** 53n + 1n },
      'POST /digits?q=9007199254740993 {"amount":9007199254740993}',
    ],
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
    expect(arrived()).toBe(arrival);
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
  const post = (body: string) =>
    askSigned(`${gateway.url}/v1/x402/real/digits?q=9223372036854775807`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });

  it.each([
    '{"amount":9007199254740993,"price":1.50,"list":[1E400,{"a":-0.10}]}',
    '{"text":"9007199254740993 \\\\\\" 1.50","true":true,"n":null,"plain":12}',
    '{"toJSON":1,"amount":9007199254740993,"list":[{"toJSON":"a","price":1.50}]}',
    '{"__proto__":{"a":1.0}}',
  ])('%s', async (body) => {
    expect((await post(body)).status).toBe(200);
    expect(arrived()).toBe(`POST /digits?q=9223372036854775807 ${body}`);
  });

  it('of a member that is given twice only the last value', async () => {
    expect((await post('{"a":1.0,"a":2.0}')).status).toBe(200);
    expect(arrived()).toBe('POST /digits?q=9223372036854775807 {"a":2.0}');
  });

  it('except beside a NUL, which marks them', async () => {
    expect((await post('{"text":"\\u00001.50","a":1.50}')).status).toBe(200);
    expect(arrived()).toBe('POST /digits?q=9223372036854775807 {"text":"\\u00001.50","a":1.5}');
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
