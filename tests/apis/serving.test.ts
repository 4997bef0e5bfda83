import { readConfig } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { openCaches } from '../../packages/gateway/src/compose/channels.ts';
import { createMatcher } from '../../packages/protocol/src/matcher.ts';
import { jsonInit } from '../http/targets.ts';
import { askSigned } from '../kit/wallet.ts';
import { scrape } from '../operations/scrape.ts';
import { serveApis, WEATHER } from './apis.ts';
import { KEY, writeDocument } from './document-files.ts';
import { inBody, inQuery, type Operations, text, writeOperations } from './hostile-documents.ts';

const QUERY_KEY = 'abcd~efgh!0123/456789';
const cache = { freshSeconds: 60, maxStaleSeconds: 60 };

/** An API with these operations. */
const api = (operations: Operations, settings: object = {}) => ({
  openapi: writeOperations(operations, { openapi: '3.0.3' }),
  operations: Object.fromEntries(Object.keys(operations).map((name) => [name, {}])),
  ...settings,
});
const ofPath = (name: string) => ({ parameters: [text(name, 'path')] });
const noted = inBody({ type: 'object', properties: { text: { type: 'string', nullable: true } } });
/** A body of several types, of which one has members. */
const ANY = { type: ['object', 'array', 'string', 'number', 'boolean', 'null'], properties: { text: {} } };

const NOTES: Operations = { find: ['post /find', noted], add: ['post /add', noted] };
const { gateway, stub } = await serveApis(
  {
    weather: { key: { header: 'X-Api-Key', env: 'TEST_API_KEY' }, operations: WEATHER },
    notes: api(NOTES, { cache, operations: { find: { cache }, add: {} } }),
    values: api({ any: ['post /any', inBody(ANY)] }, { operations: { any: { cache } } }),
    things: api({ getOne: ['get /one/{id}', ofPath('id')] }, { key: { query: 'apikey', env: 'QUERY_KEY' } }),
    shadows: api({
      one: ['get /a/{x}', ofPath('x')],
      two: ['get /a/{y}/b', ofPath('y')],
      three: ['get /a/fixed'],
      four: ['get /healthz'],
      slow: ['get /slow', { parameters: [inQuery('q', { type: 'string', pattern: '(a+)+$' })] }],
    }),
  },
  { RESPONSE_CACHE: 'on', METRICS_PORT: '0', QUERY_KEY },
);

const urlOf = (target: string): string => `${gateway.url}/v1/x402/${target}`;

describe('an API of the operator', () => {
  it('is free for a signature', async () => {
    const response = await askSigned(urlOf('weather/forecast/Rome?days=3&fields=date,celsius'));
    const [named, days] = [{ provider: 'weather', surface: 'weather' }, [{ date: '2026-11-24', celsius: 14.5 }]];
    const body = { ok: true, ...named, method: 'getForecast', result: { city: 'Rome', days } };
    expect([response.status, await response.json()]).toEqual([200, body]);
    const { target, headers } = stub.arrivals.at(-1) ?? {};
    expect([target, headers?.['x-api-key']]).toEqual(['/forecast/Rome?days=3&fields=date&fields=celsius', KEY]);
  });

  it('gets no request without a signature or a payment', async () => {
    const before = stub.arrivals.length;
    const post = jsonInit({ city: 'Rome', from: 1_700_000_000 });
    for (const [target, init] of [['weather/forecast/Rome'], ['solana/mainnet/weather/history', post]] as const) {
      expect((await fetch(urlOf(target), init)).status).toBe(402);
    }
    expect(stub.arrivals).toHaveLength(before);
  });

  it('names every violation of its schemas, and is not called', async () => {
    const before = stub.arrivals.length;
    const response = await askSigned(urlOf('weather/forecast/R0me?days=15&fields=rain&more=1'));
    const { issues } = (await response.json()) as { issues: { name: string; rule: string }[] };
    expect([response.status, issues.map(({ name, rule }) => `${name} ${rule}`).sort()]).toEqual([
      400,
      ['city pattern', 'days maximum', 'fields[0] enum', 'more additionalProperties'],
    ]);
    expect(stub.arrivals).toHaveLength(before);
  });
});

/** Asks twice with each body, and returns how many calls the API got. */
async function callsFor(name: string, bodies: readonly object[]): Promise<number> {
  const before = stub.arrivals.length;
  for (const body of [...bodies, ...bodies]) {
    expect((await askSigned(urlOf(`notes/${name}`), jsonInit(body))).status).toBe(200);
  }
  return stub.arrivals.length - before;
}

it('a cached operation with an open body has a key for each body, also with members beyond its schema', async () => {
  const bodies = [{}, { text: null }, { text: 'a' }, { text: 'a', more: 1 }, { text: 'a', more: 2 }];
  expect(await callsFor('find', bodies)).toBe(5);
  expect(await callsFor('find', [{ more: 2, text: 'a' }])).toBe(0);
});

it('X26 a cached operation whose body has members or is another value has a key for each value', async () => {
  const texts = ['"a"', '["a"]', '{"0":"a"}', '[["0","a"]]', '"1.50"', '{"text":"1.50"}'];
  const bodies = ['null', '{}', '[]', '[null]', '1', '2', 'true', 'false', '1.50', ...texts];
  const before = stub.arrivals.length;
  for (const body of bodies) {
    const init = jsonInit(body);
    const answers = [await askSigned(urlOf('values/any'), init), await askSigned(urlOf('values/any'), init)];
    expect([body, ...answers.map(({ status }) => status)]).toEqual([body, 200, 200]);
  }
  expect(stub.arrivals.slice(before).map(({ body }) => body)).toEqual(bodies);
});

it('X26 nodes share no answer to requests with another header, base URL or path', () => {
  const scopeWith = (change: object = {}, path = '/a'): string => {
    const openapi = writeOperations({ op: [`get ${path}`] });
    const cache = { freshSeconds: 1, maxStaleSeconds: 2 };
    const own = { title: 'Own', openapi, url: 'https://own.example', cache, operations: { op: {} }, ...change };
    const APIS_FILE = writeDocument({ apis: { own } });
    const config = readConfig({ TOKENS_API_KEY: KEY, RESPONSE_CACHE: 'on', APIS_FILE });
    const scopes: string[] = [];
    const openShared = ({ scope }: { readonly scope: string }) => void scopes.push(scope);
    const channel = { name: { provider: 'own', surface: 'own' }, keys: { limit: 1, windowMs: 1_000 } };
    const caches = openCaches({ config, openShared } as never, { all: () => [channel] } as never, undefined);
    for (const each of caches.values()) each.close();
    return scopes.join();
  };
  const headers = { 'X-Tenant': 'a' };
  const scopes = [
    ...[scopeWith(), scopeWith({ headers }), scopeWith({ headers: { 'X-Tenant': 'b' } })],
    ...[scopeWith({ url: 'https://other.example' }), scopeWith({}, '/b')],
  ];
  expect(new Set(scopes).size).toBe(scopes.length);
  expect(scopeWith({ headers })).toBe(scopes[1]);
});

it('the metrics of the cache are the sums over the caches of all APIs', async () => {
  const figures = async () => {
    const scraped = await scrape(gateway.gateway);
    return {
      calls: scraped.sum('asset_gateway_cache_calls_total', { reason: 'awaited' }) ?? 0,
      bytes: scraped.sum('asset_gateway_cache_bytes') ?? 0,
    };
  };
  for (const target of ['notes/find', 'values/any']) {
    const before = await figures();
    expect((await askSigned(urlOf(target), jsonInit({ text: 'counted' }))).status).toBe(200);
    const after = await figures();
    expect([target, after.calls - before.calls, after.bytes > before.bytes]).toEqual([target, 1, true]);
  }
});

it('a POST is cached only if its own entry says so', async () => {
  expect(await callsFor('add', [{ text: 'a' }])).toBe(2);
});

describe('a value of a path', () => {
  it.each(['..%2F..%2Fadmin', 'a%2Fb', '%2f', '..%5Cadmin', '%5c'])('%s names no other path', async (value) => {
    const before = stub.arrivals.length;
    const response = await askSigned(urlOf(`things/one/${value}`));
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: 'invalid_request', issues: [{ in: 'path', name: 'id', rule: 'segment' }] },
    ]);
    expect(stub.arrivals).toHaveLength(before);
  });

  it.each(['a.b', '...', 'a%20b', '%C3%A9', 'a%3Fb%23c'])('%s reaches the API as one segment', async (value) => {
    expect((await askSigned(urlOf(`things/one/${value}`))).status).toBe(200);
    expect(stub.arrivals.at(-1)?.target).toBe(`/one/${value}?${new URLSearchParams({ apikey: QUERY_KEY })}`);
  });
});

it('two rows of one path whose parameters have other names are an error', () => {
  const rows = [
    { path: '/users/:id', httpMethod: 'GET' },
    { path: '/users/:user', httpMethod: 'POST' },
  ] as const;
  expect(() => createMatcher(rows)).toThrow('other parameter names');
});

describe('an answer that quotes the key is refused', () => {
  it.each([
    ['as it is', QUERY_KEY],
    ['as a form escapes it', 'abcd%7Eefgh%210123%2F456789'],
    ['with lower-case escapes', 'abcd%7eefgh%210123%2f456789'],
    ['with an escaped slash', 'abcd~efgh!0123\\/456789'],
    ['with the entities of HTML', 'abcd~efgh!0123&#x2F;456789'],
  ])('%s', async (_, quoted) => {
    stub.text = `{"self":"https://api.example/one?apikey=${quoted}"}`;
    const response = await askSigned(urlOf('things/one/a'));
    stub.text = undefined;
    expect([response.status, await response.json()]).toMatchObject([502, { error: 'upstream_invalid_response' }]);
  });
});

describe('of rows that could shadow others', () => {
  const ask = async (target: string): Promise<string> => {
    const before = stub.arrivals.length;
    const response = await askSigned(urlOf(`shadows${target}`));
    const { method, error } = (await response.json()) as { method?: string; error?: string };
    return [response.status, method ?? error, ...stub.arrivals.slice(before).map((each) => each.target)].join(' ');
  };

  it.each([
    ['/a/1', '200 one /a/1'],
    ['/a/1/b', '200 two /a/1/b'],
    ['/a/fixed', '200 three /a/fixed'],
    ['/a/fixed/b', '200 two /a/fixed/b'],
    ['/healthz', '200 four /healthz'],
    ['/a/constructor', '200 one /a/constructor'],
    ['/a/fixed?__proto__=1', '400 invalid_request'],
    ['/a/fixed?constructor=1', '400 invalid_request'],
    ['/slow?q=aaa', '200 slow /slow?q=aaa'],
  ])('%s is one', async (target, expected) => {
    expect(await ask(target)).toBe(expected);
  });

  it.each([900, 7_000])('one refuses %i letters that a backtracking pattern would never end', async (length) => {
    expect(await ask(`/slow?q=${'a'.repeat(length)}b`)).toBe('400 invalid_request');
  });

  it('none shadows the gateway', async () => {
    expect(await (await fetch(`${gateway.url}/healthz`)).json()).toMatchObject({ ok: true, status: 'healthy' });
  });
});
