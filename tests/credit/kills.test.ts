import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { withBothDatabases } from '../kit/databases.ts';
import { isFull, roundsOnEach } from '../kit/rounds.ts';
import {
  askUntilDecided,
  expectAnsweredOnce,
  type GatewaySeries,
  type Killed,
  killedAfter,
  openGatewaySeries,
  tracesOf,
} from '../payments/fault-process.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { accountOf, openRichWallet, paymentFor, signatureFor } from './gateway.ts';

type KilledCall = Killed & { readonly payer: Wallet };

const [PRICE, BUNDLE, SMALL_BUNDLE] = [500, 1_000_000, 50_000];
/** The steps of a debit, and how many upstream calls there are after each. */
const DEBIT_STEPS = { hold: 0, upstream: 1, capture: 1, respond: 1 } as const;
type DebitStep = keyof typeof DEBIT_STEPS;
const isCharged = (step: string) => step === 'capture' || step === 'respond';
/** The last first: the payments of the first ones are not settled, and expire a minute after they were signed. */
const BUNDLE_STEPS = ['respond', 'record', 'settle', 'store', 'upstream', 'verify', 'reserve'];

/** How long a hold of a process that has ended lasts, and a little more. */
const LEASE_MS = 40_000;
const KILLS = roundsOnEach(20);
const LONG = { timeout: 1_800_000 };

const killing: Parameters<typeof withBothDatabases>[1] = (variables, database) => {
  let series: GatewaySeries;
  beforeAll(async () => {
    // On one port, so that signatures stay valid.
    series = await openGatewaySeries({ CREDIT: 'on', PORT: String(await freePort()), ...variables() });
  }, 120_000);
  afterAll(() => series.close());

  const turnOf = database === 'sqlite' ? 0 : 1;
  const accountNow = async ({ payer }: KilledCall) => accountOf((await series.current()).url, payer);

  /** By signature and by payment in turn, and by the other one with the other database. */
  async function killDebit(step: DebitStep, turn: number): Promise<KilledCall> {
    const isSigned = turn % 2 === turnOf;
    const killed = await killedAfter(step, series, async () => {
      const wallet = await openRichWallet(series);
      return {
        ...wallet,
        headers: (url, path) => (isSigned ? signatureFor(url, path, wallet) : paymentFor(url + path, wallet, 'call')),
      };
    });
    expect([step, tracesOf(series, killed)]).toEqual([step, { calls: DEBIT_STEPS[step], transfers: 1 }]);
    await expectHeldOrCharged(killed);
    return killed;
  }

  /** In SQLite the next process releases the hold. In PostgreSQL it lasts until its lease ends. */
  async function expectHeldOrCharged(killed: KilledCall): Promise<void> {
    const { step, path, headers } = killed;
    const isHeld = !isCharged(step) && database === 'postgres';
    if (isHeld) {
      const again = await askUntilDecided((await series.current()).url + path, headers, 300);
      expect([step, again.status, again.code]).toEqual([step, 409, 'payment_in_progress']);
    }
    const spentMicros = isCharged(step) ? PRICE : 0;
    expect(await accountNow(killed)).toMatchObject({
      grantedMicros: BUNDLE,
      spentMicros,
      balanceMicros: BUNDLE - spentMicros,
      heldMicros: isHeld ? PRICE : 0,
    });
  }

  async function expectChargedOnce(killed: KilledCall): Promise<void> {
    const { step } = killed;
    const reply = await expectAnsweredOnce(series, killed, LEASE_MS);
    expect([step, reply.headers.get('credit')]).toEqual([step, `charged=${PRICE}, balance=${BUNDLE - PRICE}`]);
    const account = { grantedMicros: BUNDLE, spentMicros: PRICE, heldMicros: 0 };
    expect(await accountNow(killed)).toMatchObject(account);
    const calls = DEBIT_STEPS[step as DebitStep] + (isCharged(step) ? 0 : 1);
    expect([step, tracesOf(series, killed)]).toEqual([step, { calls, transfers: 1 }]);
  }

  it.sequential(
    'a debit that is killed after any step is charged once, and its answer is served again',
    LONG,
    async () => {
      const all = Object.keys(DEBIT_STEPS) as DebitStep[];
      const steps = all.filter((_, index) => isFull || index % 2 === turnOf);
      for (let round = 0; round < KILLS; round++) {
        const killed: KilledCall[] = [];
        for (const [index, step] of steps.entries()) killed.push(await killDebit(step, round + index));
        for (const each of killed) await expectChargedOnce(each);
        await series.expectBooksInOrder();
      }
    },
  );

  it.sequential('a bundle that is killed after any step is one transfer, one grant and one answer', LONG, async () => {
    // payments/kills shows each step of a purchase with both databases.
    const steps = isFull ? BUNDLE_STEPS : [['settle', 'store'][turnOf] ?? ''];
    for (let round = 0; round < KILLS; round++) {
      const all: KilledCall[] = [];
      // Their reservations lapse together.
      for (const step of steps) {
        const open = async () => {
          const wallet = await openWallet(series.solana);
          return { ...wallet, headers: (url: string, path: string) => paymentFor(url + path, wallet, 'bundle') };
        };
        all.push(await killedAfter(step, series, open));
      }
      for (const killed of all.reverse()) {
        await expectAnsweredOnce(series, killed);
        const balanceMicros = SMALL_BUNDLE - PRICE;
        const account = { grantedMicros: balanceMicros, spentMicros: 0, balanceMicros };
        expect(await accountNow(killed)).toMatchObject(account);
      }
      await series.expectBooksInOrder();
    }
  });
};

// At once, since they wait for leases.
withBothDatabases('a gateway with credit that is killed', killing, { concurrent: true });
