import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { Offer } from '@asset-gateway/client/pay';
import { describe, expect, it } from 'vitest';
import { isFull } from '../kit/rounds.ts';
import { faultsInLanes, type HostileGateway, isShown, type Lane } from './judge.ts';

/** Runs in all, and processes that share them. */
const [RUNS, LANES] = isFull ? [3_000, 6] : [40, 1];

interface Report {
  readonly shown: readonly Offer[];
  readonly calls: readonly { readonly outcome: string; readonly lateMs: number }[];
  readonly strange: readonly string[];
}

/** Faults of one run. */
async function faultsOf(report: Report, payments: readonly string[]): Promise<string[]> {
  const { shown, calls, strange } = report;
  const faults = [...strange];
  for (const payment of payments) if (!(await isShown(payment, shown))) faults.push('a payment that was not shown');
  // Only after a call that was answered may another payment be made for the same request.
  const answered = calls.slice(0, -1).filter(({ outcome }) => isAnswered(outcome)).length;
  if (payments.length > 1 + answered) faults.push(`${payments.length} payments`);
  for (const { outcome, lateMs } of calls) {
    if (outcome.startsWith('not a')) faults.push(outcome);
    if (lateMs > 1_000) faults.push(`${Math.round(lateMs)} ms too late`);
  }
  return faults.map((fault) => `${fault} (${calls.map(({ outcome }) => outcome).join(', ')})`);
}

/** A success that cannot be read was an answer, too: the gateway has said that it was paid. */
const isAnswered = (outcome: string): boolean => outcome === 'ok' || outcome === 'not_a_gateway';

async function open(gateway: HostileGateway): Promise<Lane> {
  const client = fork('tests/hostile/client.mjs', [gateway.url], { execArgv: [] });
  await once(client, 'message');
  return {
    pid: client.pid,
    async faultsOf(seed) {
      await gateway.begin(seed);
      client.send({ seed });
      const [report] = (await once(client, 'message')) as [Report];
      return faultsOf(report, await gateway.begin(seed));
    },
    close: async () => void client.kill(),
  };
}

describe('a hostile gateway whose every answer is changed', () => {
  it(`W13 W14 W15 W25 W31 costs the client at most one shown payment and its time limit, in ${RUNS} runs`, {
    timeout: 1_200_000,
  }, async () => {
    expect(await faultsInLanes(RUNS, LANES, open)).toEqual([]);
  });
});
