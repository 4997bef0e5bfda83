import { routes } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { ASSETS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { mostInAnySpan } from '../budget/history.ts';
import { noteTime } from '../kit/event-loop.ts';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, newSigner } from '../kit/wallet.ts';
import { ours, SimulatedGateway, staleIfLimited } from './simulated-gateway.ts';
import {
  boundOf,
  GATEWAY,
  kindOf,
  QUICK,
  requestsOf,
  type SimulatedRequest,
  USUAL,
  WORKLOADS,
  type Workload,
} from './workloads.ts';

noteTime();
const [SECONDS, RATE] = isFull ? [600, 100] : [20, 20];
const WALLETS = 200;
const IDS = [...new Set([...ASSETS].map(({ id }) => id))];
const workload: Workload = {
  name: 'real',
  rate: RATE,
  assets: IDS.length,
  exponent: 1,
  mix: USUAL,
  seed: 90,
  warmUpSeconds: 0,
  seconds: SECONDS,
};

/** The share of honest requests that an order answers after the warm-up, and how many of its answers are too old. */
function outcomeOf(simulated: Workload, order: ReturnType<typeof ours>) {
  const outcome = { asked: 0, answered: 0, tooOld: 0 };
  const gateway = new SimulatedGateway(order, ({ kind, atMs, isHonest }, ageSeconds) => {
    if (!isHonest || atMs < 1_000 * simulated.warmUpSeconds) return;
    outcome.asked++;
    if (ageSeconds === undefined) return;
    outcome.answered++;
    if (ageSeconds > kindOf(kind).lifetime.maxStaleSeconds) outcome.tooOld++;
  });
  gateway.run(requestsOf(simulated));
  return { share: outcome.answered / outcome.asked, tooOld: outcome.tooOld };
}

/** The real request of a simulated one. */
function targetOf({ kind, keys }: SimulatedRequest): string {
  const [method, interval] = kind.split(' ');
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
  const asked = [...requestsOf(workload)];
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
  const { share: simulated } = outcomeOf(workload, ours());
  const calls = gateway.upstream.arrivals;
  const most = mostInAnySpan(calls, 60_000);
  const told = `${asked.length} requests, ${(100 * share).toFixed(1)} % answered, ${(100 * simulated).toFixed(1)} % simulated`;
  process.stdout.write(`${told}, ${calls.length} calls, at most ${most} in a minute\n`);
  expect([...new Set(statuses)].filter((status) => ![200, 404, 429].includes(status))).toEqual([]);
  expect(most).toBeLessThanOrEqual(30);
  // Within 20 seconds half of the slots go out at once, and chance decides for which of them.
  expect(Math.abs(share - simulated)).toBeLessThan(isFull ? 0.03 : 0.15);
});

const percent = (share: number): string => (100 * share).toFixed(1);

const MEASURED = (isFull ? WORKLOADS : QUICK).map((each) => [each.name, each.rate, each.assets, each] as const);

it.each(MEASURED)(
  '%s, %s/s, %s assets: the order answers nearly as many requests as possible, and none with an old answer',
  { timeout: 600_000 },
  (_, rate, assets, each) => {
    const bound = boundOf(each);
    const simple = outcomeOf(each, staleIfLimited()).share;
    const { share, tooOld } = outcomeOf(each, ours());
    const row = [rate, `${assets}, ${each.exponent}`, each.name, ...[bound, simple, share].map(percent)];
    process.stdout.write(`| ${row.join(' | ')} | ${(share / bound).toFixed(2)} |\n`);
    expect(tooOld).toBe(0);
    expect(share).toBeGreaterThanOrEqual(simple);
    expect(share / bound).toBeGreaterThanOrEqual(rate >= 10 ? 0.95 : 0.86);
  },
);
