import { describe, expect, it } from 'vitest';
import type { Arrival } from '../../packages/sandbox/src/tokens/api.ts';
import { noteTime, noticedSince } from '../kit/event-loop.ts';
import { inSuite } from '../kit/in-suite.ts';
import { rounds } from '../kit/rounds.ts';
import { startTestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { askSigned, newSigner, signedHeader } from '../kit/wallet.ts';
import { mostInAnySpan, sleep } from './history.ts';

const LIMIT = 6;
const WINDOW_MS = 700;
const DEADLINE_MS = 400;
/** How long a slot is held if the end of its call is unknown. */
const HELD_MS = DEADLINE_MS + WINDOW_MS + WINDOW_MS / 12;
/** On a machine that is busy with something else a call can meet its short deadline, or a disk that stands still. */
const BUSY = [503, 504];
noteTime();

describe('the shared budget', () => {
  const limits = { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT), UPSTREAM_TIMEOUT_MS: String(DEADLINE_MS) };
  const gateway = inSuite(() => startTestGateway(limits, { windowMs: WINDOW_MS, ...WITHOUT_BREAKER }));

  const url = () => `${gateway.url}/v1/x402/tokens/assets/solana`;
  const statuses = async (count: number): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, () => askSigned(url()).then(({ status }) => status)));

  /** The statuses when all slots are free. Repeats if the machine was too busy. */
  async function inTime(ask: () => Promise<number[]>): Promise<number[]> {
    for (;;) {
      await sleep(HELD_MS);
      const answered = await ask();
      if (!answered.some((status) => BUSY.includes(status))) return answered;
    }
  }

  /** As many calls as there are slots, none of which is answered. */
  async function hangAll(): Promise<Arrival[]> {
    const { arrivals, faults } = gateway.upstream;
    for (;;) {
      await sleep(HELD_MS);
      const before = arrivals.length;
      faults.hang = true;
      const answered = await statuses(LIMIT);
      faults.reset();
      expect(answered.filter((status) => !BUSY.includes(status))).toEqual([]);
      if (arrivals.length === before + LIMIT) return arrivals.slice(before);
    }
  }

  function expectLimitKept(): void {
    expect(mostInAnySpan(gateway.upstream.arrivals, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
    expect(gateway.upstream.arrivals.length).toBeGreaterThan(LIMIT);
  }

  it('L1 L4 is kept under a flood of new wallets, which get 429 beyond it', async () => {
    for (let round = 0; round < rounds(10); round++) {
      const answered = await statuses(40);
      expect(answered.filter((status) => ![200, 429, ...BUSY].includes(status))).toEqual([]);
      expect(answered).toContain(429);
      await sleep(WINDOW_MS + 20);
    }
    expectLimitKept();
  });

  it('L2 is kept when bursts come before and after each edge of the window', async () => {
    for (let round = 0; round < rounds(20); round++) {
      await sleep(WINDOW_MS * (round % 2 === 0 ? 0.9 : 0.2));
      await statuses(LIMIT + 2);
      await sleep(30);
      await statuses(LIMIT + 2);
    }
    expectLimitKept();
  });

  it('L3 is kept when the upstream takes differently long', async () => {
    for (let round = 0; round < rounds(20) * 4; round++) {
      gateway.upstream.faults.delayMs = (round * 137) % 350;
      void statuses(3);
      await sleep(60);
    }
    gateway.upstream.faults.reset();
    await sleep(500);
    expectLimitKept();
  });

  it('L3 is kept when the upstream hangs: no slot frees before the deadline and a window', async () => {
    const hung = await hangAll();
    const { arrivals } = gateway.upstream;
    const before = arrivals.length;
    while (arrivals.length === before) await statuses(1);
    const earliest = Math.min(...hung.map(({ at }) => noticedSince(at, true)));
    expect((arrivals[before]?.at ?? 0) - earliest).toBeGreaterThanOrEqual(DEADLINE_MS + WINDOW_MS);
    expectLimitKept();
  });

  it('L5 may be used up by one wallet alone', async () => {
    const signer = newSigner();
    const askAll = () =>
      Promise.all(Array.from({ length: LIMIT }, async () => (await askSigned(url(), {}, signer)).status));
    expect(await inTime(askAll)).toEqual(Array(LIMIT).fill(200));
  });

  /** A request that comes when no slot is left, and its answer. */
  async function refuse(): Promise<{ readonly refused: Response; send(): Promise<Response> }> {
    for (;;) {
      expect(new Set(await inTime(() => statuses(LIMIT)))).toEqual(new Set([200]));
      const header = await signedHeader(url());
      const send = () => fetch(url(), { headers: { 'SIGN-IN-WITH-X': header } });
      const refused = await send();
      // On a busy machine a slot may be free again by then.
      if (refused.status === 429) return { refused, send };
    }
  }

  it('L6 L8 is not used by refusals, and Retry-After is when its next slot frees', async () => {
    await sleep(WINDOW_MS + 20);
    await statuses(LIMIT - 1);
    const before = gateway.upstream.arrivals.length;
    const refusals = [url(), `${url()}/nothing`, `${gateway.url}/healthz`, `${gateway.url}/v1/catalog`];
    for (let round = 0; round < rounds(100) * 5; round++) {
      await Promise.all(refusals.flatMap((refused) => [fetch(refused), fetch(refused, { method: 'OPTIONS' })]));
    }
    expect(gateway.upstream.arrivals.length).toBe(before);
    const { send, refused } = await refuse();
    expect(refused.headers.get('ratelimit')).toMatch(
      new RegExp(`^"upstream";r=0;t=${refused.headers.get('retry-after')}$`),
    );
    await sleep(Number(refused.headers.get('retry-after')) * 1000);
    expect([200, ...BUSY]).toContain((await send()).status);
  });
});

describe('the configured limit', () => {
  it.each([1, 3])('L10 of %i is honoured', async (limit) => {
    const gateway = await startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: String(limit) });
    const url = `${gateway.url}/v1/x402/tokens/assets/solana`;
    const statuses = await Promise.all(
      Array.from({ length: limit + 2 }, () => askSigned(url).then(({ status }) => status)),
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(limit);
    expect(gateway.upstream.arrivals).toHaveLength(limit);
  });
});
