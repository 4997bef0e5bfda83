import { type Route, routes } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { DEFAULT_PRICES, startTestGateway } from '../kit/test-gateway.ts';
import { ROOMY } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { AnswerRecorder, answersTo } from './recorder.ts';

const gateway = await startTestGateway({ ...ROOMY, ...DEFAULT_PRICES }, { paid: true });
const wallet = await openWallet(gateway.solana);

async function answersOf(route: Route): Promise<string> {
  const recorder = new AnswerRecorder();
  const blocks: string[] = [];
  for await (const [title, answer] of answersTo(gateway.url, route, wallet))
    blocks.push(`${title}\n${await recorder.record(answer)}`);
  return `# ${route.id}\n\n${blocks.join('\n\n')}\n`;
}

// `npm test -- tests/answers --update` records intended changes.
it.each(['system', 'tokens', 'rpc', 'das', 'wallet'])(
  'every answer of %s is as recorded',
  { timeout: 120_000 },
  async (surface) => {
    const texts: string[] = [];
    for (const route of routes.filter((each) => each.surface === surface)) texts.push(await answersOf(route));
    await expect(texts.join('\n')).toMatchFileSnapshot(`recorded/${surface}.txt`);
  },
);
