import { describe, expect, it } from 'vitest';
import { askSigned } from '../kit/wallet.ts';
import { serveApis, writeDocument } from './apis.ts';

const document = writeDocument({
  openapi: '3.0.3',
  info: { title: 'Notes', version: '1' },
  paths: Object.fromEntries(
    ['/find', '/add'].map((path) => [
      path,
      {
        post: {
          operationId: path.slice(1),
          requestBody: {
            content: {
              'application/json': {
                schema: { type: 'object', properties: { text: { type: 'string', nullable: true } } },
              },
            },
          },
          responses: {
            200: { description: 'Found.', content: { 'application/json': { schema: { type: 'object' } } } },
          },
        },
      },
    ]),
  ),
});
const cache = { freshSeconds: 60, maxStaleSeconds: 60 };
const { gateway, stub } = await serveApis(
  {
    notes: {
      title: 'Notes',
      openapi: document,
      cache,
      operations: { find: { cache }, add: {} },
      requestsPerMinute: 1000,
    },
  },
  { RESPONSE_CACHE: 'on' },
  {},
);

/** Asks twice with each body, and returns how many calls the API got. */
async function callsFor(operation: string, bodies: readonly object[]): Promise<number> {
  const before = stub.arrivals.length;
  for (const body of [...bodies, ...bodies]) {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    expect((await askSigned(`${gateway.url}/v1/x402/notes/${operation}`, init)).status).toBe(200);
  }
  return stub.arrivals.length - before;
}

describe('a cached operation with an open body', () => {
  it('has a key for each body, whatever its schema names', async () => {
    const bodies = [{}, { text: null }, { text: 'a' }, { text: 'a', more: 1 }, { text: 'a', more: 2 }];
    expect(await callsFor('find', bodies)).toBe(5);
    expect(await callsFor('find', [{ more: 2, text: 'a' }])).toBe(0);
  });
});

it('a POST is cached only if its own entry says so', async () => {
  expect(await callsFor('add', [{ text: 'a' }])).toBe(2);
});
