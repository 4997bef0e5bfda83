import { isInputRequiredResult } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import { runHere } from '../cli/in-process.ts';
import { startEverything } from '../discovery/everything.ts';
import { isFull } from '../kit/rounds.ts';
import { ERAS, textOf, useHosts } from './host.ts';

const ACCOUNT = 'So11111111111111111111111111111111111111112';
const BALANCE = { method: 'getBalance', arguments: { account: ACCOUNT } };

const gateway = await startEverything();
const openHost = useHosts(gateway);

describe.each(ERAS)('in the era of %s', (name, era) => {
  it('with a budget of 0 a host that cannot ask pays nothing and learns what to change', async () => {
    const { call, transfers, spentUsd } = await openHost({ era });
    const answer = await call('rpc', BALANCE);
    expect(textOf(answer)).toMatch(
      /costs \$0\.000005, .*Nothing was paid\. Start the server with .*--budget-usd 0\.05/,
    );
    expect([answer.isError, transfers(), await spentUsd()]).toEqual([true, 0, '0.00']);
  });

  it('a host that cannot ask learns a budget that covers what is already spent', async () => {
    const { call, transfers } = await openHost({ era, words: ['--budget-usd', '0.00001'] });
    for (const _ of [1, 2]) await call('rpc', BALANCE);
    expect(textOf(await call('rpc', BALANCE))).toContain('such as --budget-usd 0.05001.');
    expect(transfers()).toBe(2);
  });

  it('a call that the user declines, cancels and then accepts is charged once, at the shown price', async () => {
    const actions = ['decline', 'cancel', 'accept'] as const;
    const { call, transfers, spentUsd, questions } = await openHost({
      era,
      // A process as a host starts it. In short runs tests/mcp/bundle.full.test.ts starts one of the other version.
      ...((isFull || name === ERAS[0][0]) && { isProgram: true }),
      user: () => actions[questions.length - 1] ?? 'decline',
    });
    for (const _ of ['decline', 'cancel']) {
      const answer = await call('rpc', BALANCE);
      expect(textOf(answer)).toBe('The user declined to pay for rpc_getBalance. Nothing was paid.');
      expect([answer.isError, transfers(), await spentUsd()]).toEqual([true, 0, '0.00']);
    }
    const answer = await call('rpc', BALANCE);
    expect(answer.structuredContent).toMatchObject({ paid: { usd: '0.000005', transaction: expect.any(String) } });
    expect([questions.length, transfers(), await spentUsd()]).toEqual([3, 1, '0.000005']);
    const price = "Pay $0.000005 in play money on the sandbox's Solana mainnet to ";
    expect(questions[2]).toContain(price);
    expect(questions[2]).toContain(' for rpc_getBalance? ');
  });

  it('within the budget it pays without asking, and asks for the first call beyond it', async () => {
    const host = await openHost({ era, words: ['--budget-usd', '0.00001'], user: () => 'decline' });
    await host.call('rpc', BALANCE);
    await host.call('rpc', BALANCE);
    expect([host.questions.length, host.transfers()]).toEqual([0, 2]);
    await host.call('rpc', BALANCE);
    expect([host.questions.length, host.transfers()]).toEqual([1, 2]);
  });
});

describe('nothing is paid', () => {
  const [[, modern], [, era]] = ERAS;

  it('for a call above the limit of a call', async () => {
    const { call, transfers } = await openHost({ era, words: ['--budget-usd', '1', '--max-call', '0.000004'] });
    expect(textOf(await call('rpc', BALANCE))).toContain('Nothing was paid');
    expect(transfers()).toBe(0);
  });

  it.each([
    ['within the budget', ['--budget-usd', '1']],
    ['beyond it, and the user is not asked', []],
  ])('X22 from an empty wallet, %s, until it has money', async (_, words) => {
    const user = () => 'accept' as const;
    const { call, transfers, spentUsd, questions, address } = await openHost({ era, words, user, usdcMicros: 0n });
    const answer = await call('rpc', BALANCE);
    expect(textOf(answer)).toMatch(/^insufficient_funds: the payment of \$0\.000005 needs USDC on Solana mainnet/);
    expect(textOf(answer)).toContain(`to ${address} `);
    expect([answer.isError, questions, transfers(), await spentUsd()]).toEqual([true, [], 0, '0.00']);
    await gateway.solana.mainnet.fundUsdc(address, 5n);
    expect((await call('rpc', BALANCE)).structuredContent).toMatchObject({ paid: { usd: '0.000005' } });
    expect(transfers()).toBe(1);
  });

  it('for concurrent calls beyond the budget', async () => {
    const { call, transfers } = await openHost({ era, words: ['--budget-usd', '0.00001'] });
    const answers = await Promise.all([1, 2, 3, 4].map(() => call('rpc', BALANCE)));
    expect([answers.filter(({ isError }) => isError).length, transfers()]).toEqual([2, 2]);
  });

  it('for a call beyond the rest of the budget after a payment of the command line', async () => {
    const host = await openHost({ era, words: ['--budget-usd', '0.000012'] });
    const typed = `rpc getBalance ${ACCOUNT} --pay --keypair ${host.keypairFile} --rpc ${gateway.solana.mainnet.url}`;
    const paid = await runHere(typed.split(' '), { env: host.env });
    expect([paid.code, host.transfers()]).toEqual([0, 1]);
    await host.call('rpc', BALANCE);
    expect(textOf(await host.call('rpc', BALANCE))).toContain('Nothing was paid');
    expect([host.transfers(), await host.spentUsd()]).toEqual([2, '0.00001']);
  });

  it('for an invalid input, which returns the schema, or by a quote', async () => {
    const { call, transfers, spentUsd } = await openHost({ era, words: ['--budget-usd', '1'] });
    const answer = await call('rpc', { method: 'getBalance', arguments: { account: 5 } });
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toMatch(/^getBalance: .* Nothing was paid\. Its arguments: \{"type":"object"/);
    const quote = await call('quote', { method: 'rpc_getBalance' });
    expect(quote.structuredContent).toMatchObject({ priceUsd: '0.000005', cluster: 'mainnet', needsAsking: false });
    expect([transfers(), await spentUsd()]).toEqual([0, '0.00']);
  });

  it('for a yes that is repeated, belongs to another call, or has no question', async () => {
    const client = { capabilities: { elicitation: {} }, inputRequired: { autoFulfill: false } };
    const { client: raw, transfers } = await openHost({ era: modern, client });
    const ask = (input: object, requestState?: string) => {
      const inputResponses = { pay: { action: 'accept', content: {} } };
      const params = { name: 'rpc', arguments: { ...input }, ...(requestState && { requestState, inputResponses }) };
      return raw.request({ method: 'tools/call', params }, { allowInputRequired: true });
    };
    const stateOf = (answer: unknown): string => {
      if (!isInputRequiredResult(answer)) throw new Error(`no question but ${JSON.stringify(answer)}`);
      return answer.requestState ?? '';
    };
    const other = { ...BALANCE, arguments: { account: '11111111111111111111111111111111' } };
    stateOf(await ask(other, stateOf(await ask(BALANCE))));
    stateOf(await ask(BALANCE, 'made up'));
    const state = stateOf(await ask(BALANCE));
    expect(transfers()).toBe(0);
    expect(await ask(BALANCE, state)).toMatchObject({ structuredContent: { paid: {} } });
    stateOf(await ask(BALANCE, state));
    expect(transfers()).toBe(1);
  });
});
