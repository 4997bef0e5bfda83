import { createFreeClient } from '@asset-gateway/client';
import { describe, expect, it } from 'vitest';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
import { jsonInit } from '../http/targets.ts';
import { askSigned } from '../kit/wallet.ts';
import { serveApis } from './apis.ts';
import { faultsOf, writeDocument } from './document-files.ts';
import { inBody, inQuery, text, writeOperations } from './hostile-documents.ts';

const limit = inQuery('limit', { type: 'number', maximum: 10_000 });
const config = { type: 'object', properties: { maxTokens: { type: 'integer' }, stream: { type: 'boolean' } } };
const prompted = { type: 'object', properties: { config, prompt: { type: 'string' } }, required: ['prompt'] };
const sized = { type: 'object', properties: { size: { type: 'integer' } } };
const ofItems = [text('version', 'path'), text('id', 'path'), limit, text('expand', 'query'), text('more', 'query')];
const openapi = writeOperations({
  items: ['get /{version}/items/{id}', { parameters: ofItems }],
  ask: ['post /ask', { parameters: [text('mode', 'query')], ...inBody(prompted) }],
  open: ['post /open', { parameters: [limit], ...inBody({ type: 'object' }) }],
  list: ['post /list', inBody({ type: 'array', items: sized })],
});
const OPERATIONS = {
  items: { set: { version: 'v2', expand: 'none' }, forbid: ['more'], bounds: { limit: { maximum: 50, default: 20 } } },
  ask: {
    set: { 'config.stream': false, mode: 'fast' },
    bounds: { 'config.maxTokens': { maximum: 100 }, prompt: { maxLength: 5 } },
  },
  open: { set: { stream: false }, bounds: { limit: { maximum: 5 }, size: { maximum: 9 } } },
  list: { bounds: { size: { maximum: 3 } } },
};
const { gateway, stub } = await serveApis({ some: { openapi, operations: OPERATIONS } });
const client = createFreeClient({ baseUrl: gateway.url });

describe('the gateway sends values that an entry sets, and clients may send values within its bounds', () => {
  it.each<[operation: string, values: Readonly<Record<string, unknown>>, arrival: string]>([
    ['items', { id: 'a' }, '/v2/items/a?expand=none&limit=20'],
    ['items', { id: 'a', limit: 50 }, '/v2/items/a?limit=50&expand=none'],
    [
      'ask',
      { prompt: 'Hello', config: { maxTokens: 100 } },
      '/ask?mode=fast {"config":{"maxTokens":100,"stream":false},"prompt":"Hello"}',
    ],
    ['open', { limit: 5, size: 9, more: 1 }, '/open?limit=5 {"size":9,"more":1,"stream":false}'],
    ['list', { body: [{ size: 3 }, { size: 1 }] }, '/list [{"size":3},{"size":1}]'],
  ])('%s %o', async (name, values, arrival) => {
    await client.call(`some.${name}`, values);
    const { target, body } = stub.arrivals.at(-1) ?? {};
    expect(`${target} ${body}`.trim()).toBe(arrival);
  });
});

describe('the API is not called with', () => {
  it.each<[target: string, body?: string]>([
    ['v2/items/a?limit=51'],
    ['v2/items/a?limit=1e3'],
    ['v2/items/a?limit='],
    ['v2/items/a?limit=1&limit=90'],
    ['v2/items/a?limit[]=90'],
    ['v2/items/a?Limit=90'],
    ['v2/items/a?expand=all'],
    ['v2/items/a?%65xpand=all'],
    ['v2/items/a?more=1'],
    ['ask', '{"prompt":"Hello"}'],
    ['ask', '{"prompt":"Hello","config":{"maxTokens":101}}'],
    ['ask', '{"prompt":"Hello","config":{"max_tokens":101,"maxTokens":1}}'],
    ['ask', '{"prompt":"Hello","config":{"maxTokens":1,"stream":true}}'],
    ['ask', '{"prompt":"Hello","config":[{"maxTokens":1,"stream":true}]}'],
    ['ask', '{"prompt":"Hello","Config":{"stream":true},"config":{"maxTokens":1}}'],
    ['ask', '{"prompt":"Hello","config.stream":true,"config":{"maxTokens":1}}'],
    ['ask', '{"prompt":"Hello","mode":"slow","config":{"maxTokens":1}}'],
    ['ask', '{"prompt":"Hello!","config":{"maxTokens":1}}'],
    ['ask?mode=slow', '{"prompt":"Hello","config":{"maxTokens":1}}'],
    ['open?limit=6', '{"size":1}'],
    ['open?limit=5', '{"size":1,"limit":6}'],
    ['open?limit=5', '{"size":1,"STREAM":true}'],
    ['open?limit=5', '{}'],
    ['list', '[{"size":1},{"size":4}]'],
    ['list', '[{"SIZE":4}]'],
  ])('%s %s', async (target, body) => {
    const before = stub.arrivals.length;
    const init = body === undefined ? {} : jsonInit(body);
    const response = await askSigned(`${gateway.url}/v1/x402/some/${target}`, init);
    expect(response.status).toBe(400);
    expect(stub.arrivals).toHaveLength(before);
  });
});

describe('a file is refused that', () => {
  it.each<[what: string, operations: object, fault: string]>([
    ['sets what no operation takes', { ask: { set: { strem: false } } }, 'it has no parameter "strem"'],
    ['bounds what no object has', { ask: { bounds: { 'config.size': { maximum: 1 } } } }, 'no parameter "config.size"'],
    ['sets a value of another type', { ask: { set: { prompt: 1 } } }, '"prompt": the value breaks its schema'],
    ['sends a default beyond its bounds', { items: { bounds: { limit: { maximum: 1, default: 2 } } } }, '"limit": the'],
    ['sets and bounds the same', { ask: { set: { prompt: 'a' }, bounds: { prompt: { maxLength: 1 } } } }, 'twice'],
    ['sets what is in a list', { list: { set: { size: 1 } } }, '"size": a value inside a list cannot be set'],
    ['forbids a part of the path', { items: { forbid: ['id'] } }, 'the parameters of the path are "'],
    ['bounds nothing', { ask: { bounds: { prompt: {} } } }, 'bounds.prompt'],
  ])('%s', (_, operations, fault) => {
    const entry = { title: 'Some', openapi, url: 'https://some.example', operations };
    expect(faultsOf({ some: entry }).join('\n')).toContain(fault);
  });
});

it('a value of the path that is set is part of the path', async () => {
  expect((await fetch(`${gateway.url}/v1/x402/some/v1/items/a`)).status).toBe(404);
});

it('V18 many bounds of an open body take hardly longer than one', () => {
  const bounds = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`size${at}`, { maximum: 9, optional: true }]));
  const ruleWith = (count: number) => {
    const operations = { open: { bounds: bounds(count) } };
    const some = { openapi, title: 'Some', url: 'https://some.example', operations };
    const [row] = readApisFile(writeDocument({ apis: { some } })).apis.flatMap(({ rows }) => rows);
    return row?.rules.find(({ name }) => name === 'asDescribed');
  };
  const [one, many] = [ruleWith(1), ruleWith(40)];
  // This letter becomes 18 when it is folded.
  const body = JSON.stringify(
    Object.fromEntries(Array.from({ length: 110 }, (_, at) => [`${'\ufdfa'.repeat(190)}${at}`, 0])),
  );
  const took = (rule: typeof one): number => {
    const value: Record<string, unknown> = JSON.parse(body);
    const start = process.cpuUsage();
    expect(rule?.holds(value)).toBe(true);
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  const ratios = [1, 2, 3].map(() => took(many) / took(one));
  expect(Math.min(...ratios)).toBeLessThan(6);
});
