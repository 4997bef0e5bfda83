import bs58 from 'bs58';
import { addressOf } from './forge-market.ts';
import {
  at,
  type Change,
  copyOf,
  type Forgery,
  forgeries,
  inserted,
  instruction,
  limitOf,
  memoOf,
  PROGRAMS,
  REASONS,
  STRANGER,
  TRANSFER,
  transferOf,
  u32,
  u64,
} from './forge-table.ts';
import { type Draft, messageOf, readable, signatureOver, signed, signer, wireOf, writable } from './forge-wire.ts';

const FEE_PAYER = 0;
const SOL = [...u32(2), ...u64(1_000_000_000n)];
const { lighthouse, system } = PROGRAMS;
const inTransfer =
  (place: number): Change =>
  (draft) =>
    transferOf(draft).accounts.splice(place, 1, FEE_PAYER);
/** SOL from the fee payer, at this position or in place of what stands there. */
const drained =
  (position: number, count: number, to = 1): Change =>
  (draft) =>
    draft.instructions.splice(position, count, instruction(draft, system, [FEE_PAYER, to], SOL));

/** Instructions that use the fee payer's signature. */
export const FEE_PAYER_FORGERIES: readonly Forgery[] = forgeries(REASONS.feePayer, {
  'the fee payer as source': inTransfer(0),
  'the fee payer as mint': inTransfer(1),
  'the fee payer as destination': inTransfer(2),
  'the fee payer as authority': inTransfer(3),
  'the fee payer as signer of the memo': (draft) => memoOf(draft).accounts.push(FEE_PAYER),
  'the fee payer beside the payer in the memo': (draft) => memoOf(draft).accounts.push(1, FEE_PAYER),
  'the fee payer in the compute limit': (draft) => limitOf(draft).accounts.push(FEE_PAYER),
  'the fee payer as program of the transfer': (draft) => Object.assign(transferOf(draft), { program: FEE_PAYER }),
  'the fee payer as program of a fifth instruction': (draft) =>
    draft.instructions.push({ program: FEE_PAYER, accounts: [], data: new Uint8Array() }),
  'Lighthouse with the fee payer': inserted(4, lighthouse, [FEE_PAYER], [0, 1]),
  'SOL from the fee payer to the payer': drained(4, 0),
  'SOL from the fee payer in place of the transfer': drained(TRANSFER, 1),
  'SOL from the fee payer to itself': drained(4, 0, FEE_PAYER),
  'a token account made at the expense of the fee payer': (draft, forge) => {
    const account = writable(draft, forge.payeeAta);
    const [mint, owner] = [readable(draft, forge.mint), readable(draft, addressOf(forge.payee))];
    const accounts = [FEE_PAYER, account, owner, mint, readable(draft, system), readable(draft, PROGRAMS.token)];
    inserted(4, PROGRAMS.associated, accounts, [1])(draft, forge);
  },
  'the fee payer as second signer, behind the payer': (draft, { feePayer, payer }) => {
    draft.keys.splice(0, 2, addressOf(payer), feePayer);
    draft.readonlySigners = 0;
    for (const each of draft.instructions) each.accounts = each.accounts.map((index) => (index === 1 ? 0 : index));
  },
  'a fee payer in the eighth instruction of eight': (draft) => {
    draft.instructions.push(...[0, 1, 2, 3].map(() => instruction(draft, lighthouse, [], [0])));
    at(draft, 7).accounts.push(FEE_PAYER);
  },
});

const lookup =
  (writable: number[], readonly: number[], table: string = STRANGER): Change =>
  (draft) =>
    draft.lookups.push({ table, writable, readonly });

function named(draft: Draft, key: string): number {
  draft.readonlyOthers += 1;
  return draft.keys.push(key) - 1;
}

/** Signatures that the fee payer would pay for, keys that are not in the transaction, and headers that no chain reads. */
export const SIGNER_FORGERIES: readonly Forgery[] = [
  {
    name: 'a payer who pays the fee himself',
    reason: REASONS.signers,
    make({ draft }, { payer }) {
      draft.keys.splice(0, 1);
      Object.assign(draft, { signers: 1, readonlySigners: 0 });
      for (const each of draft.instructions) {
        each.program -= 1;
        each.accounts = each.accounts.map((index) => index - 1);
      }
      return signed(draft, [payer]);
    },
  },
  ...forgeries(REASONS.signers, {
    'a third signer, who has signed': (draft, { payee }) => signer(draft, addressOf(payee)),
    'a third signer, who has not signed': (draft) => signer(draft, STRANGER),
    'a third signer, who signs the memo': (draft, { payee }) =>
      memoOf(draft).accounts.push(signer(draft, addressOf(payee))),
  }),
  ...forgeries(REASONS.undecodable, {
    'a lookup table without accounts': lookup([], []),
    'a lookup table with two accounts': lookup([0], [1]),
    'two lookup tables': (draft, forge) => [lookup([3], []), lookup([], [4], system)].map((add) => add(draft, forge)),
    'a lookup table that the transfer takes its source from': (draft, forge) => {
      lookup([0], [])(draft, forge);
      transferOf(draft).accounts.splice(0, 1, draft.keys.length);
    },
    'the payer named twice': (draft, { payer }) => named(draft, addressOf(payer)),
    'the fee payer named twice, once as an account': (draft, { feePayer }) =>
      memoOf(draft).accounts.push(named(draft, feePayer)),
    'an account that is not there': (draft) => memoOf(draft).accounts.push(draft.keys.length),
    'a program that is not there': (draft) =>
      draft.instructions.push({ ...copyOf(memoOf(draft)), program: draft.keys.length }),
    'a fee payer who may not be charged': (draft) => Object.assign(draft, { readonlySigners: 2 }),
    'more readers among the signers than signers': (draft) => Object.assign(draft, { readonlySigners: 3 }),
    'more readers than keys': (draft) => Object.assign(draft, { readonlyOthers: 200 }),
  }),
];

const EMPTY = Buffer.alloc(64);
const [SIGNATURE_AT, MESSAGE_AT] = [65, 129];
/** The order of the group, little-endian. */
const L = 2n ** 252n + 27742317777372353535851937790883648493n;
const SMALL_ORDER = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]);

const slotOf = (wire: Buffer): Buffer => wire.subarray(SIGNATURE_AT, MESSAGE_AT);
const messageIn = (wire: Buffer): Buffer => wire.subarray(MESSAGE_AT);

function flipped(bytes: Buffer, position: number): Buffer {
  const copy = Buffer.from(bytes);
  copy.writeUInt8(copy.readUInt8(position) ^ 1, position);
  return copy;
}

/** The same signature with the group's order added to S, which lenient verifiers take. */
export function malleated(signature: Buffer): Buffer {
  const s = BigInt(`0x${Buffer.from(signature.subarray(32)).reverse().toString('hex')}`) + L;
  const bytes = Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse();
  return Buffer.concat([signature.subarray(0, 32), bytes]);
}

type Make = Forgery['make'];

const made = (reason: Forgery['reason'], makers: Readonly<Record<string, Make>>): Forgery[] =>
  Object.entries(makers).map(([name, make]) => ({ name, reason, make }));

/** A genuine message with other signatures. */
const slots =
  (fill: (...from: Parameters<Make>) => readonly Uint8Array[]): Make =>
  (genuine, parties) =>
    wireOf(fill(genuine, parties), messageIn(genuine.wire));
const slot = (fill: Make): Make => slots((...from) => [EMPTY, fill(...from)]);

/** A message that is changed after the payer has signed it, or before. */
const changed =
  (change: (draft: Draft) => void, isSigned = false): Make =>
  ({ draft, wire }, { payer }) => {
    change(draft);
    return isSigned ? signed(draft, [payer]) : wireOf([EMPTY, slotOf(wire)], messageOf(draft));
  };

/** Signatures that are not the payer's over this message, and bytes that are no transaction. */
export const SIGNATURE_FORGERIES: readonly Forgery[] = [
  ...made(REASONS.signature, {
    'an empty slot': slot(() => EMPTY),
    'a flipped first bit': slot(({ wire }) => flipped(slotOf(wire), 0)),
    'a flipped bit in S': slot(({ wire }) => flipped(slotOf(wire), 33)),
    'S beyond the order of the group': slot(({ wire }) => malleated(slotOf(wire))),
    'R of small order': slot(({ wire }) => Buffer.concat([SMALL_ORDER, slotOf(wire).subarray(32)])),
    'the signature of another message': slot((_, { payer }) => signatureOver(Buffer.from('another'), payer)),
    "another wallet's signature": slot(({ wire }, { payee }) => signatureOver(messageIn(wire), payee)),
    "the payer's signature in the fee payer's slot": slots(({ wire }) => [slotOf(wire), EMPTY]),
    'a payer of small order whom every message is signed by': ({ draft }) => {
      draft.keys.splice(1, 1, bs58.encode(SMALL_ORDER));
      return wireOf([EMPTY, Buffer.concat([SMALL_ORDER, Buffer.alloc(32)])], messageOf(draft));
    },
    'the amount changed after signing': changed((draft) => transferOf(draft).data.set(u64(1n), 1)),
    'the memo changed after signing': changed((draft) => memoOf(draft).data.set([65, 65, 65, 65])),
    'the blockhash changed after signing': changed((draft) => Object.assign(draft, { blockhash: STRANGER })),
    'the header changed after signing': changed((draft) =>
      Object.assign(draft, { readonlyOthers: draft.readonlyOthers - 1 }),
    ),
  }),
  ...made(REASONS.undecodable, {
    'the message alone': ({ wire }) => messageIn(wire),
    'a byte too many': ({ wire }) => Buffer.concat([wire, Buffer.from([0])]),
    'a byte too few': ({ wire }) => wire.subarray(0, -1),
    'a third signature': slots(({ wire }) => [EMPTY, slotOf(wire), EMPTY]),
    'a single signature': slots(({ wire }) => [slotOf(wire)]),
    'a legacy message': changed((draft) => Object.assign(draft, { version: undefined }), true),
    'version 1': changed((draft) => Object.assign(draft, { version: 0x81 }), true),
    'a count in a longer spelling': ({ wire }) => Buffer.concat([Buffer.from([0x82, 0]), wire.subarray(1)]),
    'more than a packet': changed((draft) => Object.assign(memoOf(draft), { data: new Uint8Array(1233 - 400) }), true),
  }),
];
