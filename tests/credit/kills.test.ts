import { expect, it } from 'vitest';
import { isFull } from '../kit/rounds.ts';
import { askUntilDecided, expectAnsweredOnce, type Killed, killedAfter, tracesOf } from '../payments/fault-process.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { accountOf, expectOrder, KILLS, killingSuite, openRichWallet, paymentFor, signatureFor } from './kills.ts';

type KilledCall = Killed & { readonly payer: Wallet };

const [PRICE, BUNDLE] = [500, 1_000_000];
/** The steps of a debit, and how many upstream calls there are after each. */
const STEPS = { hold: 0, upstream: 1, capture: 1, respond: 1 } as const;
type Step = keyof typeof STEPS;
const isCharged = (step: string) => step === 'capture' || step === 'respond';

/** How long a hold of a process that has ended lasts, and a little more. */
const LEASE_MS = 40_000;

killingSuite('a debit whose gateway is killed', (series, database) => {
  /** By signature and by payment in turn, and by the other one with the other database. */
  async function kill(step: Step, turn: number): Promise<KilledCall> {
    const isSigned = turn % 2 === (database === 'sqlite' ? 0 : 1);
    const killed = await killedAfter(step, series(), async () => {
      const wallet = await openRichWallet(series());
      return {
        ...wallet,
        headers: (url, path) => (isSigned ? signatureFor(url, path, wallet) : paymentFor(url + path, wallet, 'call')),
      };
    });
    expect([step, tracesOf(series(), killed)]).toEqual([step, { calls: STEPS[step], transfers: 1 }]);
    await expectHeldOrCharged(killed);
    return killed;
  }

  /** In SQLite the next process releases the hold. In PostgreSQL it lasts until its lease ends. */
  async function expectHeldOrCharged({ step, payer, path, headers }: KilledCall): Promise<void> {
    const { url } = await series().current();
    const isHeld = !isCharged(step) && database === 'postgres';
    if (isHeld) {
      const again = await askUntilDecided(url + path, headers, 300);
      expect([step, again.status, again.code]).toEqual([step, 409, 'payment_in_progress']);
    }
    const spentMicros = isCharged(step) ? PRICE : 0;
    expect(await accountOf(url, payer)).toMatchObject({
      grantedMicros: BUNDLE,
      spentMicros,
      balanceMicros: BUNDLE - spentMicros,
      heldMicros: isHeld ? PRICE : 0,
    });
  }

  async function expectServedOnce(killed: KilledCall): Promise<void> {
    const { step, payer } = killed;
    const reply = await expectAnsweredOnce(series(), killed, LEASE_MS);
    expect([step, reply.headers.get('credit')]).toEqual([step, `charged=${PRICE}, balance=${BUNDLE - PRICE}`]);
    const { url } = await series().current();
    const account = { grantedMicros: BUNDLE, spentMicros: PRICE, heldMicros: 0 };
    expect(await accountOf(url, payer)).toMatchObject(account);
    const calls = STEPS[step as Step] + (isCharged(step) ? 0 : 1);
    expect([step, tracesOf(series(), killed)]).toEqual([step, { calls, transfers: 1 }]);
  }

  it('after any step is charged once, and its answer is served again', { timeout: 1_800_000 }, async () => {
    for (let round = 0; round < KILLS; round++) {
      const all: KilledCall[] = [];
      for (const [index, step] of Object.keys(STEPS).entries()) all.push(await kill(step as Step, round + index));
      for (const killed of all) await expectServedOnce(killed);
      await expectOrder(series());
    }
  });
});

const SMALL_BUNDLE = 50_000;
/** The last first: the payments of the first ones are not settled, and expire a minute after they were signed. */
const PURCHASE_STEPS = ['respond', 'record', 'settle', 'store', 'upstream', 'verify', 'reserve'];

killingSuite('a bundle whose gateway is killed', (series, database) => {
  /** Each step with both databases with ROUNDS=full, else with one of them in turn. */
  const steps = PURCHASE_STEPS.filter((_, index) => isFull || index % 2 === (database === 'sqlite' ? 0 : 1));

  async function kill(step: string): Promise<KilledCall> {
    return killedAfter(step, series(), async () => {
      const wallet = await openWallet(series().solana);
      return { ...wallet, headers: (url, path) => paymentFor(url + path, wallet, 'bundle') };
    });
  }

  it('after any step is one transfer, one grant and one answer', { timeout: 1_800_000 }, async () => {
    for (let round = 0; round < KILLS; round++) {
      const all: KilledCall[] = [];
      // Their reservations lapse together.
      for (const step of steps) all.push(await kill(step));
      for (const killed of all.reverse()) {
        await expectAnsweredOnce(series(), killed);
        const { url } = await series().current();
        const balanceMicros = SMALL_BUNDLE - PRICE;
        expect(await accountOf(url, killed.payer)).toMatchObject({
          grantedMicros: balanceMicros,
          spentMicros: 0,
          balanceMicros,
        });
      }
      await expectOrder(series());
    }
  });
});
