import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import type { CallToolResult, Client, ElicitRequest, ElicitResult } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { makeFolder } from '../kit/folder.ts';
import type { TestGateway } from '../kit/test-gateway.ts';
// Sets up this process so that x402's RPC client can be used beside the gateway.
import '../payments/wallets.ts';
import { compileAll } from '../process/program.ts';
import { ERAS, type EraOptions, startHost } from './host.ts';

const ACCOUNT = 'So11111111111111111111111111111111111111112';
const BALANCE = { name: 'rpc', arguments: { method: 'getBalance', arguments: { account: ACCOUNT } } };
const PRICE_MICROS = 5;

const folder = makeFolder();
const clients: Client[] = [];
let gateway: TestGateway;
beforeAll(async () => {
  await compileAll();
  gateway = await startEverything();
}, 240_000);
afterAll(async () => {
  for (const client of clients) await client.close();
  await gateway.stop();
  rmSync(folder, { recursive: true, force: true });
});

const chain = () => {
  if (!gateway.solana) throw new Error('nothing is sold');
  return gateway.solana.mainnet;
};

/** What the user says when asked; without one the host cannot ask. */
type User = (question: string) => ElicitResult['action'];

interface Host {
  readonly call: (request?: typeof BALANCE) => Promise<CallToolResult>;
  readonly transfers: () => number;
  readonly spentUsd: () => Promise<unknown>;
  readonly questions: string[];
}

/** A host with a wallet of its own that has money, and a user. */
async function openHost(words: readonly string[], era: EraOptions, user?: User): Promise<Host> {
  const keypair = newKeypair();
  const { address } = signerFromBytes(keypair);
  const file = join(folder, `${address}.json`);
  writeFileSync(file, JSON.stringify([...keypair]));
  await chain().fundUsdc(address, 1000n);
  const client = await startHost(
    ['--keypair', file, '--rpc', chain().url, ...words],
    { ASSET_GATEWAY_URL: gateway.url, XDG_STATE_HOME: join(folder, address) },
    { ...era, ...(user && { capabilities: { elicitation: {} } }) },
  );
  clients.push(client);
  const questions: string[] = [];
  if (user) {
    client.setRequestHandler('elicitation/create', async ({ params: { message } }: ElicitRequest) => {
      questions.push(message);
      return { action: user(message), content: {} };
    });
  }
  return {
    questions,
    call: (request = BALANCE) => client.callTool(request),
    transfers: () => chain().transfers.filter(({ from }) => from === address).length,
    async spentUsd() {
      const { structuredContent } = await client.callTool({ name: 'spending', arguments: {} });
      return (structuredContent as { spentUsd: unknown }).spentUsd;
    },
  };
}

const textOf = ({ content: [first] }: CallToolResult): string => (first?.type === 'text' ? first.text : '');

describe.each(ERAS)('in the era of %s', (_, era) => {
  it('with a budget of 0 a host that cannot ask pays nothing, and is told what to do', async () => {
    const { call, transfers, spentUsd } = await openHost([], era);
    const answer = await call();
    expect(answer.isError).toBe(true);
    expect(textOf(answer)).toMatch(
      /costs \$0\.000005, .*Nothing was paid\. Start the server with .*--budget-usd 0\.05/,
    );
    expect([transfers(), await spentUsd()]).toEqual([0, '0.00']);
  });

  it('what the user declines or leaves open is not charged', async () => {
    for (const action of ['decline', 'cancel'] as const) {
      const { call, transfers, spentUsd, questions } = await openHost([], era, () => action);
      const answer = await call();
      expect([answer.isError, textOf(answer)]).toEqual([
        true,
        'The user declined to pay for rpc_getBalance. Nothing was paid.',
      ]);
      expect([questions.length, transfers(), await spentUsd()]).toEqual([1, 0, '0.00']);
    }
  });

  it('what the user accepts is charged once, at the price that was shown', async () => {
    const { call, transfers, spentUsd, questions } = await openHost([], era, () => 'accept');
    const answer = await call();
    expect(answer.structuredContent).toMatchObject({ paid: { usd: '0.000005', transaction: expect.any(String) } });
    expect(questions).toHaveLength(1);
    expect(questions[0]).toMatch(/^Pay \$0\.000005 in USDC on Solana mainnet to \w+ for rpc_getBalance\? /);
    expect([transfers(), await spentUsd()]).toEqual([1, '0.000005']);
  });

  it('within the budget it pays without asking, and asks for the first call beyond it', async () => {
    const words = ['--budget-usd', String((2 * PRICE_MICROS) / 1e6)];
    const { call, transfers, questions } = await openHost(words, era, () => 'decline');
    await call();
    await call();
    expect([questions.length, transfers()]).toEqual([0, 2]);
    await call();
    expect([questions.length, transfers()]).toEqual([1, 2]);
  });
});

describe('nothing is paid', () => {
  const [, [, era]] = ERAS;

  it('for a call above the most that one may cost without asking', async () => {
    const { call, transfers } = await openHost(['--budget-usd', '1', '--max-call', '0.000004'], era);
    expect(textOf(await call())).toContain('Nothing was paid');
    expect(transfers()).toBe(0);
  });

  it('for an input that breaks a rule of its method, which is shown', async () => {
    const { call, transfers, spentUsd } = await openHost(['--budget-usd', '1'], era);
    const answer = await call({ name: 'rpc', arguments: { method: 'getBalance', arguments: { account: 5 as never } } });
    expect([answer.isError, transfers(), await spentUsd()]).toEqual([true, 0, '0.00']);
    expect(textOf(answer)).toMatch(/^getBalance: .* Nothing was paid\. Its arguments: \{"type":"object"/);
  });

  it('by a quote, whatever the budget', async () => {
    const { call, transfers } = await openHost(['--budget-usd', '1'], era);
    const quote = await call({ name: 'quote', arguments: { method: 'rpc_getBalance' } } as never);
    expect(quote.structuredContent).toMatchObject({ priceUsd: '0.000005', cluster: 'mainnet', needsAsking: false });
    expect(transfers()).toBe(0);
  });
});
