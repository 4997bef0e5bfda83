import { type Route, routes } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { initOf, targetOf } from '../http/targets.ts';
import { DEFAULT_PRICES, startTestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { ROOMY } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { AnswerRecorder, refusedRequests } from './recorder.ts';

const gateway = await startTestGateway({ ...ROOMY, ...DEFAULT_PRICES }, { paid: true });
const wallet = await openWallet(gateway.solana);

/** Asks with the credential that the route takes. */
function ask(route: Route): Promise<Response> {
  const [url, init] = [`${gateway.url}${targetOf(route)}`, initOf(route)];
  if (route.access === 'exact') return wallet.buy(url, init);
  return route.access === 'siwx' ? askSigned(url, init) : fetch(url, init);
}

async function answersOf(route: Route): Promise<string> {
  const recorder = new AnswerRecorder();
  const blocks: string[] = [];
  for (const [title, [target, init]] of Object.entries(refusedRequests(route)))
    blocks.push(`${title}\n${await recorder.record(await fetch(`${gateway.url}${target}`, init))}`);
  blocks.push(`with its credential\n${await recorder.record(await ask(route))}`);
  return `# ${route.id}\n\n${blocks.join('\n\n')}\n`;
}

// `npm test -- tests/answers --update` records intended changes.
it.each(['system', 'tokens', 'rpc', 'das', 'wallet'])(
  'every answer of %s is as recorded',
  async (surface) => {
    const texts: string[] = [];
    for (const route of routes.filter((each) => each.surface === surface)) texts.push(await answersOf(route));
    await expect(texts.join('\n')).toMatchFileSnapshot(`recorded/${surface}.txt`);
  },
  120_000,
);
