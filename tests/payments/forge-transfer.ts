import { USDC } from '@asset-gateway/protocol';
import { addressOf } from './forge-market.ts';
import {
  type Change,
  copyOf,
  type Forgery,
  instruction,
  memoOf,
  PROGRAMS,
  REASONS,
  resigned,
  STRANGER,
  transferOf,
  u64,
} from './forge-table.ts';
import { type Draft, readable, writable } from './forge-wire.ts';

const none = (name: string, change: Change): Forgery => resigned(name, REASONS.noTransfer, change);
const setData = (draft: Draft, data: readonly number[]) =>
  Object.assign(transferOf(draft), { data: Uint8Array.from(data) });
const setAccount = (draft: Draft, place: number, index: number) => transferOf(draft).accounts.splice(place, 1, index);

const amounts = (name: string, amount: bigint): Forgery =>
  resigned(name, REASONS.other, (draft) => setData(draft, [12, ...u64(amount), 6]));

/** The price of the route that is paid for here. */
const PRICE = 5n;

const NO_TRANSFER: readonly Forgery[] = [
  none('the second token program', (draft) => {
    transferOf(draft).program = readable(draft, PROGRAMS.token2022);
  }),
  none('the memo program in place of the token program', (draft) => {
    transferOf(draft).program = memoOf(draft).program;
  }),
  none('an unchecked transfer', (draft) => {
    const [source = 0, , destination = 0, authority = 0] = transferOf(draft).accounts;
    Object.assign(transferOf(draft), { accounts: [source, destination, authority] });
    setData(draft, [3, ...u64(PRICE)]);
  }),
  none('an unchecked transfer with four accounts', (draft) => setData(draft, [3, ...u64(PRICE), 6])),
  none('an approval', (draft) => setData(draft, [13, ...u64(PRICE), 6])),
  none('a burn', (draft) => setData(draft, [15, ...u64(PRICE), 6])),
  none('a change of the owner', (draft) => setData(draft, [6, 2, 1, 0, 0, 0, 0, 0, 0, 0])),
  none('a closing of the account', (draft) => setData(draft, [9])),
  none('a transfer cut short', (draft) => setData(draft, [12, ...u64(PRICE)])),
  none('a transfer with a byte too many', (draft) => setData(draft, [12, ...u64(PRICE), 6, 0])),
  none('a transfer without a word', (draft) => setData(draft, [])),
  none('a transfer without its authority', (draft) => transferOf(draft).accounts.pop()),
  none('a transfer with the authority twice', (draft) => transferOf(draft).accounts.push(1)),
  none('a transfer without accounts', (draft) => transferOf(draft).accounts.splice(0)),
  none('no transfer but a memo', ({ instructions }) => instructions.splice(2, 1)),
];

const TOKENS: readonly Forgery[] = [
  resigned('a mint that is a stranger', REASONS.mint, (draft) => setAccount(draft, 1, readable(draft, STRANGER))),
  resigned("the other cluster's USDC", REASONS.mint, (draft) => setAccount(draft, 1, readable(draft, USDC.mainnet))),
  ...[5, 7, 0, 255].map((decimals) =>
    resigned(`${decimals} decimals`, REASONS.mint, (draft) => setData(draft, [12, ...u64(PRICE), decimals])),
  ),
  resigned('source and mint swapped', REASONS.mint, (draft) => {
    const [source = 0, mint = 0] = transferOf(draft).accounts;
    transferOf(draft).accounts.splice(0, 2, mint, source);
  }),
];

const PLACES: readonly Forgery[] = [
  resigned('the destination is a stranger', REASONS.recipient, (draft) =>
    setAccount(draft, 2, writable(draft, STRANGER)),
  ),
  resigned("the destination is the payee's wallet, not its token account", REASONS.recipient, (draft, { payee }) =>
    setAccount(draft, 2, writable(draft, addressOf(payee))),
  ),
  resigned('the destination is the source', REASONS.recipient, (draft) =>
    setAccount(draft, 2, transferOf(draft).accounts[0] ?? 0),
  ),
  resigned("the source is the payee's own account", REASONS.recipient, (draft) =>
    setAccount(draft, 0, transferOf(draft).accounts[2] ?? 0),
  ),
  resigned('source and destination swapped', REASONS.recipient, (draft) => {
    const [source = 0, mint = 0, destination = 0] = transferOf(draft).accounts;
    transferOf(draft).accounts.splice(0, 3, destination, mint, source);
  }),
  resigned('an authority who does not sign', REASONS.feePayer, (draft) =>
    setAccount(draft, 3, readable(draft, STRANGER)),
  ),
  resigned('the payee as authority who does not sign', REASONS.feePayer, (draft, { payee }) =>
    setAccount(draft, 3, readable(draft, addressOf(payee))),
  ),
  resigned('the source as its own authority', REASONS.feePayer, (draft) =>
    setAccount(draft, 3, transferOf(draft).accounts[0] ?? 0),
  ),
  resigned('the payee as payer', REASONS.feePayer, (draft, { payee }) => {
    draft.keys.splice(1, 1, addressOf(payee));
  }),
];

const AMOUNTS: readonly Forgery[] = [
  amounts('a micro-dollar too little', PRICE - 1n),
  amounts('a micro-dollar too much', PRICE + 1n),
  amounts('nothing', 0n),
  amounts('the largest amount', 2n ** 64n - 1n),
  amounts('an amount that is right in its lower half', PRICE + 2n ** 32n),
  amounts('an amount that is right in the other byte order', PRICE << 56n),
];

const OTHERS: readonly Forgery[] = [
  resigned('a second transfer behind the first', REASONS.fourth, (draft) =>
    draft.instructions.splice(3, 0, copyOf(transferOf(draft))),
  ),
  resigned('a second transfer at the end', REASONS.fifth, (draft) =>
    draft.instructions.push(copyOf(transferOf(draft))),
  ),
  resigned('a token account made at the expense of the payer', REASONS.fifth, (draft) => {
    draft.instructions.push(instruction(draft, PROGRAMS.associated, [1], [1]));
  }),
  resigned('SOL from the payer', REASONS.fourth, (draft) =>
    draft.instructions.splice(3, 0, instruction(draft, PROGRAMS.system, [1, 2], [2, 0, 0, 0, ...u64(1n)])),
  ),
];

/** Wrong tokens, amounts, sources and destinations. */
export const TRANSFER_FORGERIES: readonly Forgery[] = [...NO_TRANSFER, ...TOKENS, ...PLACES, ...AMOUNTS, ...OTHERS];
