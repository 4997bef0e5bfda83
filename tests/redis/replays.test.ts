import { signIn } from '@asset-gateway/client';
import { newSigner } from '@asset-gateway/client/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sleep } from '../budget/history.ts';
import { freePort } from '../http/ports.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { startTcpProxy, type TcpProxy } from '../kit/tcp-proxy.ts';
import { challengeFor } from '../kit/wallet.ts';
import { type Answered, askWith, codesOf, newPath } from './asking.ts';
import { type Fleet, openFleet } from './fleet.ts';

/** What clients sign for, whichever node they reach. */
const ORIGIN = 'http://gateway.example';
const [LIMIT, WINDOW_MS, DEADLINE_MS] = [16, 1_000, 2_000];
const HELD_MS = WINDOW_MS + DEADLINE_MS + WINDOW_MS / 12;
const [HONEST, REPLAYS] = [4, 40];
/** So long every reply of Redis is on its way: what is asked together is then under way together. */
const DELAY_MS = 100;
/** More than the 64 calls that a node keeps in flight. */
const FLOOD = 200;
/** Where the machine is so busy that it has to be tried again. */
const LONG = { timeout: 120_000 };
const REPLAYED = '402 invalid_siwx_nonce';

/** A request that can be sent to any node. */
interface SignedRequest {
  readonly path: string;
  readonly header: string;
}

redisSuite('V13 replays beside honest sign-ins', () => {
  let redis: RedisServer;
  let proxy: TcpProxy;
  let fleet: Fleet;
  let node: string;
  let other: string;
  /** With a database of its own, and slots for everybody. */
  let roomy: string;
  beforeAll(async () => {
    redis = await startRedis();
    proxy = await startTcpProxy(redis.port);
    fleet = await openFleet({ redisUrl: redis.url, windowMs: WINDOW_MS });
    const limit = { TOKENS_RATE_LIMIT_PER_MINUTE: String(LIMIT), UPSTREAM_TIMEOUT_MS: String(DEADLINE_MS) };
    node = await start({ REDIS_URL: `redis://127.0.0.1:${proxy.port}`, ...limit });
    other = await start(limit);
    roomy = await start({ REDIS_URL: `redis://127.0.0.1:${proxy.port}/1` });
  });
  afterAll(async () => {
    await fleet.close();
    await proxy.close();
    await redis.stop();
  });

  async function start(variables: object): Promise<string> {
    const port = String(await freePort());
    await fleet.start({ PORT: port, GATEWAY_BASE_URL: ORIGIN, ...variables });
    return `http://127.0.0.1:${port}`;
  }

  async function sign(origin: string): Promise<SignedRequest> {
    const path = newPath();
    return { path, header: await signIn(await challengeFor(origin + path), newSigner(), new URL(ORIGIN + path)) };
  }

  const send = (origin: string, { path, header }: SignedRequest): Promise<Answered> => askWith(origin + path, header);

  const signMany = (origin: string, count: number): Promise<SignedRequest[]> =>
    Promise.all(Array.from({ length: count }, () => sign(origin)));

  /** Requests that this node has served, in as many windows as it takes. */
  async function use(origin: string, count: number): Promise<SignedRequest[]> {
    const requests = await signMany(origin, count);
    const used = await Promise.all(
      requests.map(async (request) => {
        for (;;) {
          const { status, code } = await send(origin, request);
          if (status === 200) return request;
          // A sign-in whose answer was lost with the store's has been used as well.
          if (code === 'invalid_siwx_nonce') return request;
          await sleep(100);
        }
      }),
    );
    await sleep(WINDOW_MS + 200);
    return used;
  }

  /** A few in each turn of the event loop, so that what has come is read in between. */
  async function sendAll(origin: string, requests: readonly SignedRequest[]): Promise<Answered[]> {
    const answers: Promise<Answered>[] = [];
    for (const request of requests) {
      answers.push(send(origin, request));
      if (answers.length % 10 === 0) await sleep(1);
    }
    return Promise.all(answers);
  }

  /** Resolves when Redis has been asked so often. */
  function untilAsked(times: number): Promise<void> {
    let asked = 0;
    return new Promise((resolve) => {
      proxy.overhear = (words) => {
        asked += words.toString('latin1').split('EVALSHA').length - 1;
        if (asked >= times) resolve();
      };
    });
  }

  /**
   * Asks a node all of it while Redis is slow, the honest when half of the replays are under way; again, with other honest ones
   * and a Redis that is less slow, where the machine was so slow itself that a reply came too late for the gateway.
   */
  async function askTogether(origin: string, replays: readonly SignedRequest[], honest: number) {
    for (let attempt = 1; ; attempt++) {
      // A slot whose reply was lost is held for as long as a call could take.
      await sleep(attempt === 1 ? WINDOW_MS + 200 : HELD_MS);
      const before = fleet.upstream.arrivals.length;
      const requests = await signMany(origin, honest);
      proxy.delayMs = DELAY_MS / attempt;
      const areUnderWay = untilAsked(replays.length / 2);
      const replayed = sendAll(origin, replays);
      await Promise.race([areUnderWay, replayed]);
      const asked = requests.map((request) => send(origin, request));
      const [replies, answers] = [await replayed, await Promise.all(asked)];
      proxy.delayMs = 0;
      const arrived = fleet.upstream.arrivals.length - before;
      const isInTime = answers.every(({ code }) => code !== 'state_unavailable');
      const areJudged = replies.length === 0 || codesOf(replies).includes(REPLAYED);
      if (isInTime && areJudged) return { replies, answers, arrived };
    }
  }

  async function expectHonestServed(origin: string, replays: readonly SignedRequest[]): Promise<void> {
    const { replies, answers, arrived } = await askTogether(origin, replays, HONEST);
    expect(codesOf(answers)).toEqual(['200']);
    expect(codesOf(replies).filter((code) => code !== '503 state_unavailable')).toEqual([REPLAYED]);
    expect(arrived).toBe(HONEST);
  }

  const copies = (request: SignedRequest | undefined, count: number): SignedRequest[] =>
    request ? Array.from({ length: count }, () => request) : [];

  it('V13 40 copies of one used nonce take no slot from them', LONG, async () => {
    const [used] = await use(node, 1);
    await expectHonestServed(node, copies(used, REPLAYS));
  });

  it(
    'V13 40 different ones that were used at another node, which this one never saw, take no slot from them',
    LONG,
    async () => {
      await expectHonestServed(node, await use(other, REPLAYS));
    },
  );

  it('V13 200 copies of one used nonce take no room among the calls in flight from them', LONG, async () => {
    const [used] = await use(roomy, 1);
    await expectHonestServed(roomy, copies(used, FLOOD));
  });

  it(
    'V13 L1 without replays the limit is kept all the same: the others are refused, and keep their sign-in',
    LONG,
    async () => {
      const { answers, arrived } = await askTogether(node, [], LIMIT + HONEST);
      expect(codesOf(answers)).toEqual(['200', '429 rate_limited']);
      expect(arrived).toBe(LIMIT);
      await sleep(WINDOW_MS + 200);
      const refused = answers.filter(({ status }) => status === 429);
      const again = await Promise.all(refused.map(({ url, header }) => askWith(url, header)));
      expect([again.length, codesOf(again)]).toEqual([HONEST, ['200']]);
    },
  );
});
