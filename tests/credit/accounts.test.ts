import { NETWORKS } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  type Account,
  availableOf,
  balanceOf,
  holdRefusal,
  NEW_ACCOUNT,
  type NewDebit,
} from '../../packages/gateway/src/credit/account.ts';
import { Accounts } from '../../packages/gateway/src/credit/accounts.ts';
import { type HoldOptions, hold as holdStep } from '../../packages/gateway/src/credit/rows.ts';
import { LIMITS } from '../../packages/gateway/src/limits.ts';
import type { NewPayment } from '../../packages/gateway/src/payments/record.ts';
import { INSERT_CALLS } from '../../packages/gateway/src/stores/sql/conditions.ts';
import type { Database } from '../../packages/gateway/src/stores/sql/database.ts';
import { TIMES } from '../../packages/gateway/src/times.ts';
import {
  changed,
  grant,
  HOLDER,
  type Ledger,
  landed,
  ledgerSuite,
  newDebit,
  newPayment,
  newPurchase,
  REFUSED,
  sharedLedgerSuite,
  startSettling,
  UNKNOWN,
} from '../kit/ledger.ts';
import { rounds, samples } from '../kit/rounds.ts';

const rich: Account = { ...NEW_ACCOUNT, grantedMicros: 13, spentMicros: 3 };

it('a balance is the credit granted and not spent; the available part is not held either', () => {
  expect([balanceOf(rich), availableOf(rich), balanceOf(NEW_ACCOUNT)]).toEqual([10, 10, 0]);
  expect(availableOf({ ...rich, heldMicros: 4, holds: 1 })).toBe(6);
});

describe('a price', () => {
  it.each<[string, Partial<Account>, number, ReturnType<typeof holdRefusal>]>([
    ['the whole balance is held', {}, 10, undefined],
    ['more than the balance is refused', {}, 11, 'insufficient'],
    ['what others leave is held', { heldMicros: 6, holds: 1 }, 4, undefined],
    ['what others hold waits, since it may come back', { heldMicros: 6, holds: 1 }, 5, 'busy'],
    ['more than the balance is refused, whatever others hold', { heldMicros: 6, holds: 1 }, 11, 'insufficient'],
    ['one call of eight is held', { holds: LIMITS.holdsPerWallet - 1 }, 1, undefined],
    ['a ninth call waits', { holds: LIMITS.holdsPerWallet }, 1, 'busy'],
    ['a wallet with ten uncharged calls waits', { uncharged: LIMITS.unchargedCalls }, 1, 'failing'],
    ['a wallet with nine is served', { uncharged: LIMITS.unchargedCalls - 1 }, 1, undefined],
  ])('of %s', (_, change, micros, reason) => {
    expect(holdRefusal({ ...rich, ...change }, micros)).toBe(reason);
  });
});

/** Accounts near every limit, and a price. */
const CASES = fc
  .tuple(fc.nat(12), fc.nat(12), fc.nat(12))
  .map((amounts) => amounts.toSorted((one, other) => one - other))
  .chain(([heldMicros = 0, balance = 0, granted = 0]) =>
    fc.record({
      grantedMicros: fc.constant(granted),
      spentMicros: fc.constant(granted - balance),
      heldMicros: fc.constant(heldMicros),
      holds: fc.integer({ min: 0, max: LIMITS.holdsPerWallet + 1 }),
      uncharged: fc.integer({ min: 0, max: LIMITS.unchargedCalls + 1 }),
      micros: fc.nat(13),
    }),
  );

const SET_ACCOUNT = `insert into wallets
  (cluster, address, granted_micro_usdc, spent_micro_usdc, held_micro_usdc, holds)
  select 'mainnet', $1, $2, $3, $4, $5 where {in time} on conflict (cluster, address) do update set
  granted_micro_usdc = excluded.granted_micro_usdc, spent_micro_usdc = excluded.spent_micro_usdc,
  held_micro_usdc = excluded.held_micro_usdc, holds = excluded.holds returning id`;
const FORGET_UNCHARGED = { sql: 'delete from uncharged_calls where {condition holds}' };

sharedLedgerSuite('a hold', (ledger) => {
  it('is written exactly if holdRefusal finds no reason, and then holds its price', async () => {
    const { database, accounts } = ledger;
    await fc.assert(
      fc.asyncProperty(CASES, async ({ micros, ...account }) => {
        const { grantedMicros, spentMicros, heldMicros, holds, uncharged } = account;
        const values = [HOLDER.wallet, grantedMicros, spentMicros, heldMicros, holds];
        // The oldest call has just left the window; the others are on its edge.
        const agoMs = [TIMES.failuresMs, ...Array(uncharged).fill(TIMES.failuresMs - 1)];
        const calls = agoMs.map((ms) => INSERT_CALLS([null, 1, ledger.nowMs - ms]));
        await database.write({ condition: { sql: SET_ACCOUNT, values }, changes: [FORGET_UNCHARGED, ...calls] });
        const step = holdStep(newDebit(micros), ledger.nowMs, {});
        const isHeld = (await database.write(step)) !== undefined;
        expect(isHeld).toBe(holdRefusal(account, micros) === undefined);
        const held = isHeld ? { heldMicros: heldMicros + micros, holds: holds + 1 } : {};
        expect(await accounts.find(HOLDER)).toEqual({ ...account, ...held });
      }),
      // The suite is tried again if the error in the report says that PostgreSQL answered too late.
      { numRuns: samples(2_000), includeErrorInReport: true },
    );
  });
});

ledgerSuite('credit', (ledger) => {
  const account = () => ledger.accounts.find(HOLDER);
  const hold = async (debit: NewDebit, options?: HoldOptions) => (await ledger.accounts.hold(debit, options)).verdict;

  describe('a debit', () => {
    it('is charged once for repeated captures, and its answer is stored', async () => {
      await grant(ledger, 10);
      const debit = newDebit(4);
      expect(await hold(debit)).toBe('held');
      expect(await ledger.accounts.capture(debit, '"answer"')).toBe(6);
      expect(await ledger.accounts.capture(debit, '"answer"')).toBe(6);
      await ledger.reopen();
      expect(await account()).toMatchObject({ grantedMicros: 10, spentMicros: 4, heldMicros: 0, holds: 0 });
      expect(await ledger.accounts.answer(debit.id)).toBe('"answer"');
      expect(await hold({ ...debit, owner: 'another' })).toBe('captured');
    });

    it('that was held again for a capture which failed is released after its lease, and not forgotten', async () => {
      await grant(ledger, 10);
      expect(await hold({ ...newDebit(4), capturedAtMs: ledger.accounts.now() })).toBe('held');
      ledger.nowMs += 11 * 60_000;
      await ledger.retention.prune();
      expect(await account()).toMatchObject({ heldMicros: 0, holds: 0 });
    });

    it('is held although it lost a race in PostgreSQL to a debit that was released since', async () => {
      await grant(ledger, 10);
      const outcomes = [Promise.reject(Object.assign(new Error('duplicate key'), { code: '23505' }))];
      const write: Database['write'] = (step) => outcomes.pop() ?? ledger.database.write(step);
      const { verdict } = await new Accounts(changed(ledger.database, { write })).hold(newDebit(4));
      expect(verdict).toBe('held');
    });

    it('is held although the reply of the database was lost', async () => {
      await grant(ledger, 10);
      const write: Database['write'] = (step) => ledger.database.write(step).then(() => undefined);
      const { verdict } = await new Accounts(changed(ledger.database, { write })).hold(newDebit(4));
      expect(verdict).toBe('held');
      expect(await account()).toMatchObject({ heldMicros: 4, holds: 1 });
    });

    it('that took too long is released, and of two requests with its id one is charged', async () => {
      await grant(ledger, 10);
      const slow = newDebit(4);
      await hold(slow);
      const again = { ...slow, owner: 'another' };
      expect(await hold(again)).toBe('running');
      ledger.nowMs += TIMES.leastHoldMs + 1;
      expect(await hold(again)).toBe('held');
      expect(await ledger.accounts.capture(slow, '"slow"')).toBe('running');
      await ledger.accounts.release(slow, true);
      expect(await account()).toMatchObject({ heldMicros: 4, holds: 1 });
      expect(await ledger.accounts.capture(again, '"again"')).toBe(6);
      expect(await ledger.accounts.capture(slow, '"slow"')).toBe('running');
      expect(await account()).toMatchObject({ spentMicros: 4, heldMicros: 0, holds: 0 });
      expect(await ledger.accounts.answer(slow.id)).toBe('"again"');
    });

    it('that took too long is charged while the balance covers it', async () => {
      await grant(ledger, 10);
      const slow = newDebit(4);
      await hold(slow);
      ledger.nowMs += TIMES.leastHoldMs + 1;
      await ledger.retention.prune();
      expect(await account()).toMatchObject({ heldMicros: 0, holds: 0 });
      expect(await ledger.accounts.capture(slow, '"slow"')).toBe(6);
      expect(await account()).toMatchObject({ spentMicros: 4, heldMicros: 0, holds: 0 });
    });

    it('that took too long, and whose price another call holds, asks for a retry and not for a payment', async () => {
      await grant(ledger, 4);
      const [slow, other] = [newDebit(4), newDebit(4)];
      await hold(slow);
      ledger.nowMs += TIMES.leastHoldMs + 1;
      expect(await hold(other)).toBe('held');
      expect(await ledger.accounts.capture(slow, '""')).toBe('busy');
      expect(await ledger.accounts.capture(other, '""')).toBe(0);
      expect(await ledger.accounts.capture(slow, '""')).toBe('insufficient');
    });

    it('is held for as long as its call may take', async () => {
      await grant(ledger, 4);
      await hold(newDebit(4), { holdMs: 75_000 });
      ledger.nowMs += 74_000;
      expect(await hold(newDebit(4))).toBe('busy');
      ledger.nowMs += 2_000;
      expect(await hold(newDebit(4))).toBe('held');
    });

    it('whose answer was not delivered is owed to the same request for ten minutes', async () => {
      await grant(ledger, 10);
      const [lost, read] = [newDebit(4), newDebit(4)];
      for (const debit of [lost, read]) {
        await hold(debit);
        await ledger.accounts.capture(debit, '"answer"');
      }
      ledger.accounts.delivered(read.id);
      const again = ({ requestHash }: NewDebit) => ledger.accounts.hold(newDebit(1, { requestHash }));
      expect(await again(lost)).toMatchObject({ verdict: 'owed', debit: { id: lost.id, progress: 'captured' } });
      expect((await again(read)).verdict).toBe('held');
      expect(await hold(newDebit(1, { requestHash: lost.requestHash }), { isPastOwed: true })).toBe('held');
      ledger.nowMs += TIMES.answerMs;
      expect((await again(lost)).verdict).toBe('held');
    });

    it('is not held while a payment for the same request is open or its answer is owed', async () => {
      await grant(ledger, 10);
      const payment = newPayment({ payer: HOLDER.wallet });
      const again = (options?: HoldOptions) => hold(newDebit(1, { requestHash: payment.requestHash }), options);
      await startSettling(ledger, payment);
      expect(await again()).toBe('due');
      await ledger.payments.resolve(payment.key, landed(payment));
      expect(await again()).toBe('due');
      expect(await again({ isPastOwed: true })).toBe('held');
    });
  });

  describe('a wallet', () => {
    it('waits after ten uncharged upstream calls in a minute', async () => {
      await grant(ledger, 10);
      const attempt = async (isCalled: boolean) => {
        const debit = newDebit(1);
        const verdict = await hold(debit);
        if (verdict === 'held') await ledger.accounts.release(debit, isCalled);
        return verdict;
      };
      for (let call = 0; call < 30; call++) expect(await attempt(false)).toBe('held');
      for (let call = 0; call < LIMITS.unchargedCalls; call++) expect(await attempt(true)).toBe('held');
      expect(await attempt(true)).toBe('failing');
      ledger.nowMs += TIMES.failuresMs;
      expect(await attempt(true)).toBe('held');
    });

    it('waits after ten upstream calls in a minute that neither credit nor a payment has paid for', async () => {
      await grant(ledger, 10);
      for (let call = 0; call < LIMITS.unchargedCalls / 2; call++) {
        const [debit, payment] = [newDebit(1), newPayment({ payer: HOLDER.wallet })];
        expect(await hold(debit)).toBe('held');
        await ledger.accounts.release(debit, true);
        expect(await ledger.payments.reserve(payment)).toBe('reserved');
        await ledger.payments.release(payment.key, payment.owner, true);
      }
      expect(await hold(newDebit(1))).toBe('failing');
      expect(await ledger.payments.reserve(newPayment({ payer: HOLDER.wallet }))).toBe('payer_busy');
    });

    it('can use a signature again whose process has died: at once if it was the only one, or after its lease', async () => {
      await grant(ledger, 8);
      const [lost, other] = [newDebit(4), newDebit(4)];
      await hold(lost);
      await hold(other);
      await ledger.accounts.capture(other, '""');
      await ledger.reopen();
      expect(await hold({ ...lost, owner: 'another' })).toBe(ledger.openOther ? 'running' : 'held');
      ledger.nowMs += TIMES.leastHoldMs;
      expect(await hold({ ...lost, owner: 'a third' })).toBe('held');
      expect(await account()).toMatchObject({ spentMicros: 4, heldMicros: 4, holds: 1 });
    });
  });
});

const { mainnet, devnet } = NETWORKS;

ledgerSuite('the credit outstanding', (ledger) => {
  it('is granted minus spent on each network, also after a restart', async () => {
    const unspent = async (accounts = ledger.accounts) => {
      const found = await accounts.unspent();
      return [found.get(mainnet) ?? 0, found.get(devnet) ?? 0];
    };
    expect(await unspent()).toEqual([0, 0]);
    await grant(ledger, 100);
    await grant(ledger, 7, { network: devnet, payer: 'another wallet' });
    const spent = newDebit(30);
    for (const debit of [spent, newDebit(20)]) await ledger.accounts.hold(debit);
    expect(await unspent()).toEqual([100, 7]);
    await ledger.accounts.capture(spent, '""');
    expect(await unspent()).toEqual([70, 7]);
    await ledger.reopen();
    expect(await unspent()).toEqual([70, 7]);
    const other = await ledger.openOther?.();
    if (other) expect(await unspent(other.accounts)).toEqual([70, 7]);
  });
});

const PRICE = 5;
const AT_ONCE = 6;

ledgerSuite('the last cent', (ledger) => {
  let other: Pick<Ledger, 'accounts'>;
  beforeEach(async () => {
    other = (await ledger.openOther?.()) ?? ledger;
  });

  /** Makes several attempts at once, by turns on the two nodes. */
  async function atOnce<T>(attempt: (accounts: Accounts, index: number) => Promise<T>): Promise<T[]> {
    return Promise.all(
      Array.from({ length: AT_ONCE }, (_, index) => attempt(index % 2 === 0 ? ledger.accounts : other.accounts, index)),
    );
  }

  it('buys one answer when many calls come at once, to two nodes where there can be two', {
    timeout: 300_000,
  }, async () => {
    for (let round = 1; round <= rounds(1_000); round++) {
      await grant(ledger, PRICE);
      const balances = await atOnce(async (accounts) => {
        const debit = newDebit(PRICE);
        const { verdict } = await accounts.hold(debit);
        return verdict === 'held' ? [await accounts.capture(debit, '{}')] : [];
      });
      expect(balances.flat()).toEqual([0]);
      const spent = { grantedMicros: round * PRICE, spentMicros: round * PRICE, heldMicros: 0, holds: 0 };
      expect(await ledger.accounts.find(HOLDER)).toMatchObject(spent);
    }
  });

  it('is charged once for one signature that comes many times at once', { timeout: 300_000 }, async () => {
    for (let round = 1; round <= rounds(1_000); round++) {
      await grant(ledger, 2 * PRICE);
      const debit = newDebit(PRICE);
      const verdicts = await atOnce(async (accounts, index) => {
        const mine = { ...debit, owner: `${debit.owner} ${index}` };
        const { verdict } = await accounts.hold(mine);
        if (verdict === 'held') await accounts.capture(mine, '{}');
        return verdict;
      });
      expect(verdicts.filter((verdict) => verdict === 'held')).toHaveLength(1);
      expect(verdicts).not.toContain('insufficient');
      expect((await ledger.accounts.find(HOLDER)).spentMicros).toBe(round * PRICE);
    }
  });
});

const SALE_LIMITS = { limitMicros: 1_000, priceMicros: undefined };

ledgerSuite('a purchase of credit', (ledger) => {
  const account = () => ledger.accounts.find(HOLDER);
  const reserve = (payment: NewPayment, limits = {}) => ledger.payments.reserve(payment, { ...SALE_LIMITS, ...limits });
  const release = ({ key, owner }: NewPayment) => ledger.payments.release(key, owner, false);

  it('is made by one payment at a time, and a copy of that one is not reserved again', async () => {
    const [one, other] = [newPurchase(50), newPurchase(50)];
    expect(await reserve(one)).toBe('reserved');
    expect((await account()).purchase).toEqual({ key: one.key, micros: 50 });
    expect(await reserve({ ...one, owner: 'another' })).toBe('taken');
    expect(await reserve(other)).toBe('under_way');
    await release(other);
    expect(await reserve(other)).toBe('under_way');
    await release(one);
    expect(await account()).toEqual(NEW_ACCOUNT);
    expect(await reserve(other)).toBe('reserved');
  });

  it('takes a wallet to its limit, and not beyond', async () => {
    await grant(ledger, 900);
    expect(await reserve(newPurchase(101))).toBe('over_limit');
    expect(await reserve(newPurchase(100))).toBe('reserved');
  });

  it('is not begun when the balance pays for its call by now', async () => {
    await grant(ledger, 10);
    expect(await reserve(newPurchase(50), { priceMicros: 10 })).toBe('covered');
    expect((await account()).purchase).toBeUndefined();
    expect(await reserve(newPurchase(50), { priceMicros: 11 })).toBe('reserved');
  });

  it.each([
    ['is refused', REFUSED, { uncharged: 1 }],
    ['settles', 'settled', { grantedMicros: 50 }],
  ] as const)('whose payment %s is over', async (_, outcome, change) => {
    const payment = newPurchase(50);
    await startSettling(ledger, payment);
    expect((await account()).purchase).toEqual({ key: payment.key, micros: 50 });
    await ledger.payments.resolve(payment.key, outcome === 'settled' ? landed(payment) : outcome);
    expect(await account()).toEqual({ ...NEW_ACCOUNT, ...change });
    expect(await reserve(newPurchase(50))).toBe('reserved');
  });

  it('whose outcome is open is waited for, but not longer than a minute', async () => {
    const payment = newPurchase(50);
    await startSettling(ledger, payment);
    await ledger.payments.resolve(payment.key, UNKNOWN);
    ledger.nowMs += TIMES.inFlightMs - 1;
    expect(await reserve(newPurchase(50))).toBe('under_way');
    expect((await account()).purchase).toEqual({ key: payment.key, micros: 50 });
    ledger.nowMs += TIMES.leaseMs;
    expect((await account()).purchase).toBeUndefined();
    expect(await reserve(newPurchase(50))).toBe('reserved');
    await ledger.payments.resolve(payment.key, landed(payment));
    expect((await account()).grantedMicros).toBe(50);
  });

  describe('of a new wallet', () => {
    const countWallets = async () => {
      const [row] = await ledger.database.read({ sql: 'select count(*) as count from wallets' });
      return Number(row?.count);
    };
    /** Passes the time after which an unused wallet is deleted. */
    const pass = async () => {
      ledger.nowMs += TIMES.answerMs + TIMES.leaseMs + 1;
      await ledger.retention.prune();
    };

    it.each([
      ['comes to nothing', release],
      ['ends with its process', () => ledger.reopen()],
    ])('W8 leaves no wallet behind when it %s', async (_, end) => {
      const payment = newPurchase(50);
      await reserve(payment);
      await end(payment);
      expect(await account()).toEqual(NEW_ACCOUNT);
      expect(await countWallets()).toBe(1);
      await pass();
      expect(await countWallets()).toBe(0);
    });

    it('W8 leaves its wallet behind when it has settled', async () => {
      await grant(ledger, 50);
      await pass();
      expect(await countWallets()).toBe(1);
    });
  });

  it('W8 that fails leaves the account of a known payer unchanged', async () => {
    await grant(ledger, 10);
    const before = await account();
    const payment = newPurchase(50);
    await reserve(payment);
    await release(payment);
    await ledger.reopen();
    expect(await account()).toEqual(before);
  });
});
