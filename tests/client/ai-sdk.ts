import type { Tool } from '@asset-gateway/client/tools';
import { expect } from 'vitest';

/** The parts of the AI SDK that a test needs, whatever its version. */
export interface AiSdk {
  generateText(options: object): Promise<{ readonly text: string; readonly steps: readonly object[] }>;
  /** Ends a text after this many steps. */
  readonly stopsAfter: (steps: number) => unknown;
  /** A model that says what a test writes. */
  readonly Model: new (
    answers: object,
  ) => { readonly doGenerateCalls: readonly { readonly tools?: readonly { readonly name: string }[] }[] };
}

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

/** Expects that the SDK takes the tools unchanged: it offers their schemas to a model, calls one and passes its answer on. */
export async function expectToolsIn({ generateText, stopsAfter, Model }: AiSdk, tools: readonly Tool[]): Promise<void> {
  const call = { type: 'tool-call', toolCallId: '1', toolName: 'tokens_search', input: '{"q":"gold"}' };
  const said = { usage: USAGE, warnings: [] };
  const model = new Model({
    doGenerate: [
      { ...said, content: [call], finishReason: { unified: 'tool-calls', raw: undefined } },
      { ...said, content: [{ type: 'text', text: 'done' }], finishReason: { unified: 'stop', raw: undefined } },
    ],
  });
  const set = Object.fromEntries(tools.map((each) => [each.name, each]));
  const { steps, text } = await generateText({ model, tools: set, prompt: 'Find gold.', stopWhen: stopsAfter(2) });
  expect(text).toBe('done');
  expect(steps[0]).toMatchObject({ toolResults: [{ toolName: 'tokens_search', output: { query: 'gold' } }] });
  const offered = model.doGenerateCalls[0]?.tools?.find(({ name }) => name === 'tokens_search');
  const own = tools.find(({ name }) => name === 'tokens_search');
  expect(offered).toHaveProperty('inputSchema', JSON.parse(JSON.stringify(own?.inputSchema)));
}
