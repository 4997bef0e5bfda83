import { describe, expect, it } from 'vitest';
import {
  type Account,
  availableOf,
  balanceOf,
  CREDIT,
  charged,
  delivered,
  endedPurchase,
  granted,
  NEW_ACCOUNT,
  readAccount,
  released,
  whyNotHeld,
  withHold,
  withPurchase,
  withUnchargedCall,
} from '../../packages/gateway/src/credit/account.ts';

const NOW = 1_000_000;
const GRANT = { micros: 10, atMs: NOW, route: 'credit', transaction: 'signature' };
const rich = granted(NEW_ACCOUNT, GRANT, 'payment');
const hold = (id: string, micros: number, untilMs = NOW + CREDIT.leaseMs) => ({ id, micros, untilMs });
const charge = (id: string, micros: number) => ({ id, micros, route: 'route', requestHash: `request of ${id}` });

describe('a balance', () => {
  it('is what was granted and not spent, and what is available is not held either', () => {
    const account = withHold(charged(rich, charge('a', 3), NOW) as Account, hold('b', 2));
    expect([balanceOf(account), availableOf(account)]).toEqual([7, 5]);
  });

  it('of nobody is none', () => {
    expect(readAccount(undefined, NOW)).toEqual(NEW_ACCOUNT);
    expect(balanceOf(NEW_ACCOUNT)).toBe(0);
  });
});

describe('a hold', () => {
  it.each([
    ['the whole balance is made', 10, undefined],
    ['more than the balance is refused', 11, 'insufficient'],
  ])('of %s', (_, micros, reason) => {
    expect(whyNotHeld(rich, { id: 'a', micros })).toBe(reason);
  });

  it('waits for what others hold, since that may come back', () => {
    const account = withHold(rich, hold('a', 6));
    expect(whyNotHeld(account, { id: 'b', micros: 4 })).toBeUndefined();
    expect(whyNotHeld(account, { id: 'b', micros: 5 })).toBe('busy');
  });

  it('of the same id takes the place of the one before', () => {
    const account = withHold(rich, hold('a', 10));
    expect(whyNotHeld(account, { id: 'a', micros: 10 })).toBeUndefined();
    expect(withHold(account, hold('a', 10)).holds).toHaveLength(1);
  });

  it('is one of eight at the most', () => {
    const full = Array.from({ length: CREDIT.holdsPerWallet }, (_, index) => hold(String(index), 1));
    expect(whyNotHeld({ ...rich, holds: full }, { id: 'b', micros: 1 })).toBe('busy');
    expect(whyNotHeld({ ...rich, holds: full.slice(1) }, { id: 'b', micros: 1 })).toBeUndefined();
  });

  it('lapses, and is given back by its id alone', () => {
    const account = withHold(withHold(rich, hold('a', 1, NOW)), hold('b', 1, NOW + 1));
    expect(readAccount(account, NOW).holds.map(({ id }) => id)).toEqual(['b']);
    expect(released(account, 'b').holds.map(({ id }) => id)).toEqual(['a']);
    expect(released(account, 'c').holds).toHaveLength(2);
  });

  it('is refused after ten calls in a minute that came to nothing', () => {
    const failed = Array.from({ length: CREDIT.unchargedCalls }).reduce<Account>(
      (account) => withUnchargedCall(account, NOW),
      rich,
    );
    expect(whyNotHeld(failed, { id: 'a', micros: 1 })).toBe('failing');
    expect(whyNotHeld(readAccount(failed, NOW + CREDIT.unchargedWindowMs - 1), { id: 'a', micros: 1 })).toBe('failing');
    expect(whyNotHeld(readAccount(failed, NOW + CREDIT.unchargedWindowMs), { id: 'a', micros: 1 })).toBeUndefined();
    expect(withUnchargedCall(failed, NOW).unchargedAtMs).toHaveLength(CREDIT.unchargedCalls);
  });
});

describe('a charge', () => {
  it('takes its hold with it, is owed, and is the latest movement', () => {
    const account = charged(withHold(rich, hold('a', 4)), charge('a', 4), NOW);
    expect(account).toEqual({
      grantedMicros: 10,
      spentMicros: 4,
      holds: [],
      owed: [{ id: 'a', requestHash: 'request of a', untilMs: NOW + CREDIT.debitMs }],
      movements: [
        { kind: 'debit', micros: 4, atMs: NOW, route: 'route' },
        { kind: 'grant', ...GRANT },
      ],
    });
    expect(delivered(account as Account, 'a').owed).toEqual([]);
    expect(delivered(account as Account, 'b').owed).toHaveLength(1);
  });

  it('whose hold has lapsed is made where it is still there, and not out of what others hold', () => {
    expect(charged(rich, charge('a', 10), NOW)).toMatchObject({ spentMicros: 10 });
    expect(charged(withHold(rich, hold('b', 1)), charge('a', 10), NOW)).toBeUndefined();
  });

  it('is owed for ten minutes, and of many the latest are', () => {
    const many = Array.from({ length: CREDIT.owed + 5 }, (_, index) => charge(String(index), 0)).reduce<Account>(
      (account, each) => charged(account, each, NOW) as Account,
      rich,
    );
    expect(many.owed.map(({ id }) => id)).toEqual(Array.from({ length: CREDIT.owed }, (_, index) => String(index + 5)));
    expect(many.movements).toHaveLength(CREDIT.movements);
    expect(readAccount(many, NOW + CREDIT.debitMs).owed).toEqual([]);
  });
});

describe('a purchase', () => {
  const purchase = { key: 'one', micros: 50, untilMs: NOW + CREDIT.purchaseMs };

  it('is of one payment until it ends, lapses or is granted', () => {
    const buying = withPurchase(rich, purchase) as Account;
    expect(withPurchase(buying, { ...purchase, key: 'other' })).toBeUndefined();
    expect(withPurchase(buying, purchase)).toEqual(buying);
    expect(endedPurchase(buying, 'other')).toBe(buying);
    expect(endedPurchase(buying, 'one')).toEqual(rich);
    expect(readAccount(buying, NOW + CREDIT.purchaseMs)).toEqual(rich);
    expect(granted(buying, GRANT, 'one').purchase).toBeUndefined();
    expect(granted(buying, GRANT, 'other').purchase).toEqual(purchase);
  });
});

/** A generator of whole numbers below a bound, the same in every run: a linear congruential one. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

describe('whatever happens to an account', () => {
  it.each([1, 2, 3, 4, 5])('granted is balance and spent, and never is more held than there is (seed %i)', (seed) => {
    const random = randomFrom(seed);
    let account = NEW_ACCOUNT;
    let [nowMs, spent, brought] = [NOW, 0, 0];
    const deeds: ((id: string, micros: number) => void)[] = [
      (id, micros) => {
        account = granted(account, { ...GRANT, micros: micros * 3 }, id);
        brought += micros * 3;
      },
      (id, micros) => {
        if (!whyNotHeld(account, { id, micros })) account = withHold(account, hold(id, micros, nowMs + 30_000));
      },
      (id, micros) => {
        const held = account.holds.find((each) => each.id === id);
        const after = charged(account, charge(id, held?.micros ?? micros), nowMs);
        if (after) spent += held?.micros ?? micros;
        account = after ?? account;
      },
      (id) => {
        account = released(account, id);
      },
      (id) => {
        account = delivered(account, id);
      },
    ];
    for (let step = 0; step < 2_000; step++) {
      nowMs += random(3_000);
      account = readAccount(account, nowMs);
      deeds[random(deeds.length)]?.(`debit ${random(12)}`, 1 + random(9));
      expect([account.grantedMicros, account.spentMicros]).toEqual([brought, spent]);
      expect(balanceOf(account)).toBeGreaterThanOrEqual(0);
      expect(availableOf(account)).toBeGreaterThanOrEqual(0);
    }
    expect(spent).toBeGreaterThan(100);
  });
});
