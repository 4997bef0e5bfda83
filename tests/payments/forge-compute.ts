import type { RefusalCode } from '@asset-gateway/protocol';
import {
  copyOf,
  type Forgery,
  instruction,
  limitOf,
  memoOf,
  PROGRAMS,
  priceOf,
  REASONS,
  resigned,
  STRANGER,
  u32,
  u64,
} from './forge-table.ts';
import { readable } from './forge-wire.ts';

const limits = (name: string, reason: RefusalCode, data: readonly number[]): Forgery =>
  resigned(`a compute limit ${name}`, reason, (draft) =>
    Object.assign(limitOf(draft), { data: Uint8Array.from(data) }),
  );

const prices = (name: string, reason: RefusalCode, data: readonly number[]): Forgery =>
  resigned(`a compute price ${name}`, reason, (draft) =>
    Object.assign(priceOf(draft), { data: Uint8Array.from(data) }),
  );

/** Wrong compute limits and compute prices. */
export const COMPUTE_FORGERIES: readonly Forgery[] = [
  limits('one unit too high', REASONS.limitTooHigh, [2, ...u32(200_001)]),
  limits('of Solana at its largest', REASONS.limitTooHigh, [2, ...u32(1_400_000)]),
  limits('that is the largest number', REASONS.limitTooHigh, [2, ...u32(0xffff_ffff)]),
  limits('cut short', REASONS.limit, [2, 32, 78, 0]),
  limits('with a byte too many', REASONS.limit, [2, ...u32(20_000), 0]),
  limits('without a word', REASONS.limit, []),
  limits('that asks for a heap instead', REASONS.limit, [1, ...u32(32_768)]),
  limits('in the old form with a fee', REASONS.limit, [0, ...u32(20_000), ...u32(1_000_000)]),
  limits('that asks for loaded data instead', REASONS.limit, [4, ...u32(20_000)]),
  prices('one micro-lamport too high', REASONS.priceTooHigh, [3, ...u64(50_001n)]),
  prices('of the reference at its largest', REASONS.priceTooHigh, [3, ...u64(5_000_000n)]),
  prices('that is the largest number', REASONS.priceTooHigh, [3, ...u64(2n ** 64n - 1n)]),
  prices('that is high in its upper half only', REASONS.priceTooHigh, [3, ...u64(2n ** 32n)]),
  prices('cut short', REASONS.price, [3, 1, 0, 0, 0, 0, 0, 0]),
  prices('with a byte too many', REASONS.price, [3, ...u64(1n), 0]),
  prices('without a word', REASONS.price, []),
  prices('that is a limit', REASONS.price, [2, ...u32(20_000), 0, 0, 0, 0]),
  resigned('no compute limit', REASONS.limit, ({ instructions }) => instructions.splice(0, 1)),
  resigned('no compute price', REASONS.price, ({ instructions }) => instructions.splice(1, 1)),
  resigned('neither of them', REASONS.length, ({ instructions }) => instructions.splice(0, 2)),
  resigned('two compute limits', REASONS.price, (draft) => draft.instructions.splice(1, 0, copyOf(limitOf(draft)))),
  resigned('a second compute limit at the end', REASONS.fifth, (draft) => {
    draft.instructions.push(instruction(draft, PROGRAMS.compute, [], [2, ...u32(1_400_000)]));
  }),
  resigned('a second compute price at the end', REASONS.fifth, (draft) => {
    draft.instructions.push(instruction(draft, PROGRAMS.compute, [], [3, ...u64(5_000_000n)]));
  }),
  resigned('price before limit', REASONS.limit, (draft) => {
    draft.instructions.splice(0, 2, priceOf(draft), limitOf(draft));
  }),
  resigned('the transfer first', REASONS.limit, ({ instructions }) =>
    instructions.unshift(...instructions.splice(2, 1)),
  ),
  resigned('the memo first', REASONS.limit, (draft) => draft.instructions.unshift(...draft.instructions.splice(3, 1))),
  resigned('a limit of another program', REASONS.limit, (draft) => {
    limitOf(draft).program = readable(draft, STRANGER);
  }),
  resigned('a price of another program', REASONS.price, (draft) => {
    priceOf(draft).program = readable(draft, STRANGER);
  }),
  resigned('no instruction', REASONS.length, ({ instructions }) => instructions.splice(0)),
  resigned('a memo alone', REASONS.length, ({ instructions }) => instructions.splice(0, 3)),
  resigned('eight instructions', REASONS.length, (draft) => {
    draft.instructions.push(...[0, 1, 2, 3].map(() => instruction(draft, PROGRAMS.lighthouse, [], [0])));
  }),
  resigned('sixty instructions', REASONS.length, (draft) => {
    const memo = memoOf(draft);
    draft.instructions.push(...Array.from({ length: 56 }, () => ({ ...memo, data: new Uint8Array() })));
  }),
];
