import type { RefusalCode } from '@asset-gateway/protocol';
import type { Genuine, Parties } from './forge-market.ts';
import { type Draft, type DraftInstruction, readable, signed } from './forge-wire.ts';

/** A payment that must be refused: its fault, the expected reason, and how it is made. */
export interface Forgery {
  readonly name: string;
  readonly reason: RefusalCode;
  make(genuine: Genuine, parties: Parties): Uint8Array;
}

/** Changes a genuine payment's transaction. */
export type Change = (draft: Draft, parties: Parties) => unknown;

const PREFIX = 'invalid_exact_svm_payload_';
const INSTRUCTIONS = `${PREFIX}transaction_instructions_` as const;

/** The reasons of x402's verifier that forgeries here are refused with. */
export const REASONS = {
  undecodable: `${PREFIX}transaction_could_not_be_decoded`,
  signers: `${PREFIX}excessive_signers`,
  signature: `${PREFIX}signature_invalid`,
  length: `${INSTRUCTIONS}length`,
  limit: `${INSTRUCTIONS}compute_limit_instruction`,
  limitTooHigh: `${INSTRUCTIONS}compute_limit_instruction_too_high`,
  price: `${INSTRUCTIONS}compute_price_instruction`,
  priceTooHigh: `${INSTRUCTIONS}compute_price_instruction_too_high`,
  noTransfer: `${PREFIX}no_transfer_instruction`,
  feePayer: `${PREFIX}transaction_fee_payer_transferring_funds`,
  mint: `${PREFIX}mint_mismatch`,
  recipient: `${PREFIX}recipient_mismatch`,
  amount: `${PREFIX}amount_mismatch`,
  fourth: `${PREFIX}unknown_fourth_instruction`,
  fifth: `${PREFIX}unknown_fifth_instruction`,
  sixth: `${PREFIX}unknown_sixth_instruction`,
  seventh: `${PREFIX}unknown_seventh_instruction`,
  memoCount: `${PREFIX}memo_count`,
  /** Our own: the memo is of no request and price that were quoted. */
  other: 'no_matching_requirements',
} as const satisfies Record<string, RefusalCode>;

export const PROGRAMS = {
  system: '11111111111111111111111111111111',
  compute: 'ComputeBudget111111111111111111111111111111',
  token: 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  token2022: 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  associated: 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  memo: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  memoV1: 'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
  lighthouse: 'L2TExMFKdjpN9kozasaurPirfHy9P8sbXoAN1qA3S95',
} as const;

/** An address without a known key. */
export const STRANGER = 'So11111111111111111111111111111111111111112';

/** A forgery that the payer signs: only its content is wrong. */
const resigned = (name: string, reason: RefusalCode, change: Change): Forgery => ({
  name,
  reason,
  make({ draft }, parties) {
    change(draft, parties);
    return signed(draft, [parties.payer, parties.payee]);
  },
});

/** Forgeries that are refused for one reason, by name. The payer signs each: only its content is wrong. */
export const forgeries = (reason: RefusalCode, changes: Readonly<Record<string, Change>>): Forgery[] =>
  Object.entries(changes).map(([name, change]) => resigned(name, reason, change));

/** The instruction at a position of a draft. */
export function at(draft: Draft, position: number): DraftInstruction {
  const found = draft.instructions[position];
  if (!found) throw new Error(`no instruction ${position}`);
  return found;
}

/** Where the instructions of a genuine payment stand. */
export const [LIMIT, PRICE, TRANSFER, MEMO] = [0, 1, 2, 3];

export const limitOf = (draft: Draft): DraftInstruction => at(draft, LIMIT);
export const priceOf = (draft: Draft): DraftInstruction => at(draft, PRICE);
export const transferOf = (draft: Draft): DraftInstruction => at(draft, TRANSFER);
export const memoOf = (draft: Draft): DraftInstruction => at(draft, MEMO);

/** Gives an instruction other data. */
export const setData =
  (position: number, data: readonly number[]): Change =>
  (draft) =>
    Object.assign(at(draft, position), { data: Uint8Array.from(data) });

/** Takes instructions out. */
export const removed =
  (position: number, count: number): Change =>
  ({ instructions }) =>
    instructions.splice(position, count);

/** Puts an instruction of a program in. */
export const inserted =
  (position: number, program: string, accounts: number[] = [], data: readonly number[] = []): Change =>
  (draft) =>
    draft.instructions.splice(position, 0, instruction(draft, program, accounts, data));

/** An instruction of a program that is added to the keys when it is new. */
export const instruction = (
  draft: Draft,
  program: string,
  accounts: number[] = [],
  data: readonly number[] = [],
): DraftInstruction => ({ program: readable(draft, program), accounts, data: Uint8Array.from(data) });

/** The same instruction once more. */
export const copyOf = ({ program, accounts, data }: DraftInstruction): DraftInstruction => ({
  program,
  accounts: [...accounts],
  data: Uint8Array.from(data),
});

/** Numbers as the token and the compute budget program write them. */
export function u64(value: bigint): number[] {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return [...bytes];
}

export const u32 = (value: number): number[] => u64(BigInt(value)).slice(0, 4);
