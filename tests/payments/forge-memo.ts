import { copyOf, type Forgery, instruction, memoOf, PROGRAMS, REASONS, resigned, STRANGER } from './forge-table.ts';
import { readable } from './forge-wire.ts';

const says = (name: string, change: (memo: Buffer) => Uint8Array): Forgery =>
  resigned(name, REASONS.other, (draft) => {
    const memo = memoOf(draft);
    memo.data = Uint8Array.from(change(Buffer.from(memo.data)));
  });

const text = (change: (memo: string) => string) => (memo: Buffer) => Buffer.from(change(memo.toString()));

const POSITIONS = [REASONS.fourth, REASONS.fifth, REASONS.sixth, REASONS.seventh];

/** An instruction of a program that is none of ours at each free position, with Lighthouse's in between. */
const unknown = POSITIONS.flatMap((reason, position) =>
  [STRANGER, PROGRAMS.system, PROGRAMS.memoV1].map((program) =>
    resigned(`${program} at position ${position + 4}`, reason, (draft) => {
      const checks = [0, 1, 2].map(() => instruction(draft, PROGRAMS.lighthouse, [1], [0]));
      draft.instructions.push(...checks.slice(0, Math.max(0, position - 1)));
      draft.instructions.splice(3 + position, 0, instruction(draft, program));
    }),
  ),
);

/** Wrong memos, and wrong instructions next to the memo. */
export const MEMO_FORGERIES: readonly Forgery[] = [
  resigned('no memo', REASONS.memoCount, ({ instructions }) => instructions.splice(3, 1)),
  resigned('the same memo twice', REASONS.memoCount, (draft) => draft.instructions.push(copyOf(memoOf(draft)))),
  resigned('a second, empty memo', REASONS.memoCount, (draft) => {
    draft.instructions.push({ ...memoOf(draft), data: new Uint8Array() });
  }),
  resigned('a second memo before the first', REASONS.memoCount, (draft) => {
    draft.instructions.splice(3, 0, { ...memoOf(draft), data: Buffer.from('first') });
  }),
  resigned('four memos', REASONS.memoCount, (draft) => {
    draft.instructions.push(...[0, 1, 2].map(() => copyOf(memoOf(draft))));
  }),
  resigned('a check in place of the memo', REASONS.memoCount, (draft) => {
    draft.instructions.splice(3, 1, instruction(draft, PROGRAMS.lighthouse, [1], [0]));
  }),
  resigned('the first memo program', REASONS.fourth, (draft) => {
    memoOf(draft).program = readable(draft, PROGRAMS.memoV1);
  }),
  says('a memo that is not UTF-8', () => Buffer.from([0xff, 0xfe, 0xc0, 0x80])),
  says('a memo with a byte that is not UTF-8 behind it', (memo) => Buffer.concat([memo, Buffer.from([0xff])])),
  says('an empty memo', () => Buffer.alloc(0)),
  says('a memo of other words', () => Buffer.from('for services rendered')),
  says('a memo as stock clients make one up', () => Buffer.from('0123456789abcdef0123456789abcdef')),
  says(
    'a memo with one character changed',
    text((memo) => memo.slice(0, -1) + (memo.endsWith('A') ? 'B' : 'A')),
  ),
  says(
    'a memo of another second',
    text((memo) => (memo.startsWith('A') ? 'B' : 'A') + memo.slice(1)),
  ),
  says(
    'a memo with a space behind it',
    text((memo) => `${memo} `),
  ),
  says(
    'a memo with a line end behind it',
    text((memo) => `${memo}\n`),
  ),
  says(
    'a memo with a zero before it',
    text((memo) => `\0${memo}`),
  ),
  says(
    'a memo cut short',
    text((memo) => memo.slice(0, -1)),
  ),
  says(
    'a memo in the other case',
    text((memo) => memo.replace(/[a-z]/g, (it) => it.toUpperCase())),
  ),
  says(
    'a memo in standard base64',
    text((memo) => `${memo.slice(0, 30)}+/`),
  ),
  ...unknown,
];
