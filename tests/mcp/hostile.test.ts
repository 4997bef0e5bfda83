import { newSigner } from '@asset-gateway/client/node';
import { describe, expect, it } from 'vitest';
import { asking, catalogWith, requirement } from '../client/offers.ts';
import { freePort } from '../http/ports.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
// Lets x402's RPC client run in the process of the gateway.
import '../payments/wallets.ts';
import { textOf, useHosts } from './host.ts';

const BALANCE = { method: 'getBalance', arguments: { account: 'So11111111111111111111111111111111111111112' } };
const PAYEES = [newSigner().address, newSigner().address];

/** The price in its catalog. */
let listedUsd = '';
/** The prices and payees of its 402s in sequence; the last one repeats. */
let asks: { amount: number; payee?: number }[] = [];

const gateway = await stopAfterTests(startTestGateway({}, { paid: true }));
const hostile = await stopAfterTests(startStrangeGateway());
hostile.answer(({ path }, response) => {
  if (path === '/v1/catalog') return json(response, 200, catalogWith(listedUsd));
  const { amount, payee = 0 } = (asks.length > 1 ? asks.shift() : asks[0]) ?? { amount: 0 };
  return json(response, 402, asking([requirement({ amount: String(amount), payTo: PAYEES[payee] })]));
});
const openHost = await useHosts(gateway, { url: hostile.url });

describe('a hostile gateway gets no payment', () => {
  it('if it asks for more than its catalog lists, and the user is not asked', async () => {
    [listedUsd, asks] = ['0.001', [{ amount: 1_001 }]];
    for (const words of [[], ['--budget-usd', '1']]) {
      const { call, questions, spentUsd, close } = await openHost({ words, user: () => 'accept' });
      const answer = await call('rpc', BALANCE);
      expect(textOf(answer)).toMatch(
        /^spending_limit: the gateway asks for \$0\.001001, but the catalog says \$0\.001/,
      );
      expect([answer.isError, questions.length, await spentUsd()]).toEqual([true, 0, '0.00']);
      await close();
    }
  });

  it('if it lists more than a dollar a call, and the user is not asked', async () => {
    [listedUsd, asks] = ['5', [{ amount: 1_000_001 }]];
    const { call, questions, spentUsd } = await openHost({ user: () => 'accept' });
    expect(textOf(await call('rpc', BALANCE))).toMatch(/more than this server pays for a call\. Nothing was paid/);
    expect([questions.length, await spentUsd()]).toEqual([0, '0.00']);
  });

  it.each([
    ['price', [{ amount: 100 }, { amount: 200 }]],
    ['payee', [{ amount: 100 }, { amount: 100, payee: 1 }]],
  ])('if it changes its %s after the yes: the user is asked again', async (_, changing) => {
    [listedUsd, asks] = ['0.001', changing];
    const { call, questions, spentUsd } = await openHost({
      user: () => (questions.length === 1 ? 'accept' : 'decline'),
    });
    expect(textOf(await call('rpc', BALANCE))).toMatch(/^The user declined/);
    expect([questions.length, await spentUsd()]).toEqual([2, '0.00']);
  });
});

describe('an unreachable gateway', () => {
  it('is named in an error that says what to set', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { call } = await openHost({ url });
    const answer = await call('tokens_search', { q: 'gold' });
    expect([answer.isError, textOf(answer)]).toEqual([
      true,
      `unreachable: nothing listens on ${url}; run npm start first, or set ASSET_GATEWAY_URL`,
    ]);
  });
});
