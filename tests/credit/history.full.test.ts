import { expect, it } from 'vitest';
import { balanceOf, type NewDebit } from '../../packages/gateway/src/credit/account.ts';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import { HOLDER, landed, ledgerSuite, newDebit, newPurchase, startSettling } from '../kit/ledger.ts';
import { isFull } from '../kit/rounds.ts';

const OPERATIONS = isFull ? 100_000 : 800;
const WALLETS = 3;
const AT_ONCE = 4;
/** One restart, and one lapse of leases, per this many operations. */
const [RESTART, LAPSE] = [200, 50];

const below = (bound: number): number => Math.floor(Math.random() * bound);
const pick = <T>(all: readonly T[]): T | undefined => all[below(all.length)];
const holderOf = (wallet: number) => ({ ...HOLDER, wallet: `wallet ${wallet}` });
const sum = (all: readonly number[]) => all.reduce((total, each) => total + each, 0);

ledgerSuite('a random history with restarts', (ledger) => {
  it('grants every payment once and charges every debit at most once', { timeout: 1_200_000 }, async () => {
    const [debits, payments]: [NewDebit[], NewPayment[]] = [[], []];
    const [charged, settled] = [new Map<string, NewDebit>(), new Map<string, NewPayment>()];
    /** The first time, or once more, as when it is reconciled again. */
    const settle = async (payment = pick(payments)) => {
      if (!payment) return;
      await ledger.payments.resolve(payment.key, landed(payment));
      settled.set(payment.key, payment);
    };
    const grant = async () => {
      const payment = newPurchase(1 + below(60), { payer: holderOf(below(WALLETS)).wallet });
      await startSettling(ledger, payment);
      payments.push(payment);
      await settle(payment);
    };
    const hold = async () => {
      const debit = newDebit(1 + below(9), holderOf(below(WALLETS)));
      if ((await ledger.accounts.hold(debit)).verdict === 'held') debits.push(debit);
    };
    /** Does something with one of the last debits. */
    const having = (task: (debit: NewDebit) => unknown) => async () => {
      const debit = pick(debits.slice(-50));
      if (debit) await task(debit);
    };
    const capture = having(async (debit) => {
      if (typeof (await ledger.accounts.capture(debit, '{}')) === 'number') charged.set(debit.id, debit);
    });
    const release = having((debit) => ledger.accounts.release(debit, false));
    const deliver = having(({ id }) => ledger.accounts.delivered(id));
    const verify = async () => {
      for (let index = 0; index < WALLETS; index++) {
        const { wallet, network } = holderOf(index);
        const account = await ledger.accounts.find({ wallet, network });
        const brought = [...settled.values()].filter(({ payer }) => payer === wallet);
        const taken = [...charged.values()].filter((debit) => debit.wallet === wallet);
        const sums = [sum(brought.map(({ creditMicros = 0 }) => creditMicros)), sum(taken.map(({ micros }) => micros))];
        expect([account.grantedMicros, account.spentMicros]).toEqual(sums);
        expect(account.heldMicros).toBeLessThanOrEqual(balanceOf(account));
      }
      expect(await ledger.books.wrongBalances()).toEqual([]);
    };
    const deeds = [grant, settle, hold, hold, hold, capture, capture, release, deliver];
    for (let done = 0; done < OPERATIONS; done += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, () => (pick(deeds) ?? hold)()));
      if (below(LAPSE) === 0) ledger.nowMs += TIMES.leastHoldMs + 1;
      if (below(RESTART) < AT_ONCE) {
        await ledger.reopen();
        await verify();
      }
    }
    await verify();
    expect(charged.size).toBeGreaterThan(OPERATIONS / 40);
  });
});
