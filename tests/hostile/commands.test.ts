import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { NETWORKS, USDC } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { startWarm } from '../cli/warm.ts';
import type { Outcome } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { isFull } from '../kit/rounds.ts';
import { callTwice, faultsInLanes, HIDDEN, type HostileGateway, type Lane, paymentFaults, stepsIn } from './judge.ts';

/** Runs in all, and processes that share them. */
const [RUNS, LANES] = isFull ? [1_000, 4] : [12, 1];
const WALLET = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
const TIMEOUT_MS = 1_000;
/** The exit codes of docs/cli.md. */
const CODES = [0, 1, 2, 3, 4, 5, 6, 75];
const PAYING = /^paying \$(\S+) on (\S+) to (\S+?)(?: with the memo (.*))?$/gm;

/** The offers that a command says it pays. */
const shownIn = (stderr: string) =>
  [...stderr.matchAll(PAYING)].map(([, usd, network, payTo = '']) => ({
    network: network ?? '',
    asset: network === NETWORKS.mainnet ? USDC.mainnet : USDC.devnet,
    payTo,
    amount: String(Math.round(Number(usd) * 1e6)),
  }));

function outcomeFaults({ code, stderr }: Outcome): string[] {
  const faults: string[] = [];
  if (code === null || !CODES.includes(code)) faults.push(`exit code ${code}`);
  if (HIDDEN.test(stderr)) faults.push(`hidden characters in ${JSON.stringify(stderr)}`);
  if (/\n\s+at |TypeError|RangeError|SyntaxError/.test(stderr)) faults.push(stderr);
  return faults;
}

const wordsOf = (seed: number): string[] => {
  if (seed % 4 === 0) return ['search', 'gold'];
  return ['balances', WALLET, seed % 3 === 1 ? '--credit' : '--pay'];
};

async function open(gateway: HostileGateway): Promise<Lane> {
  const [warm, folder] = [startWarm(), makeFolder()];
  const run = (words: readonly string[], home: string): Promise<Outcome> => {
    const variables = { ASSET_GATEWAY_URL: gateway.url, ASSET_GATEWAY_RPC_URL: gateway.url };
    const folders = { HOME: home, XDG_STATE_HOME: home, XDG_CACHE_HOME: home };
    return warm.run([...words, '--keypair', join(home, 'id.json')], { env: { ...variables, ...folders } });
  };
  // The first command loads the modules.
  await run(['balances', WALLET, '--pay'], folder);
  return {
    pid: warm.pid,
    /** Faults of two runs of one command. */
    async faultsOf(seed) {
      const home = join(folder, String(seed));
      mkdirSync(home, { recursive: true });
      writeFileSync(join(home, 'id.json'), JSON.stringify([...newKeypair()]));
      await gateway.begin(seed);
      const outcomes: Outcome[] = [];
      const words = [...wordsOf(seed), '--timeout', String(TIMEOUT_MS / 1000)];
      const late = await callTwice(TIMEOUT_MS, async () => void outcomes.push(await run(words, home)));
      const payments = await gateway.begin(seed);
      const shown = outcomes.flatMap(({ stderr }) => shownIn(stderr));
      const paid = await paymentFaults(payments, shown, [...stepsIn(home).values()]);
      rmSync(home, { recursive: true });
      const faults = [...late, ...outcomes.flatMap(outcomeFaults), ...paid];
      return faults.map((fault) => `${fault} (${outcomes.map(({ code }) => code).join(', ')})`);
    },
    async close() {
      await warm.close();
      rmSync(folder, { recursive: true });
    },
  };
}

describe('a hostile gateway whose every answer is changed', () => {
  it(`W11 W14 W15 W16 W24 costs the command line at most one shown payment and its time limit, in ${RUNS} runs`, {
    timeout: 1_200_000,
  }, async () => {
    expect(await faultsInLanes(RUNS, LANES, open)).toEqual([]);
  });
});
