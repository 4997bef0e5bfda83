import { setImmediate as turn } from 'node:timers/promises';
import { NETWORKS } from '@asset-gateway/protocol';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Background } from '../../packages/gateway/src/background.ts';
import type { Answer, Ask } from '../../packages/gateway/src/call.ts';
import { AccountQueue } from '../../packages/gateway/src/payments/queue.ts';
import { PaidAnswers } from '../../packages/gateway/src/receipts/paid-answers.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';

const [OF_ONE, OF_ALL] = [32, 256];

const holderOf = (wallet: string, network: string = NETWORKS.mainnet) => ({ network, wallet });
const WALLET = holderOf('wallet');

afterEach(() => vi.useRealTimers());

describe('calls that wait for credit', () => {
  /** Calls of one wallet, each of which may proceed once: `served` in the order of their turns, and how often each has tried. */
  function queueOf(turns: AccountQueue, count: number) {
    const [served, attempts]: [number[], number[]] = [[], Array.from({ length: count }, () => 0)];
    const free = { places: 0 };
    const calls = Array.from({ length: count }, (_, index) =>
      turns.until(WALLET, async () => {
        attempts[index] = (attempts[index] ?? 0) + 1;
        await turn();
        if (free.places === 0) return 'not yet';
        free.places -= 1;
        served.push(index);
        return 'done';
      }),
    );
    return { served, attempts, free, calls };
  }

  const settled = async (): Promise<void> => {
    for (let turns = 0; turns < 200; turns++) await turn();
  };

  it('are woken by a change, and try no more often than there are changes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const turns = new AccountQueue();
    const { served, attempts, free, calls } = queueOf(turns, 5);
    await settled();
    vi.advanceTimersByTime(TIMES.waitMs / 2);
    await settled();
    // Each has tried when it came, and the first once more when it was in its place.
    expect(attempts).toEqual([2, 1, 1, 1, 1]);
    turns.wake(holderOf('another wallet'));
    await settled();
    expect(attempts).toEqual([2, 1, 1, 1, 1]);
    free.places = 2;
    turns.wake(WALLET);
    await settled();
    expect(served).toEqual([0, 1]);
    expect(attempts).toEqual([3, 2, 2, 1, 1]);
    free.places = 3;
    turns.wake(WALLET);
    expect(await Promise.all(calls)).toEqual(['done', 'done', 'done', 'done', 'done']);
    expect(served).toEqual([0, 1, 2, 3, 4]);
  });

  it('W7 leave three quarters of the room to mainnet, however many wait on devnet', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const turns = new AccountQueue();
    const outcomes: string[] = [];
    const wait = (wallet: string, network: string) =>
      void turns.until(holderOf(wallet, network), async () => 'not yet').catch(() => outcomes.push(wallet));
    for (let index = 0; index < 65; index++) wait(`devnet ${index}`, NETWORKS.devnet);
    await settled();
    expect(outcomes).toEqual(['devnet 64']);
    for (let index = 0; index < 192; index++) wait(`mainnet ${index}`, NETWORKS.mainnet);
    await settled();
    expect(outcomes).toHaveLength(1);
    vi.advanceTimersByTime(TIMES.waitMs);
    await settled();
    expect(outcomes).toHaveLength(65 + 192);
  });

  it('miss no change that comes while they try', async () => {
    const turns = new AccountQueue();
    let isOver = false;
    const call = turns.until(WALLET, async () => {
      const was = isOver;
      isOver = true;
      turns.wake(WALLET);
      await turn();
      return was ? 'done' : 'not yet';
    });
    expect(await call).toBe('done');
  });

  it('look again by themselves only where other nodes change accounts too, and of one wallet the first alone', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const { attempts, free, calls } = queueOf(new AccountQueue(200), 3);
    await settled();
    expect(attempts).toEqual([2, 1, 1]);
    for (let looks = 0; looks < 4; looks++) {
      vi.advanceTimersByTime(200);
      await settled();
    }
    expect(attempts).toEqual([6, 1, 1]);
    free.places = 3;
    vi.advanceTimersByTime(200);
    expect(await Promise.all(calls)).toEqual(['done', 'done', 'done']);
  });

  it('are refused after a time, and leave their place to the next', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const turns = new AccountQueue();
    const refused = turns.until(WALLET, async () => 'not yet' as const).catch(({ code }) => code);
    await settled();
    vi.advanceTimersByTime(TIMES.waitMs / 2);
    let isOver = false;
    const next = turns.until(WALLET, async () => (isOver ? 'done' : 'not yet'));
    await settled();
    isOver = true;
    vi.advanceTimersByTime(TIMES.waitMs / 2);
    expect(await refused).toBe('rate_limited');
    expect(await next).toBe('done');
  });

  it.each([
    ['one wallet', OF_ONE, () => 'wallet'],
    ['all wallets', OF_ALL, (index: number) => `wallet ${index}`],
  ])('are bounded for %s, and make room when they are over', async (_, most, walletOf) => {
    const turns = new AccountQueue();
    let isOver = false;
    const waitFor = (wallet: string) =>
      turns.until(holderOf(wallet), async () => (isOver ? 'done' : 'not yet')).catch(({ code }) => code);
    const all = Array.from({ length: most + 1 }, (_, index) => waitFor(walletOf(index)));
    expect(await all.at(-1)).toBe('rate_limited');
    isOver = true;
    for (let index = 0; index < most; index++) turns.wake(holderOf(walletOf(index)));
    expect(new Set(await Promise.all(all.slice(0, -1)))).toEqual(new Set(['done']));
    expect(await waitFor(walletOf(0))).toBe('done');
  });
});

/** Something that was paid for, whose answer is gone. */
function paidBefore() {
  const kept: string[] = [];
  const told = { calls: 1 };
  const answers = new PaidAnswers({
    background: new Background(),
    now: () => 0,
    answer: async () => kept[0],
    calls: async () => told.calls,
    called: async () => {
      told.calls += 1;
    },
    keep: async (_, answer) => void kept.push(answer),
    delivered: () => undefined,
  });
  /** Delivers the answer; the upstream takes a slot and then answers like this. */
  const deliver = async (upstream: () => Promise<Answer>) => {
    const ask: Ask = async ({ beforeSlot, onSlot }) => {
      await beforeSlot?.();
      await onSlot?.();
      return upstream();
    };
    return (await answers.deliver('key', { headers: {} }, () => ask)).answer;
  };
  return { deliver, kept, told };
}

const ANSWER = { json: '"text"' };
const inProgress = expect.objectContaining({ code: 'payment_in_progress' });

it('W5 of two requests for an answer that is gone one asks the upstream, and the next one gets its answer', async () => {
  const { deliver, kept, told } = paidBefore();
  let answerNow: (answer: Answer) => void = () => undefined;
  const answered = new Promise<Answer>((resolve) => {
    answerNow = resolve;
  });
  const one = deliver(() => answered);
  await expect(deliver(async () => ANSWER)).rejects.toEqual(inProgress);
  answerNow(ANSWER);
  expect([await one, await deliver(() => Promise.reject(new Error('asked again')))]).toEqual([ANSWER, ANSWER]);
  expect([kept, told.calls]).toEqual([['"text"'], 2]);
});

it('an answer that the upstream did not give is asked for again', async () => {
  const { deliver, kept, told } = paidBefore();
  await expect(deliver(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await deliver(async () => ANSWER)).toEqual(ANSWER);
  expect([kept, told.calls]).toEqual([['"text"'], 3]);
});

it('an answer that the upstream never gives is asked for three times', async () => {
  const { deliver, told } = paidBefore();
  const fail = () => deliver(() => Promise.reject(new Error('failed')));
  for (let calls = 1; calls < 3; calls++) await expect(fail()).rejects.toThrow('failed');
  await expect(fail()).rejects.toEqual(expect.objectContaining({ code: 'payment_already_used' }));
  expect(told.calls).toBe(3);
});
