import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChargedAnswers } from '../../packages/gateway/src/credit/charged-answers.ts';
import { grant, HOLDER, type Ledger, newDebit, openFolderLedger } from './ledger.ts';

const MOST_FETCHES = 200;

describe('an answer that was charged and never read to its end', () => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await openFolderLedger();
  });
  afterEach(() => ledger.close());

  it('is owed to its wallet two hundred times, and then no more', async () => {
    await grant(ledger, 10);
    const debit = newDebit(5);
    await ledger.accounts.hold(debit);
    await ledger.accounts.capture(debit, '"large"');
    const answers = new ChargedAnswers(ledger.accounts, () => undefined);
    const fetch = async () => answers.owed(HOLDER, await ledger.accounts.find(HOLDER), debit.requestHash, () => ({}));
    for (let count = 0; count < MOST_FETCHES; count++)
      expect(await fetch()).toMatchObject({ answer: { json: '"large"' } });
    expect(await fetch()).toBeUndefined();
  });
});
