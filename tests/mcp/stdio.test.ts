import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { compileAll } from '../process/program.ts';
import { ERAS, startHost } from './host.ts';

let gateway: TestGateway;
beforeAll(async () => {
  await compileAll();
  gateway = await startTestGateway({}, { paid: true });
}, 240_000);
afterAll(() => gateway.stop());

describe.each(ERAS)('over stdio, in the era of %s', (_, options) => {
  let client: Client;
  beforeAll(async () => {
    client = await startHost([], { ASSET_GATEWAY_URL: gateway.url }, options);
  });
  afterAll(() => client.close());

  it('a free method is called, and answers with data', async () => {
    const { structuredContent } = await client.callTool({ name: 'tokens_search', arguments: { q: 'gold' } });
    expect(structuredContent).toMatchObject({ result: { query: 'gold' } });
  });
});
