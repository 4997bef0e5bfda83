import { beforeEach, expect, it } from 'vitest';
import type { Accounts } from '../../packages/gateway/src/credit/accounts.ts';
import { grant, HOLDER, type Ledger, ledgerSuite, newDebit } from '../kit/ledger.ts';
import { rounds } from '../kit/rounds.ts';

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
      const total = round * PRICE;
      expect(await ledger.accounts.find(HOLDER)).toMatchObject({
        grantedMicros: total,
        spentMicros: total,
        heldMicros: 0,
        holds: 0,
      });
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
