import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, PATIENT, startHouse } from '../kit/house.ts';
import { rounds } from '../kit/rounds.ts';
import { askSigned, newSigner, signedHeader } from '../kit/wallet.ts';
import { mostInAnySpan, sleep } from './history.ts';

const LIMIT = 6;
const WINDOW_MS = 700;

describe('the shared budget under', () => {
  let house: House;
  beforeAll(async () => {
    house = await startHouse(
      { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT), UPSTREAM_TIMEOUT_MS: '400' },
      { windowMs: WINDOW_MS, ...PATIENT },
    );
  });
  afterAll(() => house.stop());

  const url = () => `${house.url}/v1/x402/tokens/assets/solana`;
  const statuses = async (count: number): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, () => askSigned(url()).then(({ status }) => status)));

  function expectLimitKept(): void {
    expect(mostInAnySpan(house.upstream.arrivals, WINDOW_MS)).toBeLessThanOrEqual(LIMIT);
    expect(house.upstream.arrivals.length).toBeGreaterThan(LIMIT);
  }

  it('L1 L4 a flood of new wallets', async () => {
    for (let round = 0; round < rounds(10); round++) {
      const answered = await statuses(40);
      // On a machine that is busy with something else a call can also meet its short deadline, or a disk that stands still.
      expect(answered.filter((status) => ![200, 429, 503, 504].includes(status))).toEqual([]);
      expect(answered).toContain(429);
      await sleep(WINDOW_MS + 20);
    }
    expectLimitKept();
  });

  it('L2 bursts before and after each edge of the window', async () => {
    for (let round = 0; round < rounds(20); round++) {
      await sleep(WINDOW_MS * (round % 2 === 0 ? 0.9 : 0.2));
      await statuses(LIMIT + 2);
      await sleep(30);
      await statuses(LIMIT + 2);
    }
    expectLimitKept();
  });

  it('L3 an upstream that takes differently long', async () => {
    for (let round = 0; round < rounds(20) * 4; round++) {
      house.upstream.faults.delayMs = (round * 137) % 350;
      void statuses(3);
      await sleep(60);
    }
    house.upstream.faults.reset();
    await sleep(500);
    expectLimitKept();
  });

  it('L3 an upstream that hangs until the deadline', async () => {
    await sleep(WINDOW_MS);
    house.upstream.faults.hang = true;
    expect(new Set(await statuses(LIMIT))).toEqual(new Set([504]));
    house.upstream.faults.reset();
    await sleep(WINDOW_MS - 400);
    expect(new Set(await statuses(2))).toEqual(new Set([429]));
    await sleep(500);
    expect(new Set(await statuses(2))).toEqual(new Set([200]));
    expectLimitKept();
  });

  it('L5 one wallet may take it all: the budget is shared', async () => {
    await sleep(WINDOW_MS + 450);
    const signer = newSigner();
    const answers = await Promise.all(Array.from({ length: LIMIT }, () => askSigned(url(), {}, signer)));
    expect(answers.map(({ status }) => status)).toEqual(Array(LIMIT).fill(200));
  });

  it('L6 L8 refusals cost nothing, and Retry-After is when the next slot frees', async () => {
    await sleep(WINDOW_MS + 20);
    await statuses(LIMIT - 1);
    const before = house.upstream.arrivals.length;
    const refusals = [url(), `${url()}/nothing`, `${house.url}/healthz`, `${house.url}/v1/catalog`];
    for (let round = 0; round < rounds(100) * 5; round++) {
      await Promise.all(refusals.flatMap((refused) => [fetch(refused), fetch(refused, { method: 'OPTIONS' })]));
    }
    expect(house.upstream.arrivals.length).toBe(before);
    await sleep(WINDOW_MS + 20);
    expect(new Set(await statuses(LIMIT))).toEqual(new Set([200]));
    const header = await signedHeader(url());
    const send = () => fetch(url(), { headers: { 'SIGN-IN-WITH-X': header } });
    const refused = await send();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('ratelimit')).toMatch(
      new RegExp(`^"upstream";r=0;t=${refused.headers.get('retry-after')}$`),
    );
    await sleep(Number(refused.headers.get('retry-after')) * 1000);
    expect((await send()).status).toBe(200);
  });
});
