import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { ASSETS } from '../../packages/sandbox/src/tokens/catalogue.ts';
import { mostInAnySpan } from '../budget/history.ts';
import { noteTime } from '../kit/event-loop.ts';
import { testInCi } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned, newSigner } from '../kit/wallet.ts';
import { cacheFile } from './file.ts';

/** With ROUNDS=full the outage lasts for ten minutes, with the usual bound and budget. */
const [BOUND_SECONDS, WINDOW_MS, LIMIT, OUTAGE_MS, ASSET_COUNT] = isFull
  ? [300, 60_000, 30, 600_000, 35]
  : [6, 4_000, 16, 12_000, 24];
const [WALLETS, EVERY_MS] = [20, 100];
/** An upstream that is left alone is tried again every five seconds, by whatever is due then. */
const UNTIL_TRIED_MS = 10_000;
/** Time until the most wanted keys are called after the first answer. */
const SETTLING_MS = 1_000;
noteTime();
const IDS = [...new Set([...ASSETS].map(({ id }) => id))].slice(0, ASSET_COUNT);
const pathOf = (id: string): string => `/v1/x402/tokens/assets/${id}`;

interface Seen {
  readonly atMs: number;
  readonly status: number;
  readonly age: number;
}

const gateway = await startTestGateway(
  {
    RESPONSE_CACHE: 'on',
    APIS_FILE: cacheFile('assetDetail', 1, BOUND_SECONDS),
    TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT),
    UPSTREAM_TIMEOUT_MS: '1000',
  },
  { windowMs: WINDOW_MS },
);

const wallets = Array.from({ length: WALLETS }, newSigner);

/** Popularity: 1, 1/2, 1/3 and so on. */
const total = IDS.reduce((sum, _, index) => sum + 1 / (index + 1), 0);
function chosen(part: number): string {
  let left = part * total;
  for (const [index, id] of IDS.entries()) {
    left -= 1 / (index + 1);
    if (left <= 0) return id;
  }
  return IDS[0] ?? '';
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;
let serial = 0;

/** Sends ten requests a second. */
async function askFor(milliseconds: number): Promise<Seen[]> {
  const [seen, endMs]: [Promise<Seen>[], number] = [[], performance.now() + milliseconds];
  while (performance.now() < endMs) {
    const path = pathOf(chosen((serial++ * GOLDEN) % 1));
    const ask = async () => {
      const answer = await askSigned(gateway.url + path, {}, wallets[serial % WALLETS]);
      await answer.arrayBuffer();
      return { atMs: performance.now(), status: answer.status, age: Number(answer.headers.get('age')) };
    };
    seen.push(ask());
    await pause(EVERY_MS);
  }
  return Promise.all(seen);
}

const statusesOf = (seen: readonly Seen[]): number[] => [...new Set(seen.map(({ status }) => status))].sort();
const arrivals = () => gateway.upstream.arrivals;

testInCi(
  `an outage of ${OUTAGE_MS / 1000} s: stale answers within their maximum age, then 503; after it the most wanted keys first, within the budget`,
  { timeout: OUTAGE_MS + 3 * WINDOW_MS + 90_000 },
  async () => {
    expect((await askFor(1.5 * WINDOW_MS)).filter(({ status }) => status === 200).length).toBeGreaterThan(20);
    gateway.upstream.faults.resetConnection = true;
    const downAtMs = performance.now();
    const down = await askFor(OUTAGE_MS);
    const served = down.filter(({ status }) => status === 200);
    expect(served.length).toBeGreaterThan(10);
    expect(Math.max(...served.map(({ age }) => age))).toBeLessThanOrEqual(BOUND_SECONDS);
    // The last answers live for their maximum age, and a request waits two seconds more.
    const late = down.filter(({ atMs }) => atMs > downAtMs + (BOUND_SECONDS + 3) * 1_000);
    expect(late.length).toBeGreaterThan(5);
    expect(late.filter(({ status }) => status < 400)).toEqual([]);
    // Calls that were lost hold their slots: now and then there is none.
    expect(late.filter(({ status }) => status >= 500).length).toBeGreaterThan(0.99 * late.length);
    expect(statusesOf(late)).toContain(503);

    gateway.upstream.faults.reset();
    const before = arrivals().length;
    const back = await askFor(UNTIL_TRIED_MS + 1.5 * WINDOW_MS);
    const since = arrivals().slice(before);
    const first = [...new Set(since.map(({ target }) => target))];
    const wanted = IDS.slice(0, 3).map((id) => first.findIndex((target) => target.endsWith(`/assets/${id}`)));
    const answeredAtMs = back.find(({ status }) => status === 200)?.atMs ?? Number.POSITIVE_INFINITY;
    const after = back.filter(({ atMs }) => atMs > answeredAtMs + SETTLING_MS);
    const share = after.filter(({ status }) => status === 200).length / after.length;
    const told = `${down.length} requests in the outage, ${served.length} served, ${since.length} calls after it`;
    process.stdout.write(`${told}, ${(100 * share).toFixed(0)} % answered, most wanted at places ${wanted}\n`);
    // One call tells that the upstream is back; which it is was decided before.
    expect(wanted.every((place) => place >= 0 && place < LIMIT / 2)).toBe(true);
    expect(share).toBeGreaterThan(0.8);
    expect(mostInAnySpan(arrivals(), WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
  },
);
