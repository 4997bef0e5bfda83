import { USDC } from '@asset-gateway/protocol';
import { addressOf } from './forge-market.ts';
import {
  type Change,
  copyOf,
  type Forgery,
  forgeries,
  inserted,
  instruction,
  LIMIT,
  limitOf,
  MEMO,
  memoOf,
  PRICE,
  PROGRAMS,
  priceOf,
  REASONS,
  removed,
  STRANGER,
  setData,
  TRANSFER,
  transferOf,
  u32,
  u64,
} from './forge-table.ts';
import { readable, writable } from './forge-wire.ts';

const limit = (...data: number[]): Change => setData(LIMIT, data);
const price = (...data: number[]): Change => setData(PRICE, data);

/** Wrong compute limits and compute prices. */
export const COMPUTE_FORGERIES: readonly Forgery[] = [
  ...forgeries(REASONS.limitTooHigh, {
    'a compute limit one unit too high': limit(2, ...u32(200_001)),
  }),
  ...forgeries(REASONS.limit, {
    'a compute limit cut short': limit(2, 32, 78, 0),
    'a compute limit with a byte too many': limit(2, ...u32(20_000), 0),
    'loaded data instead of a compute limit': limit(4, ...u32(20_000)),
    'a compute limit in the old form with a fee': limit(0, ...u32(20_000), ...u32(1_000_000)),
    'no compute limit': removed(LIMIT, 1),
    'price before limit': ({ instructions }) => instructions.unshift(...instructions.splice(PRICE, 1)),
    'the transfer first': ({ instructions }) => instructions.unshift(...instructions.splice(TRANSFER, 1)),
    'a limit of another program': (draft) => Object.assign(limitOf(draft), { program: readable(draft, STRANGER) }),
  }),
  ...forgeries(REASONS.priceTooHigh, {
    'a compute price one micro-lamport too high': price(3, ...u64(50_001n)),
    'a compute price that is high in its upper half only': price(3, ...u64(2n ** 32n)),
  }),
  ...forgeries(REASONS.price, {
    'a compute price cut short': price(3, 1, 0, 0, 0, 0, 0, 0),
    'a compute price with a byte too many': price(3, ...u64(1n), 0),
    'a compute price that is a limit': price(2, ...u32(20_000), 0, 0, 0, 0),
    'no compute price': removed(PRICE, 1),
    'two compute limits': (draft) => draft.instructions.splice(PRICE, 0, copyOf(limitOf(draft))),
    'a price of another program': (draft) => Object.assign(priceOf(draft), { program: readable(draft, STRANGER) }),
  }),
  ...forgeries(REASONS.fifth, {
    'a second compute limit at the end': inserted(4, PROGRAMS.compute, [], [2, ...u32(1_400_000)]),
    'a second compute price at the end': inserted(4, PROGRAMS.compute, [], [3, ...u64(5_000_000n)]),
  }),
  ...forgeries(REASONS.length, {
    'neither compute limit nor price': removed(LIMIT, 2),
    'no instruction': removed(LIMIT, 4),
    'eight instructions': (draft, forge) =>
      [0, 1, 2, 3].map(() => inserted(4, PROGRAMS.lighthouse, [], [0])(draft, forge)),
  }),
];

/** The price of the route that is paid for here. */
const AMOUNT = 5n;
const transfer = (...data: number[]): Change => setData(TRANSFER, data);
const paying = (amount: bigint): Change => transfer(12, ...u64(amount), 6);

/** An account of the transfer: its source, mint, destination or authority. */
const account =
  (place: number, index: Change): Change =>
  (draft, forge) => {
    const other = Number(index(draft, forge));
    transferOf(draft).accounts.splice(place, 1, other);
  };
const [SOURCE, MINT, DESTINATION, AUTHORITY] = [0, 1, 2, 3];
const other =
  (place: number): Change =>
  (draft) =>
    transferOf(draft).accounts[place];
const reading =
  (key: string): Change =>
  (draft) =>
    readable(draft, key);

/** Wrong tokens, amounts, sources and destinations. */
export const TRANSFER_FORGERIES: readonly Forgery[] = [
  ...forgeries(REASONS.noTransfer, {
    'the second token program': (draft) =>
      Object.assign(transferOf(draft), { program: readable(draft, PROGRAMS.token2022) }),
    'the memo program in place of the token program': (draft) =>
      Object.assign(transferOf(draft), { program: memoOf(draft).program }),
    'an unchecked transfer': (draft, forge) => {
      transferOf(draft).accounts.splice(MINT, 1);
      transfer(3, ...u64(AMOUNT))(draft, forge);
    },
    'an approval': transfer(13, ...u64(AMOUNT), 6),
    'a closing of the account': transfer(9),
    'a transfer cut short': transfer(12, ...u64(AMOUNT)),
    'a transfer with a byte too many': transfer(12, ...u64(AMOUNT), 6, 0),
    'a transfer without its authority': (draft) => transferOf(draft).accounts.pop(),
    'a transfer with the authority twice': (draft) => transferOf(draft).accounts.push(1),
    'no transfer but a memo': removed(TRANSFER, 1),
    'two compute prices': (draft) => draft.instructions.splice(TRANSFER, 0, copyOf(priceOf(draft))),
    'the memo before the transfer': ({ instructions }) =>
      instructions.splice(TRANSFER, 0, ...instructions.splice(MEMO, 1)),
  }),
  ...forgeries(REASONS.mint, {
    'a mint that is a stranger': account(MINT, reading(STRANGER)),
    "the other cluster's USDC": account(MINT, reading(USDC.mainnet)),
    '7 decimals': transfer(12, ...u64(AMOUNT), 7),
    'source and mint swapped': (draft) =>
      transferOf(draft).accounts.splice(0, 0, ...transferOf(draft).accounts.splice(1, 1)),
  }),
  ...forgeries(REASONS.recipient, {
    'the destination is a stranger': account(DESTINATION, (draft) => writable(draft, STRANGER)),
    "the destination is the payee's wallet, not its token account": account(DESTINATION, (draft, { payee }) =>
      writable(draft, addressOf(payee)),
    ),
    'the destination is the source': account(DESTINATION, other(SOURCE)),
    "the source is the payee's own account": account(SOURCE, other(DESTINATION)),
    'source and destination swapped': (draft) => {
      const [source = 0, mint = 0, destination = 0] = transferOf(draft).accounts;
      transferOf(draft).accounts.splice(0, 3, destination, mint, source);
    },
  }),
  ...forgeries(REASONS.feePayer, {
    'an authority who does not sign': account(AUTHORITY, reading(STRANGER)),
    'the payee as authority who does not sign': account(AUTHORITY, (draft, { payee }) =>
      readable(draft, addressOf(payee)),
    ),
    'the source as its own authority': account(AUTHORITY, other(SOURCE)),
    'the payee as payer': (draft, { payee }) => draft.keys.splice(1, 1, addressOf(payee)),
  }),
  ...forgeries(REASONS.other, {
    'a micro-dollar too little': paying(AMOUNT - 1n),
    'a micro-dollar too much': paying(AMOUNT + 1n),
    nothing: paying(0n),
    'the largest amount': paying(2n ** 64n - 1n),
    'an amount that is right in its lower half': paying(AMOUNT + 2n ** 32n),
  }),
  ...forgeries(REASONS.fourth, {
    'a second transfer behind the first': (draft) => draft.instructions.splice(MEMO, 0, copyOf(transferOf(draft))),
    'SOL from the payer': inserted(MEMO, PROGRAMS.system, [1, 2], [2, 0, 0, 0, ...u64(1n)]),
  }),
  ...forgeries(REASONS.fifth, {
    'a second transfer at the end': (draft) => draft.instructions.push(copyOf(transferOf(draft))),
    'a token account made at the expense of the payer': inserted(4, PROGRAMS.associated, [1], [1]),
  }),
];

const memo = (change: (memo: Buffer) => Uint8Array | string): Change => {
  return (draft) => Object.assign(memoOf(draft), { data: Buffer.from(change(Buffer.from(memoOf(draft).data))) });
};
const another = (draft: Parameters<Change>[0], data: string) =>
  draft.instructions.splice(MEMO, 0, { ...memoOf(draft), data: Buffer.from(data) });
const MADE_UP = '0123456789abcdef0123456789abcdef';

/** An instruction of a program that is none of ours at each free position, with Lighthouse's in between. */
const unknown = [REASONS.fourth, REASONS.fifth, REASONS.sixth, REASONS.seventh].flatMap((reason, position) =>
  [STRANGER, PROGRAMS.system, PROGRAMS.memoV1].flatMap((program) =>
    forgeries(reason, {
      [`${program} at position ${position + 4}`]: (draft) => {
        const checks = [0, 1, 2].map(() => instruction(draft, PROGRAMS.lighthouse, [1], [0]));
        draft.instructions.push(...checks.slice(0, Math.max(0, position - 1)));
        draft.instructions.splice(MEMO + position, 0, instruction(draft, program));
      },
    }),
  ),
);

/** Wrong memos, and wrong instructions next to the memo. */
export const MEMO_FORGERIES: readonly Forgery[] = [
  ...forgeries(REASONS.memoCount, {
    'the same memo twice': (draft) => draft.instructions.push(copyOf(memoOf(draft))),
    'a second, empty memo': (draft) => another(draft, ''),
    'a second memo before the first': (draft) => another(draft, 'first'),
  }),
  ...forgeries(REASONS.fourth, {
    'the first memo program': (draft) => Object.assign(memoOf(draft), { program: readable(draft, PROGRAMS.memoV1) }),
  }),
  ...forgeries(REASONS.other, {
    'a memo with its first character changed': memo((text) => `${text.at(0) === 65 ? 'B' : 'A'}${text.subarray(1)}`),
  }),
  ...unknown,
];

/** The client has not copied the memo, and gets the advice to do so. */
export const UNCOPIED_MEMOS: readonly Forgery[] = [
  ...forgeries(REASONS.memoCount, {
    'no memo': removed(MEMO, 1),
    'a check in place of the memo': (draft, forge) => {
      removed(MEMO, 1)(draft, forge);
      inserted(MEMO, PROGRAMS.lighthouse, [1], [0])(draft, forge);
    },
    'two memos that stock clients make up': (draft, forge) => {
      memo(() => MADE_UP)(draft, forge);
      another(draft, MADE_UP);
    },
  }),
  ...forgeries(REASONS.other, {
    'a memo as stock clients make one up': memo(() => MADE_UP),
    'a memo that is not UTF-8': memo(() => Buffer.from([0xff, 0xfe, 0xc0, 0x80])),
    'a memo with a byte that is not UTF-8 behind it': memo((text) => Buffer.concat([text, Buffer.from([0xff])])),
  }),
];
