import { afterEach, beforeEach, expect, it } from 'vitest';
import { ChargedAnswers } from '../../packages/gateway/src/credit/debiting.ts';
import type { Debit } from '../../packages/gateway/src/credit/account.ts';
import { grant, type Ledger, newDebit, onBothDatabases } from '../kit/ledger.ts';

const MOST_FETCHES = 200;

onBothDatabases('a charged answer that is never delivered', (open) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await open();
  });
  afterEach(() => ledger.close());

  it('is served again two hundred times at most', async () => {
    await grant(ledger, 10);
    const debit = newDebit(5);
    await ledger.accounts.hold(debit);
    await ledger.accounts.capture(debit, '"large"');
    const charged = (await ledger.accounts.debit(debit.id)) as Debit;
    const answers = new ChargedAnswers(ledger.accounts);
    const fetch = () => answers.owed(charged, () => ({}));
    for (let count = 0; count < MOST_FETCHES; count++)
      expect(await fetch()).toMatchObject({ answer: { json: '"large"' } });
    expect(await fetch()).toBeUndefined();
  });
});
