import { describe, expect, it } from 'vitest';
import { createMatcher } from '../../packages/protocol/src/match.ts';
import { askSigned } from '../kit/wallet.ts';
import { serveApis, writeDocument } from './apis.ts';

const KEY = 'abcd~efgh!0123/456789';

const answer = { 200: { description: 'One.', content: { 'application/json': { schema: { type: 'object' } } } } };
const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const document = writeDocument({
  openapi: '3.0.3',
  info: { title: 'Things', version: '1' },
  paths: { '/one/{id}': { get: { operationId: 'getOne', parameters: [id], responses: answer } } },
});
const { gateway, stub } = await serveApis(
  {
    things: {
      title: 'Things',
      openapi: document,
      key: { query: 'apikey', env: 'TEST_API_KEY' },
      operations: { getOne: {} },
      requestsPerMinute: 1000,
    },
  },
  { TEST_API_KEY: KEY },
  {},
);
const ask = (value: string) => askSigned(`${gateway.url}/v1/x402/things/one/${value}`);

describe('a value of a path', () => {
  it.each(['..%2F..%2Fadmin', 'a%2Fb', '%2f', '..%5Cadmin', '%5c'])('%s names no other path', async (value) => {
    const before = stub.arrivals.length;
    const response = await ask(value);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: 'invalid_request', issues: [{ in: 'path', name: 'id', rule: 'segment' }] },
    ]);
    expect(stub.arrivals).toHaveLength(before);
  });

  it.each(['a.b', '...', 'a%20b', '%C3%A9', 'a%3Fb%23c'])('%s reaches the API as one segment', async (value) => {
    expect((await ask(value)).status).toBe(200);
    expect(stub.arrivals.at(-1)?.target).toBe(`/one/${value}?${new URLSearchParams({ apikey: KEY })}`);
  });
});

it('two rows of one path whose parameters have other names are an error', () => {
  const rows = [
    { path: '/users/:id', httpMethod: 'GET' },
    { path: '/users/:user', httpMethod: 'POST' },
  ] as const;
  expect(() => createMatcher(rows)).toThrow('otherwise');
});

describe('an answer that quotes the key is refused', () => {
  it.each([
    ['as it is', KEY],
    ['as a form escapes it', 'abcd%7Eefgh%210123%2F456789'],
    ['with lower-case escapes', 'abcd%7eefgh%210123%2f456789'],
    ['with an escaped slash', 'abcd~efgh!0123\\/456789'],
  ])('%s', async (_, quoted) => {
    stub.text = `{"self":"https://api.example/one?apikey=${quoted}"}`;
    const response = await ask('a');
    stub.text = undefined;
    expect([response.status, await response.json()]).toMatchObject([502, { error: 'upstream_invalid_response' }]);
  });
});
