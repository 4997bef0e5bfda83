import { addressOf } from './forge-market.ts';
import {
  at,
  type Change,
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
  transferOf,
  u32,
  u64,
} from './forge-table.ts';
import { type Draft, messageOf, readable, signatureOver, signed, signer, wireOf, writable } from './forge-wire.ts';

const FEE_PAYER = 0;
const drains = (name: string, change: Change): Forgery => resigned(name, REASONS.feePayer, change);

const solTransfer = (draft: Draft, from: number, to: number) =>
  instruction(draft, PROGRAMS.system, [from, to], [...u32(2), ...u64(1_000_000_000n)]);

/** Instructions that use the fee payer's signature. */
export const FEE_PAYER_FORGERIES: readonly Forgery[] = [
  drains('the fee payer as authority', (draft) => transferOf(draft).accounts.splice(3, 1, FEE_PAYER)),
  drains('the fee payer as source', (draft) => transferOf(draft).accounts.splice(0, 1, FEE_PAYER)),
  drains('the fee payer as mint', (draft) => transferOf(draft).accounts.splice(1, 1, FEE_PAYER)),
  drains('the fee payer as destination', (draft) => transferOf(draft).accounts.splice(2, 1, FEE_PAYER)),
  drains('the fee payer as a second authority', (draft) => transferOf(draft).accounts.push(FEE_PAYER)),
  drains('the fee payer as signer of the memo', (draft) => memoOf(draft).accounts.push(FEE_PAYER)),
  drains('the fee payer beside the payer in the memo', (draft) => memoOf(draft).accounts.push(1, FEE_PAYER)),
  drains('the fee payer in the compute limit', (draft) => limitOf(draft).accounts.push(FEE_PAYER)),
  drains('the fee payer in the compute price', (draft) => priceOf(draft).accounts.push(FEE_PAYER)),
  drains('the fee payer as program of the transfer', (draft) => Object.assign(transferOf(draft), { program: 0 })),
  drains('the fee payer as program of a fifth instruction', (draft) =>
    draft.instructions.push({ program: FEE_PAYER, accounts: [], data: new Uint8Array() }),
  ),
  drains('Lighthouse with the fee payer', (draft) =>
    draft.instructions.push(instruction(draft, PROGRAMS.lighthouse, [FEE_PAYER], [0, 1])),
  ),
  drains('Lighthouse as fourth instruction with the fee payer', (draft) =>
    draft.instructions.splice(3, 0, instruction(draft, PROGRAMS.lighthouse, [FEE_PAYER], [0, 1])),
  ),
  drains('SOL from the fee payer to the payer', (draft) => draft.instructions.push(solTransfer(draft, FEE_PAYER, 1))),
  drains('SOL from the fee payer in place of the memo', (draft) =>
    draft.instructions.splice(3, 1, solTransfer(draft, FEE_PAYER, 1)),
  ),
  drains('SOL from the fee payer in place of the transfer', (draft) =>
    draft.instructions.splice(2, 1, solTransfer(draft, FEE_PAYER, 1)),
  ),
  drains('SOL from the fee payer to itself', (draft) =>
    draft.instructions.push(solTransfer(draft, FEE_PAYER, FEE_PAYER)),
  ),
  drains('a token account made at the expense of the fee payer', (draft, forge) => {
    const account = writable(draft, forge.payeeAta);
    const [mint, owner] = [readable(draft, forge.mint), readable(draft, addressOf(forge.payee))];
    const [system, token] = [readable(draft, PROGRAMS.system), readable(draft, PROGRAMS.token)];
    const accounts = [FEE_PAYER, account, owner, mint, system, token];
    draft.instructions.push(instruction(draft, PROGRAMS.associated, accounts, [1]));
  }),
  drains('the fee payer as second signer, behind the payer', (draft, forge) => {
    draft.keys.splice(0, 2, addressOf(forge.payer), forge.feePayer);
    draft.readonlySigners = 0;
    for (const each of draft.instructions) each.accounts = each.accounts.map((index) => (index === 1 ? 0 : index));
  }),
  drains('a fee payer in the eighth instruction of eight', (draft) => {
    const more = [0, 1, 2, 3].map(() => instruction(draft, PROGRAMS.lighthouse, [], [0]));
    draft.instructions.push(...more);
    at(draft, 7).accounts.push(FEE_PAYER);
  }),
];

const crowded = (name: string, change: Change): Forgery => resigned(name, REASONS.signers, change);

/** Signatures that the fee payer would pay for, and keys that are not in the transaction. */
export const SIGNER_FORGERIES: readonly Forgery[] = [
  {
    name: 'a third signer, who has signed',
    reason: REASONS.signers,
    make({ draft }, { payer, payee }) {
      signer(draft, addressOf(payee));
      return signed(draft, [payer, payee]);
    },
  },
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
      const message = messageOf(draft);
      return wireOf([signatureOver(message, payer)], message);
    },
  },
  crowded('a third signer, who has not signed', (draft) => signer(draft, STRANGER)),
  crowded('a third signer, who signs the memo', (draft, { payee }) =>
    memoOf(draft).accounts.push(signer(draft, addressOf(payee))),
  ),
  crowded('a fourth signer', (draft, { payee }) => {
    signer(draft, addressOf(payee));
    signer(draft, STRANGER);
  }),
  ...[0, 1, 2].map((size) =>
    resigned(`a lookup table with ${size} accounts`, REASONS.undecodable, (draft) => {
      draft.lookups.push({ table: STRANGER, writable: [0].slice(0, size), readonly: [1].slice(0, size - 1) });
    }),
  ),
  resigned('two lookup tables', REASONS.undecodable, (draft) => {
    draft.lookups.push({ table: STRANGER, writable: [3], readonly: [] });
    draft.lookups.push({ table: PROGRAMS.system, writable: [], readonly: [4] });
  }),
  resigned('a lookup table that the transfer takes its source from', REASONS.undecodable, (draft) => {
    draft.lookups.push({ table: STRANGER, writable: [0], readonly: [] });
    transferOf(draft).accounts.splice(0, 1, draft.keys.length);
  }),
  resigned('the payer named twice', REASONS.undecodable, (draft, { payer }) => {
    draft.keys.push(addressOf(payer));
    draft.readonlyOthers += 1;
  }),
  resigned('the fee payer named twice, once as an account', REASONS.undecodable, (draft, { feePayer }) => {
    draft.keys.push(feePayer);
    draft.readonlyOthers += 1;
    memoOf(draft).accounts.push(draft.keys.length - 1);
  }),
  resigned('an account that is not there', REASONS.undecodable, (draft) =>
    memoOf(draft).accounts.push(draft.keys.length),
  ),
  resigned('a program that is not there', REASONS.undecodable, (draft) => {
    draft.instructions.push({ ...copyOf(memoOf(draft)), program: draft.keys.length });
  }),
];
