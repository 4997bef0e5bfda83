import { below } from '@asset-gateway/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { addressOf, draftOf, readable, signed } from '../payments/drafts.ts';
import { openMarket } from '../payments/forge.ts';
import { FEE_PAYER, guarded, PAYER, u64 } from '../payments/forgeries.ts';

const { chain, feePayer, genuine, mint, payer } = await openMarket();
afterAll(() => chain.close());
const LAMPORTS = 2_000_000_000n;
chain.airdrop(feePayer, LAMPORTS + 10_001n);
chain.airdrop(addressOf(payer), LAMPORTS);

/** The error of a payment with an instruction of Lighthouse about some of its keys; null if there is none. */
async function errorWith(accounts: number[], data: readonly number[]): Promise<unknown> {
  const draft = draftOf(genuine.wire);
  guarded(4, accounts, data)(draft);
  const wire = signed(draft, [payer]).toString('base64');
  const answer = await chain.answer('simulateTransaction', [wire, { encoding: 'base64', commitment: 'processed' }]);
  return below(answer, 'value', 'err');
}

const custom = (code: number) => ({ InstructionError: [4, { Custom: code }] });
const [INVALID, FAILED, NO_ACCOUNT] = [6_000, 6_001, 6_002];
const lamports = (value: bigint, operator: number) => [5, 0, 0, ...u64(value), operator];

describe('the stand-in for Lighthouse', () => {
  it.each<[string, number, readonly boolean[]]>([
    // With one lamport less than the account has, as many, and one more.
    ['=', 0, [false, true, false]],
    ['!=', 1, [true, false, true]],
    ['>', 2, [true, false, false]],
    ['<', 3, [false, false, true]],
    ['>=', 4, [true, true, false]],
    ['<=', 5, [false, true, true]],
  ])('compares lamports by %s, for the payer and for the fee payer after its fee', async (_, operator, holds) => {
    for (const account of [PAYER, FEE_PAYER]) {
      const values = [LAMPORTS - 1n, LAMPORTS, LAMPORTS + 1n];
      const errors = await Promise.all(values.map((value) => errorWith([account], lamports(value, operator))));
      expect(errors).toEqual(holds.map((isTrue) => (isTrue ? null : custom(FAILED))));
    }
  });

  it('finds the instruction behind accounts with data, and behind one that is named twice', async () => {
    const mintAt = readable(draftOf(genuine.wire), mint);
    expect(await errorWith([PAYER, 2, PAYER, mintAt], lamports(LAMPORTS, 0))).toBeNull();
    expect(await errorWith([PAYER, 2, PAYER, mintAt], lamports(LAMPORTS, 1))).toEqual(custom(FAILED));
  });

  it('takes other assertions for true if they have their account', async () => {
    for (const kind of [2, 3, 4, 6, 10, 14, 17]) {
      expect(await errorWith([PAYER], [kind, 0, 0])).toBeNull();
      expect(await errorWith([], [kind, 0, 0])).toEqual(custom(NO_ACCOUNT));
    }
    expect(await errorWith([], [15, 0, 0])).toBeNull();
  });

  it.each<[string, readonly number[]]>([
    ['an empty instruction', []],
    ['writing memory', [0, 0, 255, 0, 0]],
    ['closing memory', [1, 0, 255]],
    ['an instruction that Lighthouse does not have', [18, 0, 0]],
    ['an operator that it does not have', lamports(0n, 9)],
    ['half a number of lamports', lamports(0n, 0).slice(0, 8)],
  ])('refuses %s', async (_, data) => {
    expect(await errorWith([PAYER], data)).toEqual(custom(INVALID));
  });
});
