import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { InFlight } from '../../packages/gateway/src/budget/in-flight.ts';
import { SlotTaker } from '../../packages/gateway/src/budget/slot-taker.ts';
import type { SlotAttempt, Store } from '../../packages/gateway/src/budget/store.ts';
import { standIn } from '../kit/stand-in.ts';
import { startSellingGateway, startTestGateway, type TestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { callOf, leaves, paymentFor, ROOMY, sendPaid } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { type Answered, Caller, codeOf, HEALTH, JSON_BODY, SNAPSHOTS, slotsLeft } from './caller.ts';
import { plainAnswer, type Reply, startTrap } from './trap.ts';

const LIMIT = 100_000;
const CROWD = 16;
const FINE = plainAnswer('200 OK', ['Content-Type: application/json'], '{"ok":true}');
const open = (variables = {}) => startTestGateway(variables, { windowMs: 3_600_000, ...WITHOUT_BREAKER });

/** A gateway and its upstream. */
async function openTrap(reply: Reply, variables = {}) {
  const trap = await startTrap(reply);
  return { trap, gateway: await open({ TOKENS_API_BASE_URL: trap.url, ...variables }) };
}

const ask = (gateway: TestGateway, method = 'GET'): Promise<Answered> =>
  new Caller(gateway).ask({ method, target: HEALTH });
/** Slots taken, by the last answer. */
const slotsTaken = (answer: Answered | undefined): number => LIMIT - (answer ? (slotsLeft(answer) ?? 0) : 0);

describe('U18 an upstream that closes its connections after each third answer', () => {
  it('concurrent requests: no error', async () => {
    const gateway = await open();
    gateway.upstream.faults.closeAfter = 3;
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(Array.from({ length: 40 }, () => ask(gateway)));
      expect(new Set(answers.map(codeOf))).toEqual(new Set(['200 ok']));
    }
    expect(gateway.upstream.arrivals).toHaveLength(200);
  });

  it('each fourth request is lost: it is sent again, on a new slot', async () => {
    const { trap, gateway } = await openTrap((socket, request) => {
      if (request <= 3) socket.write(FINE);
      else socket.destroy();
    });
    const answers: Answered[] = [];
    for (let round = 0; round < 30; round++) answers.push(await ask(gateway));
    expect(new Set(answers.map(codeOf))).toEqual(new Set(['200 ok']));
    // Each fourth request on a connection is lost: 9 of 30.
    expect(trap.heard).toHaveLength(39);
    expect(slotsTaken(answers.at(-1))).toBe(39);
  });

  it('all connections lost at once: each request is sent again', async () => {
    const [first, second]: readonly [Socket[], Socket[]] = [[], []];
    const { trap, gateway } = await openTrap((socket, request) => {
      if (second.length === CROWD) socket.write(FINE);
      else if (request === 1 && first.push(socket) === CROWD) for (const each of first) each.write(FINE);
      else if (request === 2 && second.push(socket) === CROWD) for (const each of second) each.destroy();
    });
    const together = () => Promise.all(Array.from({ length: CROWD }, () => ask(gateway)));
    expect(new Set((await together()).map(codeOf))).toEqual(new Set(['200 ok']));
    expect([trap.connections(), trap.heard.length]).toEqual([CROWD, CROWD]);
    expect(new Set((await together()).map(codeOf))).toEqual(new Set(['200 ok']));
    expect(trap.heard).toHaveLength(3 * CROWD);
  });

  it('a reset: HEAD is sent again like GET', async () => {
    const { trap, gateway } = await openTrap((socket, request) => {
      if (request === 1) socket.write(FINE);
      else socket.resetAndDestroy();
    });
    for (const method of ['GET', 'HEAD', 'HEAD']) expect((await ask(gateway, method)).status).toBe(200);
    expect(trap.heard).toHaveLength(5);
  });
});

describe('U18 a request is not sent again', () => {
  it('more than once', async () => {
    const { trap, gateway } = await openTrap((socket) => socket.destroy());
    const answer = await ask(gateway);
    expect(codeOf(answer)).toBe('502 upstream_unreachable');
    expect([trap.heard.length, slotsTaken(answer)]).toEqual([2, 2]);
  });

  it('after a double loss, until the upstream answers', async () => {
    let isUp = false;
    const { trap, gateway } = await openTrap((socket, request) => {
      if (isUp && request === 1) socket.write(FINE);
      else socket.destroy();
    });
    const heardFor = async () => {
      const before = trap.heard.length;
      return [codeOf(await ask(gateway)), trap.heard.length - before];
    };
    const lost = '502 upstream_unreachable';
    for (const calls of [2, 1, 1]) expect(await heardFor()).toEqual([lost, calls]);
    isUp = true;
    for (const calls of [1, 2]) expect(await heardFor()).toEqual(['200 ok', calls]);
  });

  it('if the budget is empty: upstream_unreachable, not rate_limited', async () => {
    const { trap, gateway } = await openTrap((socket) => socket.destroy(), { TOKENS_RATE_LIMIT_PER_MINUTE: '1' });
    const answer = await ask(gateway);
    expect(codeOf(answer)).toBe('502 upstream_unreachable');
    expect(answer.headers.has('retry-after')).toBe(false);
    expect([trap.heard.length, slotsLeft(answer)]).toEqual([1, 0]);
    expect(codeOf(await ask(gateway))).toBe('429 rate_limited');
    expect(trap.heard).toHaveLength(1);
  });

  it('if it is a POST', async () => {
    const { trap, gateway } = await openTrap((socket) => socket.destroy());
    const post = { method: 'POST', target: SNAPSHOTS, headers: JSON_BODY, body: '{"mints":["a"]}' };
    const answer = await new Caller(gateway).ask(post);
    expect(codeOf(answer)).toBe('502 upstream_unreachable');
    expect([trap.heard.length, slotsTaken(answer)]).toEqual([1, 1]);
  });

  it.each<[string, string]>([
    ['one byte', 'H'],
    ['half a head', 'HTTP/1.1 200 OK\r\nContent-'],
    ['an early hint', 'HTTP/1.1 103 Early Hints\r\n\r\n'],
    ['half a body', FINE.slice(0, -3)],
  ])('after %s of an answer', async (_, bytes) => {
    const { trap, gateway } = await openTrap((socket) => socket.end(bytes));
    const answer = await ask(gateway);
    expect(codeOf(answer)).toBe('502 upstream_invalid_response');
    expect([trap.heard.length, slotsTaken(answer)]).toEqual([1, 1]);
  });

  it('after a timeout, or if it was never written', async () => {
    const { trap, gateway } = await openTrap(() => undefined, { UPSTREAM_TIMEOUT_MS: '200' });
    const slow = await ask(gateway);
    expect([codeOf(slow), trap.heard.length, slotsTaken(slow)]).toEqual(['504 upstream_timeout', 1, 1]);
    const elsewhere = await open({ TOKENS_API_BASE_URL: 'http://127.0.0.1:1' });
    const unreached = await ask(elsewhere);
    expect([codeOf(unreached), slotsTaken(unreached)]).toEqual(['502 upstream_unreachable', 1]);
  });
});

it('U18 a resent request uses up its sign-in once', async () => {
  const { trap, gateway } = await openTrap((socket, request) => {
    if (request % 2 === 1) socket.write(FINE);
    else socket.destroy();
  });
  const caller = new Caller(gateway);
  await caller.ask({ target: HEALTH });
  const signIn = await caller.signIn();
  expect(codeOf(await caller.askWith(signIn, { target: HEALTH }))).toBe('200 ok');
  expect(trap.heard).toHaveLength(3);
  expect(codeOf(await caller.askWith(signIn, { target: HEALTH }))).toBe('402 invalid_siwx_nonce');
  expect(trap.heard).toHaveLength(3);
});

it('U18 a paid GET whose connection was lost is sent again, and paid once', async () => {
  const gateway = await startSellingGateway(ROOMY);
  const wallet = await openWallet(gateway.solana);
  const call = callOf('wallet.mainnet.helius.balances');
  Object.assign(gateway.solana.provider.faults, { resetConnection: true, times: 1 });
  const payment = await paymentFor(gateway, call, wallet);
  const bought = await leaves(gateway, { transfers: 1, arrivals: 2 }, () => sendPaid(gateway, call, payment));
  expect(bought.status).toBe(200);
});

describe('the calls in flight of a provider', () => {
  it('W7 are counted for their cluster and for all, and both are free again when a call is over', () => {
    const all = new InFlight(3);
    const [mainnet, devnet] = [new InFlight(3, { within: all }), new InFlight(1, { within: all })];
    devnet.enter('first');
    expect([devnet.isFreeFor(), mainnet.isFreeFor()]).toEqual([false, true]);
    for (const owner of ['second', 'third']) mainnet.enter(owner);
    expect([mainnet.isFreeFor(), all.isFreeFor()]).toEqual([false, false]);
    mainnet.leave('second');
    expect([devnet.isFreeFor(), mainnet.isFreeFor()]).toEqual([false, true]);
    devnet.leave('first');
    expect([devnet.isFreeFor(), mainnet.isFreeFor(), all.isFreeFor()]).toEqual([true, true, true]);
  });

  it('W7 are limited for each wallet', () => {
    const room = new InFlight(4, { ofWallet: 2 });
    for (const owner of ['first', 'second']) room.enter(owner, 'wallet');
    expect([room.isFreeFor('wallet'), room.isFreeFor('other'), room.isFreeFor()]).toEqual([false, true, true]);
    room.leave('first');
    expect(room.isFreeFor('wallet')).toBe(true);
  });

  it('W7 are over if the store fails after it has given a place', async () => {
    const room = new InFlight(1);
    const admit = async ({ owner }: SlotAttempt) => {
      room.enter(owner);
      throw new Error('the disk is full');
    };
    const view = () => ({ left: 0, resetMs: 0, pauseMs: 0 });
    const allowance = { limit: 1, windowMs: 1, view, judge: async () => undefined };
    const store = standIn<Store>({ admit });
    const dependencies = { store, allowance, inFlightLimit: room, randomId: () => 'owner' };
    const slots = new SlotTaker(dependencies, {}, { requestId: '', client: '' });
    await expect(slots.take({ key: '', limit: 1, windowMs: 1, inFlightMs: 1 })).rejects.toThrow('the disk is full');
    expect(room.isFreeFor()).toBe(true);
  });

  it('W7 count an owner once, however often it takes its place and leaves it', () => {
    const room = new InFlight(2, { ofWallet: 1, within: new InFlight(2) });
    for (let time = 0; time < 3; time++) room.enter('one', 'wallet');
    expect([room.isFreeFor(), room.isFreeFor('wallet')]).toEqual([true, false]);
    for (let time = 0; time < 3; time++) room.leave('one');
    for (const owner of ['two', 'three']) room.enter(owner);
    expect([room.isFreeFor(), room.isFreeFor('wallet')]).toEqual([false, false]);
    for (const owner of ['two', 'three']) room.leave(owner);
    expect(room.isFreeFor('wallet')).toBe(true);
  });
});
