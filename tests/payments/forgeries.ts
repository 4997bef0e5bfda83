import type { RefusalCode } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import {
  addressOf,
  type Draft,
  type DraftInstruction,
  messageOf,
  readable,
  signatureOver,
  signed,
  signer,
  wireOf,
  writable,
} from './drafts.ts';
import type { Genuine, Parties } from './forge.ts';

/** A payment that must be refused: its fault, the expected reason, and how it is made. */
export interface Forgery {
  readonly name: string;
  readonly reason: RefusalCode;
  make(genuine: Genuine, parties: Parties): Uint8Array;
}

/** Changes a genuine payment's transaction. */
export type Change = (draft: Draft, parties: Parties) => unknown;

/** The same, without its parties. */
export type DraftChange = (draft: Draft) => unknown;

export const PROGRAMS = {
  system: '11111111111111111111111111111111',
  compute: 'ComputeBudget111111111111111111111111111111',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  memo: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  memoV1: 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  lighthouse: 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95',
} as const;
const { lighthouse, system } = PROGRAMS;

/** An address without a known key. */
const STRANGER = 'So11111111111111111111111111111111111111112';

type Make = Forgery['make'];

/** Forgeries that are refused for one reason, by name. */
const made = (reason: RefusalCode, makers: Readonly<Record<string, Make>>): Forgery[] =>
  Object.entries(makers).map(([name, make]) => ({ name, reason, make }));

/** The same; the payer signs each: only its content is wrong. */
const forgeries = (reason: RefusalCode, changes: Readonly<Record<string, Change>>): Forgery[] =>
  Object.entries(changes).flatMap(([name, change]) =>
    made(reason, {
      [name]({ draft }, parties) {
        change(draft, parties);
        return signed(draft, [parties.payer, parties.payee]);
      },
    }),
  );

/** Where the instructions of a genuine payment stand. */
export const [LIMIT, PRICE, TRANSFER, MEMO] = [0, 1, 2, 3];
/** Where the signers stand among its keys. */
export const [FEE_PAYER, PAYER] = [0, 1];

/** The instruction at a position of a draft. */
export function at(draft: Draft, position: number): DraftInstruction {
  const found = draft.instructions[position];
  if (!found) throw new Error(`no instruction ${position}`);
  return found;
}

/** Gives an instruction other data. */
export const setData =
  (position: number, data: readonly number[]): DraftChange =>
  (draft) =>
    Object.assign(at(draft, position), { data: Uint8Array.from(data) });

const setProgram =
  (position: number, program: string): Change =>
  (draft) =>
    Object.assign(at(draft, position), { programAddressIndex: readable(draft, program) });

/** Takes instructions out. */
export const removed =
  (position: number, count: number): DraftChange =>
  ({ instructions }) =>
    instructions.splice(position, count);

/** Puts an instruction of a program in. */
const inserted =
  (position: number, program: string, accounts: number[] = [], data: readonly number[] = []): Change =>
  (draft) =>
    draft.instructions.splice(position, 0, instruction(draft, program, accounts, data));

/** Puts a copy of an instruction in. */
const repeated =
  (position: number, from: number): Change =>
  (draft) =>
    draft.instructions.splice(position, 0, structuredClone(at(draft, from)));

/** An instruction of a program that is added to the keys when it is new. */
export const instruction = (
  draft: Draft,
  program: string,
  accounts: number[] = [],
  data: readonly number[] = [],
): DraftInstruction => ({
  programAddressIndex: readable(draft, program),
  accountIndices: accounts,
  data: Uint8Array.from(data),
});

/** Numbers as the token and the compute budget program write them. */
export function u64(value: bigint): number[] {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return [...bytes];
}

export const u32 = (value: number): number[] => u64(BigInt(value)).slice(0, 4);

/** Lighthouse's assertion that an account has at least so many lamports. */
export const hasLamports = (atLeast: bigint): number[] => [5, 0, 0, ...u64(atLeast), 4];

/** Puts a wallet's guard in: an assertion of Lighthouse about these accounts. */
export const guarded =
  (position: number, accounts: number[], data: readonly number[] = hasLamports(0n)) =>
  (draft: Draft): unknown =>
    draft.instructions.splice(position, 0, instruction(draft, lighthouse, accounts, data));

const limit = (...data: number[]): Change => setData(LIMIT, data);
const price = (...data: number[]): Change => setData(PRICE, data);

/** Wrong compute limits and compute prices. */
export const COMPUTE_FORGERIES: readonly Forgery[] = [
  ...forgeries('invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction_too_high', {
    'a compute limit one unit too high': limit(2, ...u32(400_001)),
  }),
  ...forgeries('invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction', {
    'a compute limit cut short': limit(2, 32, 78, 0),
    'a compute limit with a byte too many': limit(2, ...u32(20_000), 0),
    'loaded data instead of a compute limit': limit(4, ...u32(20_000)),
    'a limit of another program': setProgram(LIMIT, STRANGER),
  }),
  ...forgeries('invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high', {
    'a compute price one micro-lamport too high': price(3, ...u64(500_001n)),
    'a fee too high by a micro-lamport for the most units': (draft, forge) => {
      limit(2, ...u32(400_000))(draft, forge);
      price(3, ...u64(25_001n))(draft, forge);
    },
    'a compute price that is high in its upper half only': price(3, ...u64(2n ** 32n)),
    'the highest compute price': price(3, ...u64(2n ** 64n - 1n)),
  }),
  ...forgeries('invalid_exact_svm_payload_transaction_instructions_compute_price_instruction', {
    'a compute price cut short': price(3, 1, 0, 0, 0, 0, 0, 0),
    'a compute price with a byte too many': price(3, ...u64(1n), 0),
    'a compute price that is a limit': price(2, ...u32(20_000), 0, 0, 0, 0),
    'a price of another program': setProgram(PRICE, STRANGER),
  }),
  ...forgeries('invalid_exact_svm_payload_unknown_fifth_instruction', {
    'a second compute limit at the end': inserted(4, PROGRAMS.compute, [], [2, ...u32(1_400_000)]),
  }),
  ...forgeries('invalid_exact_svm_payload_transaction_instructions_length', {
    'neither compute limit nor price': removed(LIMIT, 2),
    'eight instructions': (draft, forge) => [0, 1, 2, 3].map(() => repeated(4, MEMO)(draft, forge)),
    'nine guards': (draft) => Array.from({ length: 9 }, () => guarded(2, [PAYER])(draft)),
  }),
];

/** The price of the route that is paid for here. */
const AMOUNT = 5n;
const transfer = (...data: number[]): Change => setData(TRANSFER, data);
const paying = (amount: bigint): Change => transfer(12, ...u64(amount), 6);

const [SOURCE, MINT, DESTINATION, AUTHORITY] = [0, 1, 2, 3];

/** Gives the transfer another source, mint, destination or authority. */
const account =
  (place: number, index: (draft: Draft) => number | undefined): Change =>
  (draft) => {
    // A new key moves the others, in new lists of accounts.
    const other = Number(index(draft));
    at(draft, TRANSFER).accountIndices.splice(place, 1, other);
  };
const stranger = (draft: Draft) => readable(draft, STRANGER);

/** Wrong tokens, amounts, sources and destinations. */
export const TRANSFER_FORGERIES: readonly Forgery[] = [
  ...forgeries('invalid_exact_svm_payload_no_transfer_instruction', {
    'the second token program': setProgram(TRANSFER, PROGRAMS.token2022),
    'an unchecked transfer': (draft, forge) => {
      at(draft, TRANSFER).accountIndices.splice(MINT, 1);
      transfer(3, ...u64(AMOUNT))(draft, forge);
    },
    'an approval': transfer(13, ...u64(AMOUNT), 6),
    'a transfer cut short': transfer(12, ...u64(AMOUNT)),
    'a transfer with a byte too many': transfer(12, ...u64(AMOUNT), 6, 0),
    'a transfer without its authority': (draft) => at(draft, TRANSFER).accountIndices.pop(),
    'a transfer with the authority twice': (draft) => at(draft, TRANSFER).accountIndices.push(1),
  }),
  ...forgeries('invalid_exact_svm_payload_mint_mismatch', {
    'a mint that is a stranger': account(MINT, stranger),
    '7 decimals': transfer(12, ...u64(AMOUNT), 7),
  }),
  ...forgeries('invalid_exact_svm_payload_recipient_mismatch', {
    'the destination is a stranger': account(DESTINATION, (draft) => writable(draft, STRANGER)),
    "the source is the payee's own account": account(
      SOURCE,
      (draft) => at(draft, TRANSFER).accountIndices[DESTINATION],
    ),
  }),
  ...forgeries('invalid_exact_svm_payload_transaction_fee_payer_transferring_funds', {
    'an authority who does not sign': account(AUTHORITY, stranger),
    'the payee as payer': (draft, { payee }) => draft.staticAccounts.splice(1, 1, addressOf(payee)),
  }),
  ...forgeries('no_matching_requirements', {
    'a micro-dollar too little': paying(AMOUNT - 1n),
    'a micro-dollar too much': paying(AMOUNT + 1n),
    'an amount that is right in its lower half': paying(AMOUNT + 2n ** 32n),
  }),
  ...forgeries('invalid_exact_svm_payload_unknown_fourth_instruction', {
    'a second transfer behind the first': repeated(MEMO, TRANSFER),
    'SOL from the payer': inserted(MEMO, system, [1, 2], [2, 0, 0, 0, ...u64(1n)]),
  }),
  ...forgeries('invalid_exact_svm_payload_unknown_fifth_instruction', {
    'a second transfer at the end': repeated(4, TRANSFER),
  }),
];

const memo =
  (change: (memo: Buffer) => string | Uint8Array): Change =>
  (draft) =>
    Object.assign(at(draft, MEMO), { data: Buffer.from(change(Buffer.from(at(draft, MEMO).data))) });
const MADE_UP = '0123456789abcdef0123456789abcdef';

/** An instruction of a program that is none of ours at each free position, with more memos in between. */
const unknown = (['fourth', 'fifth', 'sixth', 'seventh'] as const).flatMap((place, position) =>
  [STRANGER, system, PROGRAMS.memoV1].flatMap((program) =>
    forgeries(`invalid_exact_svm_payload_unknown_${place}_instruction`, {
      [`${program} at position ${position + 4}, guards not counted`]: (draft, forge) => {
        for (let more = 1; more < position; more++) repeated(MEMO, MEMO)(draft, forge);
        draft.instructions.splice(MEMO + position, 0, instruction(draft, program));
        guarded(MEMO, [PAYER])(draft);
      },
    }),
  ),
);

/** What Lighthouse can do besides assertions about accounts. */
const DOINGS: Readonly<Record<string, readonly number[]>> = {
  nothing: [],
  'writing memory': [0, 0, 255, 0, 0],
  'closing memory': [1, 0, 255],
  'asking for the time': [15, 0, 0, ...u64(2n ** 40n), 3],
  'calling another program': [16, 0, 0, ...u32(0), ...Array(32).fill(0)],
  'an assertion about a tree of another program': [17, 0, 0, 0, 0],
  'an instruction that it may have one day': [18],
  'the last instruction that there can be': [255],
};

/** Accounts that can change between the simulation and the block. */
const CHANGING = {
  'the clock': 'SysvarC1ock11111111111111111111111111111111',
  'the slot hashes': 'SysvarS1otHashes111111111111111111111111111',
  'a stranger': STRANGER,
};

/** Lighthouse's assertion that the number at the start of an account, of the clock its slot, is at most this. */
const startsWithAtMost = (most: bigint): number[] => [2, 0, 0, 8, ...u64(most), 5];

const changing = Object.entries(CHANGING).flatMap(([name, address]) =>
  forgeries('invalid_exact_svm_payload_unknown_fifth_instruction', {
    [`a guard about ${name}`]: (draft) =>
      guarded(4, [PAYER, readable(draft, address)], startsWithAtMost(2n ** 40n))(draft),
    // These instructions could name any account, because they use none.
    ...Object.fromEntries(
      Object.entries({ limit: LIMIT, price: PRICE, memo: MEMO }).map(([where, position]) => [
        `a guard about ${name}, which the ${where} names`,
        (draft: Draft) => {
          at(draft, position).accountIndices = [readable(draft, address)];
          guarded(4, [PAYER, readable(draft, address)], startsWithAtMost(2n ** 40n))(draft);
        },
      ]),
    ),
  }),
);

/** Instructions of Lighthouse that are no guards. */
export const GUARD_FORGERIES: readonly Forgery[] = Object.entries(DOINGS)
  .flatMap(([name, data]) => [
    ...forgeries('invalid_exact_svm_payload_unknown_fifth_instruction', {
      [`Lighthouse at the end, ${name}`]: guarded(4, [PAYER], data),
    }),
    ...forgeries('invalid_exact_svm_payload_no_transfer_instruction', {
      [`Lighthouse before the transfer, ${name}`]: guarded(TRANSFER, [PAYER], data),
    }),
    ...forgeries('invalid_exact_svm_payload_transaction_fee_payer_transferring_funds', {
      [`Lighthouse with the fee payer, ${name}`]: guarded(4, [FEE_PAYER], data),
    }),
  ])
  .concat(changing);

/** Wrong memos, and wrong instructions next to the memo. */
export const MEMO_FORGERIES: readonly Forgery[] = [
  ...forgeries('invalid_exact_svm_payload_memo_count', {
    'the same memo twice': repeated(4, MEMO),
    'a second, empty memo': inserted(MEMO, PROGRAMS.memo),
    'two memos that stock clients make up': (draft, forge) => {
      memo(() => MADE_UP)(draft, forge);
      inserted(MEMO, PROGRAMS.memo, [], [...Buffer.from(MADE_UP)])(draft, forge);
    },
  }),
  ...forgeries('no_matching_requirements', {
    'a memo with its first character changed': memo((text) => `${text.at(0) === 65 ? 'B' : 'A'}${text.subarray(1)}`),
  }),
  ...unknown,
];

/** The client has not copied the memo, and gets the advice to do so. */
export const UNCOPIED_MEMOS: readonly Forgery[] = [
  ...forgeries('no_matching_requirements', {
    'no memo': removed(MEMO, 1),
    'a memo as stock clients make one up': memo(() => MADE_UP),
    'a memo that is not UTF-8': memo(() => Buffer.from([0xff, 0xfe, 0xc0, 0x80])),
  }),
];

/** Instructions that use the fee payer's signature. */
export const FEE_PAYER_FORGERIES: readonly Forgery[] = forgeries(
  'invalid_exact_svm_payload_transaction_fee_payer_transferring_funds',
  {
    'the fee payer as source': account(SOURCE, () => FEE_PAYER),
    'the fee payer as authority': account(AUTHORITY, () => FEE_PAYER),
    'the fee payer as signer of the memo': (draft) => at(draft, MEMO).accountIndices.push(FEE_PAYER),
    'the fee payer in the compute limit': (draft) => at(draft, LIMIT).accountIndices.push(FEE_PAYER),
    'the fee payer as program of the transfer': (draft) =>
      Object.assign(at(draft, TRANSFER), { programAddressIndex: FEE_PAYER }),
    'SOL from the fee payer to the payer': inserted(4, system, [FEE_PAYER, 1], [...u32(2), ...u64(1_000_000_000n)]),
    'the fee payer as second signer, behind the payer': (draft, { feePayer, payer }) => {
      draft.staticAccounts.splice(0, 2, addressOf(payer), feePayer);
      draft.header.numReadonlySignerAccounts = 0;
      for (const each of draft.instructions)
        each.accountIndices = each.accountIndices.map((index) => (index === 1 ? 0 : index));
    },
    'a fee payer in the eighth instruction of eight': (draft) => {
      draft.instructions.push(...[0, 1, 2, 3].map(() => instruction(draft, PROGRAMS.memo)));
      at(draft, 7).accountIndices.push(FEE_PAYER);
    },
    'the fee payer in a transfer behind a guard that may name it': (draft, forge) => {
      account(SOURCE, () => FEE_PAYER)(draft, forge);
      guarded(TRANSFER, [FEE_PAYER])(draft);
    },
  },
);

const lookup =
  (writableIndexes: number[]): Change =>
  (draft) =>
    draft.addressTableLookups.push({ lookupTableAddress: STRANGER, writableIndexes, readonlyIndexes: [] });

/** The lookup is the client's to refuse as well. */
export const LOOKUP_FORGERIES: readonly Forgery[] = forgeries(
  'invalid_exact_svm_payload_transaction_could_not_be_decoded',
  {
    'a lookup table that the transfer takes its source from': (draft, forge) => {
      lookup([0])(draft, forge);
      account(SOURCE, ({ staticAccounts }) => staticAccounts.length)(draft, forge);
    },
  },
);

/** Signatures that the fee payer would pay for, and keys that are not in the transaction. */
export const SIGNER_FORGERIES: readonly Forgery[] = [
  ...made('invalid_exact_svm_payload_excessive_signers', {
    'a payer who pays the fee himself': ({ draft }, { payer }) => {
      draft.staticAccounts.splice(0, 1);
      Object.assign(draft.header, { numSignerAccounts: 1, numReadonlySignerAccounts: 0 });
      for (const each of draft.instructions) {
        each.programAddressIndex -= 1;
        each.accountIndices = each.accountIndices.map((index) => index - 1);
      }
      return signed(draft, [payer]);
    },
  }),
  ...forgeries('invalid_exact_svm_payload_excessive_signers', {
    'a third signer, who has signed': (draft, { payee }) => signer(draft, addressOf(payee)),
    'a third signer, who has not signed': (draft) => signer(draft, STRANGER),
  }),
  ...forgeries('invalid_exact_svm_payload_transaction_could_not_be_decoded', {
    'a lookup table without accounts': lookup([]),
  }),
  ...LOOKUP_FORGERIES,
];

const EMPTY = Buffer.alloc(64);
const [SIGNATURE_AT, MESSAGE_AT] = [65, 129];
/** The order of the group, little-endian. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const SMALL_ORDER = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]);

const slotOf = (wire: Buffer): Buffer => wire.subarray(SIGNATURE_AT, MESSAGE_AT);
const messageIn = (wire: Buffer): Buffer => wire.subarray(MESSAGE_AT);

/** The same signature with the group's order added to S, which lenient verifiers take. */
export function malleated(signature: Buffer): Buffer {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + L;
  const bytes = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([signature.subarray(0, 32), bytes]);
}

/** A genuine message with another signature of the payer. */
const slot =
  (fill: Make): Make =>
  (genuine, parties) =>
    wireOf([EMPTY, fill(genuine, parties)], messageIn(genuine.wire));

/** Signatures that are not the payer's over this message. */
export const SIGNATURE_FORGERIES: readonly Forgery[] = [
  ...made('invalid_exact_svm_payload_signature_invalid', {
    'an empty slot': slot(() => EMPTY),
    'S beyond the order of the group': slot(({ wire }) => malleated(slotOf(wire))),
    'R of small order': slot(({ wire }) => Buffer.concat([SMALL_ORDER, slotOf(wire).subarray(32)])),
    'the signature of another message': slot((_, { payer }) => signatureOver(Buffer.from('another'), payer)),
    "another wallet's signature": slot(({ wire }, { payee }) => signatureOver(messageIn(wire), payee)),
    "the payer's signature in the fee payer's slot": ({ wire }) => wireOf([slotOf(wire), EMPTY], messageIn(wire)),
    'a payer of small order whom every message is signed by': ({ draft }) => {
      draft.staticAccounts.splice(1, 1, bs58.encode(SMALL_ORDER));
      return wireOf([EMPTY, Buffer.concat([SMALL_ORDER, Buffer.alloc(32)])], messageOf(draft));
    },
    'the amount changed after signing': ({ draft, wire }) => {
      at(draft, TRANSFER).data.set(u64(1n), 1);
      return wireOf([EMPTY, slotOf(wire)], messageOf(draft));
    },
  }),
  ...made('invalid_exact_svm_payload_transaction_could_not_be_decoded', {
    'a byte too few': ({ wire }) => wire.subarray(0, -1),
  }),
];

export const ALL_FORGERIES: readonly Forgery[] = [
  ...COMPUTE_FORGERIES,
  ...FEE_PAYER_FORGERIES,
  ...GUARD_FORGERIES,
  ...MEMO_FORGERIES,
  ...SIGNATURE_FORGERIES,
  ...SIGNER_FORGERIES,
  ...TRANSFER_FORGERIES,
  ...UNCOPIED_MEMOS,
];
