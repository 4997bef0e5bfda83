import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { NETWORKS, USDC } from '@asset-gateway/protocol';
import { type CallToolResult, Client, type ElicitRequest } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../kit/folder.ts';
import { isFull } from '../kit/rounds.ts';
import { callTwice, faultsInLanes, HIDDEN, type HostileGateway, type Lane, paymentFaults, stepsIn } from './judge.ts';

/** Runs in all, and processes that share them. */
const [RUNS, LANES] = isFull ? [1_000, 4] : [12, 1];
const TIMEOUT_MS = 1_000;
/** Two copies of an answer, of which each stays below 25,000 tokens. */
const MAX_BYTES = 40_000;
const QUESTION = /^Pay \$(\S+) in USDC on Solana (\w+) to (\S+)/;

/** The offers that the user was asked about and agreed to. */
const shownIn = (questions: readonly string[]) =>
  questions.flatMap((question) => {
    const [, usd, cluster, payTo = ''] = QUESTION.exec(question) ?? [];
    if (cluster !== 'mainnet' && cluster !== 'devnet') return [];
    return [{ network: NETWORKS[cluster], asset: USDC[cluster], payTo, amount: String(Math.round(Number(usd) * 1e6)) }];
  });

function resultFaults(result: CallToolResult): string[] {
  const text = JSON.stringify(result);
  const faults: string[] = [];
  if (Buffer.byteLength(text) > MAX_BYTES) faults.push(`${Buffer.byteLength(text)} bytes`);
  if (HIDDEN.test(result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')))
    faults.push(`hidden characters in ${text}`);
  if (/TypeError|RangeError|SyntaxError|\n\s+at /.test(text)) faults.push(text);
  return faults;
}

const callOf = (seed: number) =>
  seed % 4 === 0
    ? { name: 'tokens_search', arguments: { q: 'gold' } }
    : { name: 'wallet_balances', arguments: { wallet: signerFromBytes(newKeypair()).address } };

/** A client of an MCP server in a process of its own, whose user agrees to each of these questions. */
async function connect(gateway: HostileGateway, home: string, questions: string[]) {
  const keypair = join(home, 'id.json');
  writeFileSync(keypair, JSON.stringify([...newKeypair()]));
  const words = ['mcp', '--keypair', keypair, '--rpc', gateway.url, '--timeout', String(TIMEOUT_MS / 1000)];
  const args = ['packages/cli/bin/main.js', ...words];
  const env = { ASSET_GATEWAY_URL: gateway.url, HOME: home, XDG_STATE_HOME: home, XDG_CACHE_HOME: home };
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'ignore' });
  const client = new Client({ name: 'test-host', version: '1.0.0' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler('elicitation/create', async ({ params: { message } }: ElicitRequest) => {
    questions.push(message);
    return { action: 'accept', content: {} };
  });
  await client.connect(transport);
  return { client, pid: transport.pid };
}

async function open(gateway: HostileGateway): Promise<Lane> {
  const [home, questions]: [string, string[]] = [makeFolder(), []];
  const { client, pid } = await connect(gateway, home, questions);
  return {
    pid,
    /** Faults of two calls of one tool. */
    async faultsOf(seed) {
      await gateway.begin(seed);
      questions.length = 0;
      const before = stepsIn(home);
      const [asked, faults]: [ReturnType<typeof callOf>, string[]] = [callOf(seed), []];
      // Agreed to, a call is made a second time.
      const late = await callTwice(2 * TIMEOUT_MS, async () => {
        const result = client.callTool(asked).then(resultFaults, (error: unknown) => [`no tool error: ${error}`]);
        faults.push(...(await result));
      });
      const payments = await gateway.begin(seed);
      const steps = [...stepsIn(home)].filter(([id]) => !before.has(id)).map(([, step]) => step);
      return [...faults, ...late, ...(await paymentFaults(payments, shownIn(questions), steps))];
    },
    async close() {
      await client.close();
      rmSync(home, { recursive: true });
    },
  };
}

describe('a hostile gateway whose every answer is changed', () => {
  it(`W11 W14 W15 W16 W25 costs the MCP server at most one approved payment and its time limit, in ${RUNS} runs`, {
    timeout: 1_200_000,
  }, async () => {
    expect(await faultsInLanes(RUNS, LANES, open)).toEqual([]);
  });
});
