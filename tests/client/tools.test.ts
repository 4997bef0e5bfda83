import { createClient } from '@asset-gateway/client';
import { routesIn } from '@asset-gateway/client/pay';
import { createTools, type Tool } from '@asset-gateway/client/tools';
import { generateText, stepCountIs } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { standIn } from '../kit/stand-in.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { type AiSdk, expectToolsIn } from './ai-sdk.ts';

const gateway = await startTestGateway();
const tools: readonly Tool[] = createTools(createClient({ baseUrl: gateway.url }));

const named = (name: string): Tool => tools.find((each) => each.name === name) as Tool;

describe('the tools', () => {
  it('are one for each method, with a portable name, a price and a valid schema', () => {
    expect(tools).toHaveLength(35);
    const ajv = new Ajv2020({ strict: false });
    for (const { name, description, inputSchema, annotations, priceUsd } of tools) {
      expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(description).toMatch(/ (?:Free\.|Costs \$0\.\d{2,6} a call, or \$0\.\d{2,6} from credit\.)$/);
      expect(ajv.validateSchema(JSON.parse(JSON.stringify(inputSchema)))).toBe(true);
      expect([annotations.readOnlyHint, annotations.idempotentHint]).toEqual(Array(2).fill(priceUsd === undefined));
    }
  });

  it('name the positional parameters', () => {
    const { properties, required } = named('rpc_getBalance').inputSchema;
    expect([Object.keys(properties), required]).toEqual([['account', 'options'], ['account']]);
  });

  it('return plain JSON', async () => {
    const result = await named('tokens_assetDetail').execute({ assetId: 'solana', include: ['profile'] });
    expect(JSON.parse(JSON.stringify(result))).toMatchObject({ asset: { assetId: 'solana' } });
  });

  it('report all issues of an input', async () => {
    const call = named('tokens_search').execute({ q: 'sol', limit: 0, colour: 'red' });
    await expect(call).rejects.toMatchObject({ code: 'invalid_request', issues: { length: 2 } });
  });
});

it('W27 have no pattern of a gateway, which a host would run', () => {
  const evil = '^(a+)+$';
  const schema = {
    type: 'object',
    properties: { pattern: { type: 'string', pattern: evil } },
    patternProperties: { [evil]: {} },
  };
  const row = { httpMethod: 'POST', path: '/v1/x402/own/op', priceUsd: '0', surface: 'own', method: 'op' };
  const inputSchema = { type: 'object', properties: { members: schema } };
  const listed = routesIn({ routes: [{ ...row, inputSchema }] }) ?? [];
  const [own] = createTools(createClient({ baseUrl: gateway.url }), { families: [], listed });
  expect(own?.inputSchema.properties).toEqual({
    members: { type: 'object', properties: { pattern: { type: 'string' } } },
  });
});

it('of methods whose names differ after the length that hosts accept are all there, each by its own name', () => {
  const methods = ['One', 'Two', 'Six', 'One'].map((end) => `${'long'.repeat(15)}${end}`);
  const shared = { httpMethod: 'GET', priceUsd: '0.00', accessMode: 'siwx', surface: 'api', description: '' };
  const listed = routesIn({ routes: methods.map((method) => ({ ...shared, path: `/${method}`, method })) });
  const client = createClient({ baseUrl: gateway.url });
  const names = createTools(client, { families: [], ...(listed && { listed }) }).map(({ name }) => name);
  const start = `api_${'long'.repeat(15)}`.slice(0, 64);
  expect(names).toEqual([start, `${start.slice(0, 58)}_2`, `${start.slice(0, 58)}_3`]);
});

it('work unchanged in the AI SDK', async () => {
  await expectToolsIn(standIn<AiSdk>({ generateText, stopsAfter: stepCountIs, Model: MockLanguageModelV3 }), tools);
});
