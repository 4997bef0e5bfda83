import { REFUSALS } from '@asset-gateway/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carrying, type Forge, openForge } from './forge-market.ts';
import { type Change, copyOf, instruction, memoOf, PROGRAMS, REASONS } from './forge-table.ts';
import { signed } from './forge-wire.ts';

let forge: Forge;
let withoutMemos: Forge;
beforeAll(async () => {
  forge = await openForge();
  withoutMemos = await openForge({ PAYMENT_MEMO: 'off' });
});
afterAll(() => Promise.all([forge.stop(), withoutMemos.stop()]));

/** Pays with a changed transaction, shows that nobody was asked and nothing moved, and gives the code and the sentence. */
async function toldBy({ genuine, standing, pay, payer }: Forge, change: Change) {
  const { payload, draft } = await genuine();
  change(draft, forge);
  const before = await standing();
  const { status, error, body } = await pay(carrying(payload, signed(draft, [payer])));
  expect(status).toBe(402);
  expect(body).toMatchObject({ payment: { state: 'refused' }, accepts: [{ scheme: 'exact' }] });
  expect(await standing()).toEqual(before);
  return { error, message: body.message };
}

const says =
  (words: string): Change =>
  (draft) => {
    memoOf(draft).data = Buffer.from(words);
  };
const ADVICE = expect.stringMatching(/copy extra\.memo .*@x402\/svm 2\.10 or later\.$/);

describe('who does not copy the memo is told to', () => {
  it.each<[string, string, Change]>([
    ['32 hex digits, as stock clients make up', REASONS.other, says('0123456789abcdef0123456789abcdef')],
    ['words of its own', REASONS.other, says('for services rendered')],
    ['an empty memo', REASONS.other, says('')],
    ['no memo', REASONS.memoCount, ({ instructions }) => instructions.splice(3, 1)],
    [
      'a check in place of the memo',
      REASONS.memoCount,
      (draft) => draft.instructions.splice(3, 1, instruction(draft, PROGRAMS.lighthouse, [1], [0])),
    ],
    [
      'two that stock clients make up',
      REASONS.memoCount,
      (draft) => {
        says('0123456789abcdef0123456789abcdef')(draft, forge);
        draft.instructions.push(copyOf(memoOf(draft)));
      },
    ],
  ])('when it pays with %s', async (_, code, change) => {
    expect(await toldBy(forge, change)).toEqual({ error: code, message: ADVICE });
  });
});

describe('who copied one of ours is told what is wrong with it', () => {
  it.each<[string, keyof typeof REFUSALS, Change]>([
    [
      'one that was issued for something else',
      REASONS.other,
      (draft) => {
        const memo = memoOf(draft);
        memo.data = Buffer.from(
          Buffer.from(memo.data)
            .toString()
            .replace(/^./, (it) => (it === 'A' ? 'B' : 'A')),
        );
      },
    ],
    ['the same twice', REASONS.memoCount, (draft) => draft.instructions.push(copyOf(memoOf(draft)))],
    ['a transaction that is wrong elsewhere', REASONS.length, ({ instructions }) => instructions.splice(2, 2)],
  ])('when it pays with %s', async (_, code, change) => {
    expect(await toldBy(forge, change)).toEqual({ error: code, message: REFUSALS[code].message });
  });
});

describe('where requirements have no memo', () => {
  it('nobody is told to copy one', async () => {
    const told = await toldBy(withoutMemos, ({ instructions }) => instructions.splice(3, 1));
    expect(told).toEqual({ error: REASONS.memoCount, message: REFUSALS[REASONS.memoCount].message });
  });
});
