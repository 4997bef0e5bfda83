import { createClient } from '@asset-gateway/client';
import { createTools, type Tool } from '@asset-gateway/client/tools';
import { generateText, stepCountIs, type ToolSet } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { startTestGateway } from '../kit/test-gateway.ts';

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

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

describe('in the AI SDK', () => {
  it('work unchanged: the SDK reads the schema, calls the tool and passes its answer on', async () => {
    const set: ToolSet = Object.fromEntries(tools.map((each) => [each.name, each]));
    const call = { type: 'tool-call', toolCallId: '1', toolName: 'tokens_search', input: '{"q":"gold"}' } as const;
    const said = { usage: USAGE, warnings: [] };
    const model = new MockLanguageModelV3({
      doGenerate: [
        { ...said, content: [call], finishReason: { unified: 'tool-calls', raw: undefined } },
        { ...said, content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop', raw: undefined } },
      ],
    });
    const { steps, text } = await generateText({ model, tools: set, prompt: 'Find gold.', stopWhen: stepCountIs(2) });
    expect(text).toBe('done');
    expect(steps[0]?.toolResults).toMatchObject([{ toolName: 'tokens_search', output: { query: 'gold' } }]);
    const offered = model.doGenerateCalls[0]?.tools?.find((each) => each.name === 'tokens_search');
    const { inputSchema } = named('tokens_search');
    expect(offered).toHaveProperty('inputSchema', JSON.parse(JSON.stringify(inputSchema)));
  });
});
