import { createClient } from '@asset-gateway/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

it('a method gives a typed result, and all that came with it when asked', async () => {
  const client = createClient({ baseUrl: gateway.url });
  const call = client.tokens.search({ q: 'gold' });
  const { results } = await call;
  expect(results.length).toBeGreaterThan(0);
  const { result, text, requestId, price, transaction, response } = await call.full();
  expect(result.results).toBe(results);
  expect(JSON.parse(text).result).toEqual(result);
  expect(requestId).toBe(response.headers.get('x-request-id'));
  expect([price, transaction, response.status]).toEqual([undefined, undefined, 200]);
});
