import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { isFull } from '../kit/rounds.ts';
import type { Street } from '../payments/fault-process.ts';
import type { Wallet } from '../payments/wallets.ts';
import { compileGateway } from '../process/program.ts';
import {
  accountOf,
  askUntilDecided,
  KILLS,
  type Killed,
  killedAfter,
  openCreditStreet,
  openRichWallet,
  paymentFor,
  signatureFor,
} from './kills.ts';

/** As long as what was held by a process that has died is nobody else's, and a little more. */
const LEASE_MS = 40_000;

/** In a folder; on Redis the others. */
const SIGNED_FIRST = ['capture', 'hold'];

/** In short rounds each step on one store, a signature and a payment on each. */
const SHORT = { nothing: ['capture', 'upstream'], 'a lease': ['hold', 'respond'] } as const;

function suite(variables: () => object, leaves: 'nothing' | 'a lease'): void {
  let street: Street;
  let wallet: Wallet;
  beforeAll(async () => {
    await compileGateway();
    street = await openCreditStreet(variables());
    wallet = await openRichWallet(street);
  });
  afterAll(() => street.close());

  const turn = leaves === 'nothing' ? 0 : 1;
  /** Signatures and payments by turns: where each step is killed once on each store, once by each. */
  const isSigned = (step: string, round: number) => (SIGNED_FIRST.includes(step) ? 0 : 1) === (round + turn) % 2;
  const kill = (step: string, round: number): Promise<Killed> =>
    killedAfter(step, street, (url, path) =>
      isSigned(step, round) ? signatureFor(url, path, wallet) : paymentFor(url + path, wallet, 'call'),
    );

  const tracesNow = (): Killed['before'] => ({
    calls: street.solana.provider.arrivals.length,
    transfers: street.solana.mainnet.transfers.length,
  });

  /** The same signature or payment, at the next gateway, is answered and charged once; nothing moves on the chain. */
  async function expectServedOnce({ path, headers, first, before }: Killed, limitMs?: number): Promise<void> {
    const { url } = await street.standing();
    const { spentMicros, balanceMicros, grantedMicros } = await accountOf(url, wallet);
    const second = await askUntilDecided(url + path, headers, limitMs);
    const third = await askUntilDecided(url + path, headers);
    const texts = [first, second, third].flatMap((reply) => (reply?.status === 200 ? [reply.text] : []));
    expect([second.status, third.status, third.isReplayed, new Set(texts).size]).toEqual([200, 200, true, 1]);
    const charged = /charged=(\d+)/.exec(third.headers.get('credit') ?? '')?.[1];
    const now = await accountOf(url, wallet);
    const isNew = !second.isReplayed;
    expect(now.spentMicros - spentMicros).toBe(isNew ? Number(charged) : 0);
    expect([now.grantedMicros, now.heldMicros]).toEqual([grantedMicros, 0]);
    expect(balanceMicros + spentMicros).toBe(grantedMicros);
    expect(street.solana.mainnet.transfers).toHaveLength(before.transfers);
  }

  const isRun = (step: string) => isFull || SHORT[leaves].some((each) => each === step);

  it.each(['capture', 'respond'].filter(isRun))(
    'killed after %s: charged once, and served again without another call',
    { timeout: 600_000 },
    async (step) => {
      for (let round = 0; round < KILLS; round++) {
        const killed = await kill(step, round);
        await expectServedOnce(killed);
        expect(street.solana.provider.arrivals.length - killed.before.calls).toBe(1);
      }
    },
  );

  const uncharged = [
    ['hold', 0],
    ['upstream', 1],
  ] as const;
  it.each(uncharged.filter(([step]) => isRun(step)))(
    'killed after %s: nothing is charged, and the same is good again',
    { timeout: 600_000 },
    async (step, calls) => {
      const all: (Killed & { readonly wallet: Wallet })[] = [];
      for (let round = 0; round < KILLS; round++) {
        // What its process has left held would soon be as many calls as a wallet may have on their way.
        if (leaves === 'a lease') wallet = await openRichWallet(street);
        const killed = await kill(step, round);
        expect(street.solana.provider.arrivals.length - killed.before.calls).toBe(calls);
        const { url } = await street.standing();
        const { spentMicros, grantedMicros, balanceMicros } = await accountOf(url, wallet);
        expect(balanceMicros + spentMicros).toBe(grantedMicros);
        if (leaves === 'nothing') await expectServedOnce(killed);
        else {
          const again = await askUntilDecided(url + killed.path, killed.headers, 300);
          expect([again.status, again.code]).toEqual([409, 'payment_in_progress']);
          expect((await accountOf(url, wallet)).spentMicros).toBe(spentMicros);
        }
        all.push({ ...killed, wallet });
      }
      // Each is good for five minutes; what is held is free after a lease.
      if (leaves === 'a lease' && isFull) {
        for (const killed of all.slice(-6)) {
          ({ wallet } = killed);
          await expectServedOnce({ ...killed, before: tracesNow() }, LEASE_MS);
        }
      }
    },
  );
}

describe.sequential('a debit in a folder whose gateway is killed', () => suite(() => ({}), 'nothing'));

redisSuite('a debit on Redis whose gateway is killed', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis({ appendonly: 'yes' });
  });
  afterAll(() => redis.stop());
  suite(() => ({ REDIS_URL: redis.url, GATEWAY_SECRET: 's'.repeat(32) }), 'a lease');
});
