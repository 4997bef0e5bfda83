import { type Route, routes } from '@asset-gateway/protocol';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { initOf, targetOf } from '../http/targets.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { ROOMY } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { refusedExchanges } from './exchanges.ts';
import { normalAnswer } from './normal.ts';

let gateway: TestGateway;
let wallet: Wallet;
beforeAll(async () => {
  gateway = await startTestGateway(ROOMY, { paid: true });
  if (!gateway.solana) throw new Error('nothing is sold');
  wallet = await openWallet(gateway.solana);
}, 60_000);
afterAll(() => gateway.stop());

const ask = (route: Route): Promise<Response> => {
  const [url, init] = [`${gateway.url}${targetOf(route)}`, initOf(route)];
  if (route.access === 'exact') return wallet.buy(url, init);
  return route.access === 'siwx' ? askSigned(url, init) : fetch(url, init);
};

async function answersOf(route: Route): Promise<string> {
  const blocks: string[] = [];
  for (const { title, target, init } of refusedExchanges(route))
    blocks.push(`${title}\n${await normalAnswer(await fetch(`${gateway.url}${target}`, init))}`);
  blocks.push(`let in\n${await normalAnswer(await ask(route))}`);
  return `# ${route.id}\n\n${blocks.join('\n\n')}\n`;
}

// What a change is meant to change is written anew with: npm test -- tests/answers --update
it.each(['system', 'tokens', 'rpc', 'das', 'wallet'])(
  'every answer of %s is what was recorded',
  async (surface) => {
    const texts: string[] = [];
    for (const route of routes.filter((each) => each.surface === surface)) texts.push(await answersOf(route));
    await expect(texts.join('\n')).toMatchFileSnapshot(`recorded/${surface}.txt`);
  },
  120_000,
);
