import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChargedAnswers } from '../../packages/gateway/src/credit/charged-answers.ts';
import { Turns } from '../../packages/gateway/src/credit/turns.ts';
import { grant, HOLDER, type Ledger, newDebit, openFolderLedger } from './ledger.ts';

const MOST_FETCHES = 200;
const [OF_ONE, OF_ALL] = [32, 256];

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

describe('calls that wait for credit', () => {
  const waitFor = (turns: Turns, wallet: string, isOver: () => boolean) =>
    turns.until(wallet, async () => (isOver() ? 'done' : 'not yet')).catch(({ code }) => code);

  it.each([
    ['one wallet', OF_ONE, () => 'wallet'],
    ['all wallets', OF_ALL, (index: number) => `wallet ${index}`],
  ])('are bounded for %s, and make room when they are over', async (_, most, walletOf) => {
    const turns = new Turns();
    let isOver = false;
    const all = Array.from({ length: most + 1 }, (_, index) => waitFor(turns, walletOf(index), () => isOver));
    expect(await all.at(-1)).toBe('rate_limited');
    isOver = true;
    expect(new Set(await Promise.all(all.slice(0, -1)))).toEqual(new Set(['done']));
    expect(await waitFor(turns, walletOf(0), () => true)).toBe('done');
  });
});
