import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { expectInTable } from '../http/error-table.ts';
import { seen } from '../http/wire.ts';
import { startTestGateway, type TestGateway, type TestGatewayOptions } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { type Answered, slotsLeft } from './exchange.ts';
import { startTrap } from './trap.ts';
import { HEALTH, JSON_BODY, SNAPSHOTS, TOKENS, Visitor } from './visitor.ts';

const LIMIT = 100_000;

const houses: TestGateway[] = [];
afterAll(() => Promise.all(houses.map((house) => house.stop())));

async function open(variables = {}, options: TestGatewayOptions = {}): Promise<TestGateway> {
  const house = await startTestGateway(variables, { windowMs: 3_600_000, ...options });
  houses.push(house);
  return house;
}

/** A clock for breakers, set by hand. */
function handClock() {
  const clock = { nowMs: 50_000, breaker: { now: () => clock.nowMs } };
  return clock;
}

const codeOf = ({ status, json }: Answered): string => `${status} ${json.error ?? 'ok'}`;

const TARGETS = [HEALTH, `${TOKENS}/assets/solana`, `${TOKENS}/assets/gold`];

/** A new wallet each time, and three requests in turn: nothing that a single caller could be the cause of. */
async function fail(house: TestGateway, times = 5): Promise<string[]> {
  const codes: string[] = [];
  for (let time = 0; time < times; time++) {
    const target = TARGETS[time % TARGETS.length] ?? HEALTH;
    codes.push(codeOf(await new Visitor(house).ask({ target })));
  }
  return codes;
}

const several = <T>(times: number, value: T): T[] => Array.from({ length: times }, () => value);
const five = <T>(value: T): T[] => several(5, value);

/** Nobody listens there any more. */
async function deadUrl(): Promise<string> {
  const gone = await startTrap(() => undefined);
  await gone.close();
  return gone.url;
}

describe('U10 an upstream that fails five times in a row is left alone', () => {
  it.each<[string, object, string]>([
    ['5xx', { status: 503 }, '502 upstream_error'],
    ['nonsense', { body: 'not JSON' }, '502 upstream_invalid_response'],
    ['cut short', { truncate: 0.5 }, '502 upstream_invalid_response'],
    ['a redirect', { redirect: '/maintenance' }, '502 upstream_redirect'],
  ])('%s', async (_, knobs, code) => {
    const house = await open({}, handClock());
    Object.assign(house.upstream.faults, knobs);
    expect(await fail(house)).toEqual(five(code));
    expect(await fail(house)).toEqual(five('503 upstream_unavailable'));
    expect(house.upstream.arrivals).toHaveLength(5);
  });

  it('silence, which counts half', async () => {
    const house = await open({ UPSTREAM_TIMEOUT_MS: '200' }, handClock());
    house.upstream.faults.hang = true;
    expect(await fail(house, 10)).toEqual(several(10, '504 upstream_timeout'));
    expect(await fail(house)).toEqual(five('503 upstream_unavailable'));
    expect(house.upstream.arrivals).toHaveLength(10);
  });

  it('nobody listens', async () => {
    const house = await open({ TOKENS_API_BASE_URL: await deadUrl() });
    expect(await fail(house)).toEqual(five('502 upstream_unreachable'));
    expect(await fail(house)).toEqual(five('503 upstream_unavailable'));
  });

  it.each<[string, object, string]>([
    ['404', { status: 404 }, '404 upstream_rejected'],
    ['our key refused', { status: 401 }, '502 upstream_auth_failed'],
    ['another 4xx', { status: 414 }, '502 upstream_error'],
  ])('but not one that answers: %s', async (_, knobs, code) => {
    const house = await open();
    Object.assign(house.upstream.faults, knobs);
    expect(new Set(await fail(house, 12))).toEqual(new Set([code]));
    expect(house.upstream.arrivals).toHaveLength(12);
  });

  it('whatever the route: the refusals of all of them are in the contract, and say when to come again', async () => {
    const house = await open({}, handClock());
    house.upstream.faults.status = 500;
    await fail(house);
    for (const target of [HEALTH, `${TOKENS}/assets/solana`, `${TOKENS}/assets/search?q=sol`]) {
      const answer = await seen(await askSigned(house.url + target));
      expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
      expectInTable(answer);
    }
    const init = { method: 'POST', headers: JSON_BODY, body: '{"mints":["a"]}' };
    expectInTable(await seen(await askSigned(house.url + SNAPSHOTS, init)));
    expect(house.upstream.arrivals).toHaveLength(5);
    const challenge = await seen(await fetch(house.url + HEALTH));
    expect(challenge.status).toBe(402);
  });
});

describe('U10 while it is left alone', () => {
  it('neither a sign-in nor a slot is used up, and what was not used up works when it is back', async () => {
    const clock = handClock();
    const house = await open({}, clock);
    house.upstream.faults.status = 500;
    await fail(house);
    const visitor = new Visitor(house);
    const signIns = await Promise.all(Array.from({ length: 20 }, () => visitor.signIn()));
    for (const signIn of signIns) {
      const refused = await visitor.askWith(signIn, { target: HEALTH });
      expect(codeOf(refused)).toBe('503 upstream_unavailable');
      expect(refused.headers.get('replay-nonce')).toMatch(/^[0-9a-f]{32}$/);
      expect(slotsLeft(refused)).toBe(LIMIT - 5);
    }
    expect(house.upstream.arrivals).toHaveLength(5);
    house.upstream.faults.reset();
    clock.nowMs += 5_000;
    for (const signIn of signIns) {
      expect(codeOf(await visitor.askWith(signIn, { target: HEALTH }))).toBe('200 ok');
    }
    expect(house.upstream.arrivals).toHaveLength(25);
    const [first = {}] = signIns;
    expect(codeOf(await visitor.askWith(first, { target: HEALTH }))).toBe('402 invalid_siwx_nonce');
  });

  it('one of many is let through every five seconds, and what spending refuses does not count as that one', async () => {
    const clock = handClock();
    const house = await open({}, clock);
    house.upstream.faults.status = 500;
    await fail(house);
    const visitor = new Visitor(house);
    for (let round = 1; round <= 2; round++) {
      clock.nowMs += 5_000;
      const asked = await Promise.all(Array.from({ length: 20 }, () => visitor.ask({ target: HEALTH })));
      expect(asked.map(codeOf).filter((code) => code === '502 upstream_error')).toHaveLength(1);
      expect(house.upstream.arrivals).toHaveLength(5 + round);
    }
    house.upstream.faults.reset();
    clock.nowMs += 5_000;
    const used = await visitor.signIn();
    await visitor.askWith(used, { target: HEALTH });
    house.upstream.faults.status = 500;
    await fail(house);
    clock.nowMs += 5_000;
    expect(codeOf(await visitor.askWith(used, { target: HEALTH }))).toBe('402 invalid_siwx_nonce');
    house.upstream.faults.reset();
    expect(codeOf(await visitor.ask({ target: HEALTH }))).toBe('200 ok');
  });

  it('a refused parameter is still a 400, and a 429 of the upstream closes it and pauses', async () => {
    const clock = handClock();
    const house = await open({}, clock);
    house.upstream.faults.status = 500;
    await fail(house);
    expect((await new Visitor(house).ask({ target: `${HEALTH}?x=1` })).status).toBe(400);
    clock.nowMs += 5_000;
    Object.assign(house.upstream.faults, { status: 429, retryAfter: '30' });
    expect(await fail(house, 3)).toEqual([...Array.from({ length: 3 }, () => '503 upstream_rate_limited')]);
    expect(house.upstream.arrivals).toHaveLength(6);
  });

  it('it is served again when the refusal said, by the real clock', async () => {
    const house = await open();
    house.upstream.faults.status = 500;
    await fail(house);
    const refused = await new Visitor(house).ask({ target: HEALTH });
    expect(codeOf(refused)).toBe('503 upstream_unavailable');
    house.upstream.faults.reset();
    await wait((refused.json.retryAfterSeconds ?? 0) * 1_000);
    expect(codeOf(await new Visitor(house).ask({ target: HEALTH }))).toBe('200 ok');
    expect(house.upstream.arrivals).toHaveLength(6);
  });
});
