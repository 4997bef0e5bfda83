import { join } from 'node:path';
import { createClient } from '@asset-gateway/client';
import { createTools, type Tool } from '@asset-gateway/client/tools';
import { expect, it } from 'vitest';
import { suiteOfPackages } from '../kit/packages.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { expectToolsIn } from './ai-sdk.ts';

/** Other toolkits than the lock's AI SDK 6. */
const PACKAGES = { ai: '7.0.173', '@langchain/core': '1.4.0' };

const gateway = await startTestGateway();
const tools = createTools(createClient({ baseUrl: gateway.url }));

await suiteOfPackages(
  'the tools in other toolkits',
  { '.': { dependencies: PACKAGES } },
  (folder) => {
    const load = (file: string) => import(join(folder, 'node_modules', file));

    it('work unchanged in AI SDK 7', async () => {
      const [{ generateText, isStepCount }, { MockLanguageModelV4 }] = [
        await load('ai/dist/index.js'),
        await load('ai/dist/test/index.js'),
      ];
      await expectToolsIn({ generateText, stopsAfter: isStepCount, Model: MockLanguageModelV4 }, tools);
    });

    it('work in LangChain as docs/client.md says', async () => {
      const { tool } = await load('@langchain/core/dist/tools/index.js');
      const made = tools.map(({ execute, inputSchema: schema, ...rest }: Tool) =>
        tool((input: unknown) => execute(input), { ...rest, schema }),
      );
      expect(made).toHaveLength(tools.length);
      const search = made.find(({ name }) => name === 'tokens_search');
      expect(await search.invoke({ q: 'gold' })).toMatchObject({ query: 'gold' });
      await expect(search.invoke({ q: 'gold', limit: 0 })).rejects.toThrow();
    });
  },
  { isOfReleases: true },
);
