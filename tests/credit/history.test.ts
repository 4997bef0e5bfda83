import { expect, it } from 'vitest';
import { balanceOf, CREDIT, type NewDebit } from '../../packages/gateway/src/credit/account.ts';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import { HOLDER, type Ledger, landed, ledgerSuite, newDebit, newPurchase, startSettling } from '../kit/ledger.ts';
import { isFull } from '../kit/rounds.ts';

const OPERATIONS = isFull ? 100_000 : 800;
const WALLETS = 3;
const AT_ONCE = 4;
/** One restart, and one lapse of leases, per this many operations. */
const [RESTART, LAPSE] = [200, 50];

const pick = <T>(all: readonly T[]): T | undefined => all[Math.floor(Math.random() * all.length)];
const below = (bound: number): number => Math.floor(Math.random() * bound);
const holderOf = (wallet: number) => ({ ...HOLDER, wallet: `wallet ${wallet}` });
const sum = (all: Iterable<number>) => [...all].reduce((total, each) => total + each, 0);

/** Grants and charges according to the ledger's responses. */
class Story {
  readonly ledger: Ledger;
  readonly debits: NewDebit[] = [];
  readonly payments: NewPayment[] = [];
  readonly charged = new Map<string, NewDebit>();
  readonly settled = new Map<string, NewPayment>();

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  async grant(): Promise<void> {
    const payment = newPurchase(1 + below(60), { payer: holderOf(below(WALLETS)).wallet });
    await startSettling(this.ledger, payment);
    this.payments.push(payment);
    await this.settle(payment);
  }

  /** The first time, or once more, as when it is reconciled again. */
  async settle(payment = pick(this.payments)): Promise<void> {
    if (!payment) return;
    await this.ledger.payments.resolve(payment.key, landed(payment));
    this.settled.set(payment.key, payment);
  }

  async hold(): Promise<void> {
    const debit = newDebit(1 + below(9), holderOf(below(WALLETS)));
    if ((await this.ledger.accounts.hold(debit)).verdict === 'held') this.debits.push(debit);
  }

  async capture(): Promise<void> {
    const debit = pick(this.debits);
    if (debit && typeof (await this.ledger.accounts.capture(debit, '{}')) === 'number')
      this.charged.set(debit.id, debit);
  }

  async release(): Promise<void> {
    const debit = pick(this.debits);
    if (debit) await this.ledger.accounts.release(debit, false);
  }

  async deliver(): Promise<void> {
    const debit = pick(this.debits);
    if (debit) this.ledger.accounts.delivered(debit.id);
  }

  async verify(): Promise<void> {
    for (let wallet = 0; wallet < WALLETS; wallet++) {
      const holder = holderOf(wallet);
      const account = await this.ledger.accounts.find(holder);
      const isTheirs = (each: { wallet?: string; payer?: string }) => (each.wallet ?? each.payer) === holder.wallet;
      const brought = [...this.settled.values()].filter(isTheirs).map(({ creditMicros = 0 }) => creditMicros);
      const taken = [...this.charged.values()].filter(isTheirs).map(({ micros }) => micros);
      expect([account.grantedMicros, account.spentMicros]).toEqual([sum(brought), sum(taken)]);
      expect(account.heldMicros).toBeLessThanOrEqual(balanceOf(account));
    }
    expect(await this.ledger.books.wrongBalances()).toEqual([]);
    this.debits.splice(0, Math.max(0, this.debits.length - 50));
    this.payments.splice(0, Math.max(0, this.payments.length - 20));
  }
}

ledgerSuite('a random history with restarts', (ledger) => {
  it('grants every payment once and charges every debit at most once', { timeout: 1_200_000 }, async () => {
    const story = new Story(ledger);
    const deeds = ['grant', 'settle', 'hold', 'hold', 'hold', 'capture', 'capture', 'release', 'deliver'] as const;
    for (let done = 0; done < OPERATIONS; done += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => story[pick(deeds) ?? 'hold']()));
      if (below(LAPSE) === 0) ledger.nowMs += CREDIT.leaseMs + 1;
      if (below(RESTART) < AT_ONCE) {
        await ledger.reopen();
        await story.verify();
      }
    }
    await story.verify();
    expect(story.charged.size).toBeGreaterThan(OPERATIONS / 40);
  });
});
