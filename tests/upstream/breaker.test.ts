import { Refusal, type RefusalCode, type Route } from '@asset-gateway/protocol';
import type { PaymentPayload } from '@x402/core/types';
import { afterEach, describe, expect, it } from 'vitest';
import type { Answer, Input, UpstreamCall } from '../../packages/gateway/src/call.ts';
import { Breaker } from '../../packages/gateway/src/upstreams/breaker.ts';
import { type Ending, UpstreamRefusal } from '../../packages/gateway/src/upstreams/upstream.ts';
import { rowOf } from '../http/targets.ts';
import { standIn } from '../kit/stand-in.ts';
import {
  startSellingGateway,
  startTestGateway,
  type TestGateway,
  type TestGatewayOptions,
} from '../kit/test-gateway.ts';
import { answersWith, buys, callOf, leavesNoTrace, paymentFor, ROOMY, sendPaid } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { Caller, codeOf, HEALTH, slotsLeft, TOKENS } from './caller.ts';

const ROUTE: Route = rowOf('tokens.health');
const inputOf = (name: string) => standIn<Input>({ path: {}, query: { name }, body: {} });
const ASKED = { route: ROUTE, arrival: { hosts: [], port: 0 } };
const FINE: Answer = { json: '{}' };

const failure = (code: RefusalCode = 'upstream_error', ending: Ending = 'failed') =>
  new UpstreamRefusal(code, ending, { reason: 'told to' });

/** A pending call that the test ends. */
function later() {
  let end: { resolve: (answer: Answer) => void; reject: (error: Error) => void } | undefined;
  const promise = new Promise<Answer>((resolve, reject) => {
    end = { resolve, reject };
  });
  return { promise, resolve: () => end?.resolve(FINE), reject: (error: Error) => end?.reject(error) };
}

/** A wallet and its request. */
interface Asker {
  readonly wallet: string;
  readonly request: string;
}

let serial = 0;
const newAsker = (): Asker => ({ wallet: `wallet ${serial++}`, request: `request ${serial++}` });

const BUDGET = { key: 'b', limit: 1, windowMs: 1, inFlightMs: 1 };

/** A breaker with its own clock around a scripted upstream. */
class Bench {
  nowMs = 1_000_000;
  spent = 0;
  calls = 0;
  /** The error that taking a slot throws, if any. */
  broke: Error | undefined;
  /** The upstream's answer. */
  does: () => Promise<Answer> = async () => FINE;
  readonly breaker: Breaker;

  constructor() {
    const upstream = {
      answer: async ({ slots }: UpstreamCall): Promise<Answer> => {
        await slots.take(BUDGET);
        this.calls += 1;
        return this.does();
      },
    };
    this.breaker = new Breaker(upstream, { failures: 5, probeMs: 5_000, now: () => this.nowMs });
  }

  /** The code of the refusal, or `fine`; default: a new wallet and request. */
  async ask(asker: Asker = newAsker()): Promise<string> {
    const take = async () => {
      this.spent += 1;
      if (this.broke) throw this.broke;
      return { usedMs: 0, release: () => undefined };
    };
    try {
      await this.breaker.answer({ ...ASKED, wallet: asker.wallet, input: inputOf(asker.request), slots: { take } });
      return 'fine';
    } catch (error) {
      return error instanceof Refusal ? error.code : 'error';
    }
  }

  async asks(times: number, askers: readonly Asker[] = []): Promise<string[]> {
    const codes: string[] = [];
    for (let time = 0; time < times; time++) codes.push(await this.ask(askers[time % askers.length]));
    return codes;
  }

  fails(error: Error = failure()): this {
    this.does = () => Promise.reject(error);
    return this;
  }

  works(): this {
    this.does = async () => FINE;
    return this;
  }
}

/** A breaker that has just opened. */
async function openBench(): Promise<Bench> {
  const bench = new Bench().fails();
  await bench.asks(5);
  expect([bench.breaker.isOpen, bench.calls]).toEqual([true, 5]);
  return bench;
}

/** The Retry-After of a refusal. */
async function retryAfter(bench: Bench): Promise<number | undefined> {
  const error: unknown = await bench.breaker
    .answer({ ...ASKED, input: inputOf('x'), wallet: 'any', slots: { take: () => Promise.reject(new Error('spent')) } })
    .catch((thrown: unknown) => thrown);
  return error instanceof Refusal && error.code === 'upstream_unavailable' ? error.retryAfterSeconds : undefined;
}

describe('U10 a breaker opens', () => {
  it('after five failures in a row', async () => {
    const bench = new Bench().fails();
    expect(await bench.asks(5)).toEqual(Array(5).fill('upstream_error'));
    expect(await bench.ask()).toBe('upstream_unavailable');
    expect([bench.calls, bench.spent]).toEqual([5, 5]);
  });

  it('not if a success comes in between', async () => {
    const bench = new Bench();
    for (let round = 0; round < 10; round++) {
      await bench.fails().asks(4);
      expect(await bench.works().ask()).toBe('fine');
    }
    expect([bench.breaker.isOpen, bench.calls]).toEqual([false, 50]);
  });

  const FAILURES: readonly [RefusalCode, Ending][] = [
    ['upstream_unreachable', 'failed'],
    ['upstream_unreachable', 'lost'],
    ['upstream_invalid_response', 'failed'],
    ['upstream_redirect', 'failed'],
  ];
  it.each(FAILURES)('by %s, %s', async (code, ending) => {
    const bench = new Bench().fails(failure(code, ending));
    expect(await bench.asks(6)).toEqual([...Array(5).fill(code), 'upstream_unavailable']);
  });

  const ANSWERS: readonly RefusalCode[] = ['upstream_rejected', 'upstream_auth_failed', 'upstream_rate_limited'];
  it.each([...ANSWERS, 'upstream_error'] as const)('never by %s about one request', async (code) => {
    const bench = new Bench().fails(failure(code, 'answered'));
    expect(new Set(await bench.asks(20))).toEqual(new Set([code]));
    await bench.fails().asks(4);
    await bench.fails(failure(code, 'answered')).ask();
    expect(await bench.fails().asks(5)).not.toContain('upstream_unavailable');
  });

  it.each<[string, Error]>([
    ['a refusal by spend', new Refusal('rate_limited')],
    ['a pause that spend tells of', new Refusal('upstream_rate_limited')],
    ['a fault of our own', new Error('ours')],
  ])('never by %s, which is no success either', async (_, error) => {
    const bench = new Bench().fails();
    await bench.asks(4);
    bench.broke = error;
    await bench.asks(20);
    expect([bench.breaker.isOpen, bench.calls]).toEqual([false, 4]);
    bench.broke = undefined;
    await bench.ask();
    expect([bench.breaker.isOpen, bench.calls]).toEqual([true, 5]);
  });
});

describe('V9 a breaker does not open for the failures of a few clients', () => {
  const [a, b, c] = [newAsker(), newAsker(), newAsker()];

  it.each([
    ['often two wallets fail with different requests', 'wallet'],
    ['many wallets fail with the same two requests', 'request'],
  ] as const)('however %s', async (_, same) => {
    const bench = new Bench().fails();
    for (let time = 0; time < 50; time++) await bench.ask({ ...newAsker(), [same]: (time % 2 ? a : b)[same] });
    expect([bench.breaker.isOpen, bench.calls]).toEqual([false, 50]);
    await bench.ask(c);
    expect(bench.breaker.isOpen).toBe(true);
  });

  it('before the tenth timeout, each of which counts half', async () => {
    const bench = new Bench().fails(failure('upstream_timeout'));
    await bench.asks(9);
    expect(bench.breaker.isOpen).toBe(false);
    await bench.ask();
    expect([bench.breaker.isOpen, bench.calls]).toEqual([true, 10]);
  });

  it('and gives no client two probes in a row while others wait', async () => {
    const bench = await openBench();
    bench.nowMs += 5_000;
    expect(await bench.ask(a)).toBe('upstream_error');
    expect(await bench.ask(b)).toBe('upstream_unavailable');
    bench.nowMs += 5_000;
    expect(await bench.asks(5, [a])).toEqual(Array(5).fill('upstream_unavailable'));
    expect(await bench.works().ask(b)).toBe('fine');
    expect(bench.breaker.isOpen).toBe(false);
  });

  it('but a client that asks alone gets every probe', async () => {
    const bench = await openBench();
    for (let round = 0; round < 3; round++) {
      bench.nowMs += 5_000;
      expect(await bench.ask(a)).toBe('upstream_error');
      expect(await bench.ask(a)).toBe('upstream_unavailable');
    }
  });
});

describe('U10 an open breaker', () => {
  it('spends nothing, and sets Retry-After', async () => {
    const bench = await openBench();
    for (const [elapsed, seconds] of Object.entries({ 0: 5, 1000: 4, 4999: 1 })) {
      bench.nowMs = 1_000_000 + Number(elapsed);
      expect(await retryAfter(bench)).toBe(seconds);
    }
    expect([bench.calls, bench.spent]).toEqual([5, 5]);
  });

  it('lets exactly one request through every five seconds', async () => {
    const bench = await openBench();
    for (let round = 1; round <= 3; round++) {
      bench.nowMs += 5_000;
      const codes = await Promise.all(Array.from({ length: 50 }, () => bench.ask()));
      expect(codes.filter((code) => code === 'upstream_error')).toHaveLength(1);
      expect(codes.filter((code) => code === 'upstream_unavailable')).toHaveLength(49);
      bench.nowMs += 4_999;
      expect(await bench.ask()).toBe('upstream_unavailable');
      bench.nowMs -= 4_999;
      expect(bench.calls).toBe(5 + round);
    }
  });

  it('closes at the first success', async () => {
    const bench = await openBench();
    bench.nowMs += 5_000;
    expect(await bench.works().ask()).toBe('fine');
    expect(await bench.asks(10)).toEqual(Array(10).fill('fine'));
    expect(await bench.fails().asks(5)).not.toContain('upstream_unavailable');
    expect(await bench.ask()).toBe('upstream_unavailable');
  });

  it('closes at a refusal of one request', async () => {
    const bench = await openBench();
    bench.nowMs += 5_000;
    expect(await bench.fails(failure('upstream_rejected', 'answered')).ask()).toBe('upstream_rejected');
    expect(await bench.works().ask()).toBe('fine');
  });

  it.each<[string, Error]>([
    ['spend refuses', new Refusal('rate_limited')],
    ['its payment is refused', new Refusal('payment_rejected')],
    ['something of ours fails', new Error('ours')],
  ])('passes the probe to the next request if %s', async (_, error) => {
    const bench = await openBench();
    bench.nowMs += 5_000;
    bench.broke = error;
    await bench.asks(3);
    expect([bench.spent, bench.calls, bench.breaker.isOpen]).toEqual([8, 5, true]);
    bench.broke = undefined;
    expect(await bench.works().ask()).toBe('fine');
    expect([bench.calls, bench.breaker.isOpen]).toEqual([6, false]);
  });

  it('lets a client whose probe made no call try again, though others wait', async () => {
    const bench = await openBench();
    const [a, b] = [newAsker(), newAsker()];
    bench.nowMs += 5_000;
    bench.broke = new Refusal('rate_limited');
    expect(await Promise.all([bench.ask(a), bench.ask(b)])).toEqual(['rate_limited', 'upstream_unavailable']);
    bench.broke = undefined;
    expect(await bench.works().ask(a)).toBe('fine');
    expect([bench.calls, bench.breaker.isOpen]).toEqual([6, false]);
  });

  it('refuses others while its probe is pending', async () => {
    const bench = await openBench();
    bench.nowMs += 5_000;
    const { promise, resolve } = later();
    bench.does = () => promise;
    const probe = bench.ask();
    expect(await bench.asks(10)).toEqual(Array(10).fill('upstream_unavailable'));
    resolve();
    expect(await probe).toBe('fine');
    expect(bench.breaker.isOpen).toBe(false);
  });

  it('is not extended by calls that started before it opened', async () => {
    const bench = new Bench();
    const { promise, reject } = later();
    bench.does = () => promise;
    const late = bench.ask();
    await new Promise(setImmediate);
    await bench.fails().asks(5);
    expect([bench.calls, bench.breaker.isOpen]).toEqual([6, true]);
    bench.nowMs += 4_000;
    reject(failure());
    expect(await late).toBe('upstream_error');
    bench.nowMs += 1_000;
    expect(await bench.works().ask()).toBe('fine');
  });
});

const LIMIT = 100_000;
const open = (variables = {}, options: TestGatewayOptions = {}) =>
  startTestGateway(variables, { windowMs: 3_600_000, ...options });

/** A breaker clock that the test sets. */
function handClock() {
  const clock = { nowMs: 50_000, breaker: { now: () => clock.nowMs } };
  return clock;
}

/** A gateway whose breaker has just opened, and its clock. */
async function openFailing() {
  const clock = handClock();
  const gateway = await open({}, clock);
  gateway.upstream.faults.status = 500;
  await fail(gateway);
  return { clock, gateway };
}

const TARGETS = [HEALTH, `${TOKENS}/assets/solana`, `${TOKENS}/assets/gold`];

/** Failing requests of different wallets for three targets, so that no single client causes them. */
async function fail(gateway: TestGateway, times = 5): Promise<string[]> {
  const codes: string[] = [];
  for (let time = 0; time < times; time++) {
    const target = TARGETS[time % TARGETS.length] ?? HEALTH;
    codes.push(codeOf(await new Caller(gateway).ask({ target })));
  }
  return codes;
}

describe('U10 while the breaker is open', () => {
  it('no sign-in and no slot is used up, and those sign-ins work later', async () => {
    const { clock, gateway } = await openFailing();
    const caller = new Caller(gateway);
    const signIns = await Promise.all(Array.from({ length: 20 }, () => caller.signIn()));
    for (const signIn of signIns) {
      const refused = await caller.askWith(signIn, { target: HEALTH });
      expect(codeOf(refused)).toBe('503 upstream_unavailable');
      expect(refused.headers.get('replay-nonce')).toMatch(/^[0-9a-f]{32}$/);
      expect(slotsLeft(refused)).toBe(LIMIT - 5);
    }
    expect(gateway.upstream.arrivals).toHaveLength(5);
    gateway.upstream.faults.reset();
    clock.nowMs += 5_000;
    for (const signIn of signIns) {
      expect(codeOf(await caller.askWith(signIn, { target: HEALTH }))).toBe('200 ok');
    }
    expect(gateway.upstream.arrivals).toHaveLength(25);
    const [first = {}] = signIns;
    expect(codeOf(await caller.askWith(first, { target: HEALTH }))).toBe('402 invalid_siwx_nonce');
  });

  it('an invalid parameter is still a 400, and a 429 of the upstream pauses it', async () => {
    const { clock, gateway } = await openFailing();
    expect((await new Caller(gateway).ask({ target: `${HEALTH}?x=1` })).status).toBe(400);
    clock.nowMs += 5_000;
    Object.assign(gateway.upstream.faults, { status: 429, retryAfter: '30' });
    expect(await fail(gateway, 3)).toEqual(Array.from({ length: 3 }, () => '503 upstream_rate_limited'));
    expect(gateway.upstream.arrivals).toHaveLength(6);
  });
});

const RPC = callOf('rpc.mainnet.helius.getBalance');
/** On the same channel. */
const OTHERS = ['getAccountInfo', 'getTransaction'].map((method) => callOf(`rpc.mainnet.helius.${method}`));
const DAS = callOf('das.mainnet.helius.getAsset');

const clock = { nowMs: 50_000 };
const seller = await startSellingGateway(ROOMY, { breaker: { now: () => clock.nowMs } });
const wallets = await Promise.all(Array.from({ length: 4 }, () => openWallet(seller.solana)));
const [wallet, ...unlucky] = wallets as [Wallet, ...Wallet[]];

/** Opens the breaker of the RPC. */
async function openBreaker(knobs: object = { status: 500 }): Promise<void> {
  Object.assign(seller.solana.provider.faults, knobs);
  for (const [time, call] of [RPC, ...OTHERS, RPC, RPC].entries()) {
    const payment = await paymentFor(seller, call, unlucky[time % unlucky.length] as Wallet);
    await answersWith(502, 'upstream_error', 'unused', sendPaid(seller, call, payment));
  }
  seller.solana.provider.faults.reset();
}

/** Expects that the open breaker refuses a payment; default: a new one. */
const refuses = async (payment?: PaymentPayload) =>
  answersWith(
    503,
    'upstream_unavailable',
    'unused',
    sendPaid(seller, RPC, payment ?? (await paymentFor(seller, RPC, wallet))),
  );

const buysFresh = async (call = RPC): Promise<unknown> => buys(seller, call, await paymentFor(seller, call, wallet));

describe.sequential('U10 the breaker of a paid upstream', () => {
  afterEach(async () => {
    clock.nowMs += 5_000;
    await buysFresh();
  });

  it('refuses without verifying or settling; the payment works later', async () => {
    await openBreaker();
    const payment = await paymentFor(seller, RPC, wallet);
    expect(await leavesNoTrace(seller, () => refuses(payment))).toMatchObject({ retryAfterSeconds: 5 });
    clock.nowMs += 5_000;
    await buys(seller, RPC, payment);
  });

  it('leaves other surfaces of the same URL open', async () => {
    await openBreaker();
    await refuses();
    await buysFresh(DAS);
  });

  it('does not open for errors that depend on the request', async () => {
    await openBreaker();
    clock.nowMs += 5_000;
    seller.solana.provider.faults.jsonRpcError = { code: -32016, message: 'Minimum context slot has not been reached' };
    for (let time = 0; time < 7; time++) {
      const payment = await paymentFor(seller, RPC, wallet);
      await answersWith(422, 'upstream_rejected', 'unused', sendPaid(seller, RPC, payment));
    }
    seller.solana.provider.faults.reset();
    await buysFresh();
  });

  it('opens for a node that is behind, which asks for no pause', async () => {
    await openBreaker({ jsonRpcError: { code: -32005, message: 'Node is behind by 104 slots' } });
    await refuses();
  });
});
