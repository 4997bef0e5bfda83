import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { routes } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { CallOrder } from '../../packages/gateway/src/cache/call-order.ts';
import * as lifetimes from '../../packages/gateway/src/cache/lifetimes.ts';
import { ASSETS } from '../../packages/sandbox/src/tokens/catalogue.ts';
// @ts-expect-error The simulation is a script.
import { GATEWAY, SimulatedGateway } from '../../scripts/simulate/gateway.mjs';
// @ts-expect-error The simulation is a script.
import { Ours } from '../../scripts/simulate/orders.mjs';
// @ts-expect-error The simulation is a script.
import { requestsOf, rowsOf, USUAL } from '../../scripts/simulate/workload.mjs';
import { mostInAnySpan } from '../budget/history.ts';
import { noteTime } from '../kit/event-loop.ts';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, newSigner } from '../kit/wallet.ts';

interface SimulatedRequest {
  readonly atMs: number;
  readonly row: string;
  readonly keys: readonly { readonly id: string }[];
}

noteTime();
const [SECONDS, RATE] = isFull ? [600, 100] : [20, 20];
const WALLETS = 200;
const IDS = [...new Set([...ASSETS].map(({ id }) => id))];
const workload = { rate: RATE, assets: IDS.length, exponent: 1, mix: USUAL, seed: 90, seconds: SECONDS };
const rows = rowsOf(lifetimes, Object.keys(USUAL));
const requests = (): SimulatedRequest[] => [...requestsOf(workload, rows)];

/** The share of these requests that the simulation answers from an empty cache. */
function simulatedShare(): number {
  const outcome = { asked: 0, answered: 0 };
  const gateway = new SimulatedGateway(new Ours(CallOrder), (_: unknown, ageSeconds?: number) => {
    outcome.asked++;
    if (ageSeconds !== undefined) outcome.answered++;
  });
  gateway.run(requests());
  return outcome.answered / outcome.asked;
}

/** The real request of a simulated one. */
function targetOf({ row, keys }: SimulatedRequest): string {
  const [method, interval] = row.split(' ');
  const asset = IDS[Number(keys[0]?.id.split(':').at(-1))] ?? '';
  const path = routes.find((each) => each.method === method)?.path.replace(':assetId', asset);
  return interval ? `${path}?interval=${interval}` : String(path);
}

const gateway = await startTestGateway({ RESPONSE_CACHE: 'on', TOKENS_RATE_LIMIT_PER_MINUTE: '30' });
gateway.upstream.faults.delayMs = GATEWAY.upstreamSeconds * 1_000;

it(`answers as many requests as the simulation, for ${WALLETS} wallets at ${RATE} requests a second`, {
  timeout: 1_200_000,
}, async () => {
  const wallets = Array.from({ length: WALLETS }, newSigner);
  const asked = requests();
  const startedAt = performance.now();
  const statuses = await Promise.all(
    asked.map(async (request, index) => {
      await new Promise((resolve) => setTimeout(resolve, startedAt + request.atMs - performance.now()));
      const ask = () => askSigned(gateway.url + targetOf(request), {}, wallets[index % WALLETS]);
      // An idle connection may be closed when it is used again.
      const response = await ask().catch(ask).catch(ask);
      await response.arrayBuffer();
      return response.status;
    }),
  );
  const share = statuses.filter((status) => status !== 429).length / asked.length;
  const simulated = simulatedShare();
  const calls = gateway.upstream.arrivals;
  const most = mostInAnySpan(calls, 60_000);
  const told = `${asked.length} requests, ${(100 * share).toFixed(1)} % answered, ${(100 * simulated).toFixed(1)} % simulated`;
  process.stdout.write(`${told}, ${calls.length} calls, at most ${most} in a minute\n`);
  expect([...new Set(statuses)].filter((status) => ![200, 404, 429].includes(status))).toEqual([]);
  expect(most).toBeLessThanOrEqual(30);
  // Within 20 seconds half of the slots go out at once, and chance decides for which of them.
  expect(Math.abs(share - simulated)).toBeLessThan(isFull ? 0.03 : 0.15);
});

interface Measured {
  readonly name: string;
  readonly rate: number;
  readonly assets: number;
  readonly isHeldOut: boolean;
  readonly shares: Readonly<Record<'staleIfLimited' | 'ours', number>>;
  readonly ofBound: number;
  readonly tooOld: number;
}

async function simulated(...words: readonly string[]): Promise<Measured[]> {
  const command = ['scripts/run.mjs', 'simulate', '--json', ...words];
  const { stdout } = await promisify(execFile)(process.execPath, command, { maxBuffer: 1 << 24 });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Measured);
}

/** Without ROUNDS=full only what takes a few seconds. */
const WORDS = isFull ? [] : ['--quick'];

it('the order answers nearly all that it can, and nothing too old', { timeout: 1_800_000 }, async () => {
  const measured = await simulated(...WORDS);
  expect(measured.filter(({ isHeldOut }) => isHeldOut).length).toBeGreaterThan(1);
  for (const { name, rate, assets, shares, ofBound, tooOld } of measured) {
    const where = `${name}, ${rate}/s, ${assets} assets`;
    expect(tooOld, where).toBe(0);
    expect(shares.ours, where).toBeGreaterThanOrEqual(shares.staleIfLimited);
    expect(ofBound, where).toBeGreaterThanOrEqual(rate >= 10 ? 0.95 : 0.86);
  }
});
