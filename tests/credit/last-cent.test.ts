import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { rounds } from '../kit/rounds.ts';
import { grant, HOLDER, type Ledger, newDebit, onEveryLedger } from './ledger.ts';

const PRICE = 5;
const AT_ONCE = 6;

onEveryLedger((open) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await open();
  });
  afterEach(() => ledger.close());

  describe('the last cent', () => {
    it('buys one answer, however many ask for one at once at how many nodes', { timeout: 300_000 }, async () => {
      const nodes = [ledger.accounts, (await ledger.openOther?.()) ?? ledger.accounts];
      for (let round = 1; round <= rounds(1_000); round++) {
        await grant(ledger, PRICE);
        const winners = await Promise.all(
          Array.from({ length: AT_ONCE }, async (_, index) => {
            const accounts = nodes[index % nodes.length] ?? ledger.accounts;
            const debit = newDebit(PRICE);
            if ((await accounts.hold(debit)) !== 'held') return [];
            return typeof (await accounts.capture(debit, '{}')) === 'string' ? [] : [debit];
          }),
        );
        expect(winners.flat()).toHaveLength(1);
        const { grantedMicros, spentMicros, holds } = await ledger.accounts.find(HOLDER);
        expect([grantedMicros, spentMicros, holds]).toEqual([round * PRICE, round * PRICE, []]);
      }
    });

    it('is charged once for one signature that many nodes hold at once', { timeout: 300_000 }, async () => {
      const nodes = [ledger.accounts, (await ledger.openOther?.()) ?? ledger.accounts];
      for (let round = 1; round <= rounds(1_000); round++) {
        await grant(ledger, 2 * PRICE);
        const debit = newDebit(PRICE);
        const verdicts = await Promise.all(
          Array.from({ length: AT_ONCE }, async (_, index) => {
            const accounts = nodes[index % nodes.length] ?? ledger.accounts;
            const mine = { ...debit, owner: `${debit.owner} ${index}` };
            const verdict = await accounts.hold(mine);
            if (verdict === 'held') await accounts.capture(mine, '{}');
            return verdict;
          }),
        );
        expect(verdicts.filter((verdict) => verdict === 'held')).toHaveLength(1);
        expect(verdicts).not.toContain('insufficient');
        expect((await ledger.accounts.find(HOLDER)).spentMicros).toBe(round * PRICE);
      }
    });
  });
});
