import {
  feeLamports,
  INSTRUCTIONS,
  PAYMENT_LIMITS,
  PROGRAMS,
  type RefusalCode,
  USDC_DECIMALS,
  withoutGuards,
} from '@asset-gateway/protocol';
import bs58 from 'bs58';
import type { Crypto } from '../../crypto.ts';
import type { Offer } from './requirement.ts';

/** An instruction with the addresses of its accounts. */
export interface Instruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: Uint8Array;
}

/** A version 0 transaction. */
export interface Transaction {
  readonly signatures: readonly Uint8Array[];
  /** The signed bytes, which identify the payment. */
  readonly message: Uint8Array;
  readonly signers: number;
  /** The addresses in base58, without duplicates. */
  readonly keys: readonly string[];
  readonly instructions: readonly Instruction[];
  readonly lookups: number;
}

/** The largest transaction that fits Solana's packets. */
export const MAX_TRANSACTION_BYTES = 1232;

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const VERSION_0 = 0x80;

class ByteReader {
  readonly #bytes: Uint8Array;
  position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  bytes(count: number): Uint8Array {
    const end = this.position + count;
    if (end > this.#bytes.length) throw new Error('too short');
    const bytes = this.#bytes.subarray(this.position, end);
    this.position = end;
    return bytes;
  }

  byte(): number {
    return this.bytes(1)[0] ?? 0;
  }

  /** Reads Solana's compact-u16, only in its shortest form. */
  compact(): number {
    let value = 0;
    for (let shift = 0; shift <= 14; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) {
        if (byte === 0 && shift > 0) break;
        return value;
      }
    }
    throw new Error('not a compact-u16');
  }

  several<T>(read: () => T): T[] {
    return Array.from({ length: this.compact() }, read);
  }
}

function readInstruction(reader: ByteReader, keys: readonly string[]): Instruction {
  const keyAt = (index: number): string => {
    const key = keys[index];
    if (key === undefined) throw new Error('no such key');
    return key;
  };
  const program = keyAt(reader.byte());
  const accounts = Array.from(reader.bytes(reader.compact()), keyAt);
  return { program, accounts, data: reader.bytes(reader.compact()) };
}

function read(bytes: Uint8Array): Transaction {
  const reader = new ByteReader(bytes);
  const signatures = reader.several(() => reader.bytes(SIGNATURE_BYTES));
  const message = bytes.subarray(reader.position);
  if (reader.byte() !== VERSION_0) throw new Error('not version 0');
  const signers = reader.byte();
  const readonlySigners = reader.byte();
  const readonlyOthers = reader.byte();
  const keys = reader.several(() => bs58.encode(reader.bytes(KEY_BYTES)));
  reader.bytes(KEY_BYTES);
  const instructions = reader.several(() => readInstruction(reader, keys));
  const lookups = reader.several(() => {
    reader.bytes(KEY_BYTES);
    reader.bytes(reader.compact());
    reader.bytes(reader.compact());
  }).length;
  const isSound = readonlySigners < signers && signers + readonlyOthers <= keys.length;
  const isWhole = reader.position === bytes.length;
  if (!isWhole || !isSound || signatures.length !== signers || new Set(keys).size !== keys.length) {
    throw new Error('not canonical');
  }
  return { signatures, message, signers, keys, instructions, lookups };
}

/** Reads a transaction; undefined unless the bytes are exactly one canonical version 0 transaction. */
export function readTransaction(bytes: Uint8Array): Transaction | undefined {
  if (bytes.length > MAX_TRANSACTION_BYTES) return undefined;
  try {
    return read(bytes);
  } catch {
    return undefined;
  }
}

/** Limits of a payment's cost. */
export const COST_LIMITS = { ...PAYMENT_LIMITS, maxRequiredSignatures: 2 } as const;

/** The most instructions besides guards. */
const MAX_INSTRUCTIONS = 7;
const MAX_GUARDS = 8;

/** The transfer of a payment's transaction. */
export interface Transfer {
  readonly payer: string;
  /** The token account that is debited. Its history on the chain has the payment. */
  readonly source: string;
  readonly amount: string;
  readonly memo: string | undefined;
  /** The fee of the transaction. */
  readonly feeLamports: number;
}

const view = ({ data }: Instruction): DataView => new DataView(data.buffer, data.byteOffset, data.byteLength);

/** Returns the fee of a transaction in lamports, for its signatures and its compute budget. */
const feeOf = (signatures: number, limit: Instruction, price: Instruction): number =>
  feeLamports({
    signatures,
    computeUnits: view(limit).getUint32(1, true),
    microLamports: Number(view(price).getBigUint64(1, true)),
  });

function computeFault(signers: number, limit: Instruction, price: Instruction): RefusalCode | undefined {
  if (
    limit.program !== PROGRAMS.computeBudget ||
    limit.data[0] !== INSTRUCTIONS.setComputeLimit ||
    limit.data.length !== 5
  ) {
    return 'invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction';
  }
  if (view(limit).getUint32(1, true) > COST_LIMITS.maxComputeUnits) {
    return 'invalid_exact_svm_payload_transaction_instructions_compute_limit_instruction_too_high';
  }
  if (
    price.program !== PROGRAMS.computeBudget ||
    price.data[0] !== INSTRUCTIONS.setComputePrice ||
    price.data.length !== 9
  ) {
    return 'invalid_exact_svm_payload_transaction_instructions_compute_price_instruction';
  }
  return feeOf(signers, limit, price) > COST_LIMITS.maxFeeLamports
    ? 'invalid_exact_svm_payload_transaction_instructions_compute_price_instruction_too_high'
    : undefined;
}

const OTHERS: readonly RefusalCode[] = [
  'invalid_exact_svm_payload_unknown_fourth_instruction',
  'invalid_exact_svm_payload_unknown_fifth_instruction',
  'invalid_exact_svm_payload_unknown_sixth_instruction',
  'invalid_exact_svm_payload_unknown_seventh_instruction',
];

function signersFault({ signers, keys, lookups }: Transaction, own: readonly Instruction[]) {
  if (signers !== COST_LIMITS.maxRequiredSignatures) return 'invalid_exact_svm_payload_excessive_signers';
  if (lookups > 0) return 'invalid_exact_svm_payload_transaction_could_not_be_decoded';
  // The fee payer must appear in no instruction that could use its signature.
  const [feePayer = ''] = keys;
  for (const { program, accounts } of own)
    if (accounts.includes(feePayer) || program === feePayer)
      return 'invalid_exact_svm_payload_transaction_fee_payer_transferring_funds';
  return undefined;
}

function readTokenTransfer(instruction: Instruction, { keys }: Transaction, offer: Offer) {
  const { program, accounts, data } = instruction;
  const [source = '', mint, destination, authority = ''] = accounts;
  if (
    program !== PROGRAMS.token ||
    data[0] !== INSTRUCTIONS.transferChecked ||
    data.length !== 10 ||
    accounts.length !== 4
  )
    return 'invalid_exact_svm_payload_no_transfer_instruction';
  if (authority !== keys[1] || authority === offer.payTo)
    return 'invalid_exact_svm_payload_transaction_fee_payer_transferring_funds';
  if (mint !== offer.asset || data[9] !== USDC_DECIMALS) return 'invalid_exact_svm_payload_mint_mismatch';
  if (destination !== offer.destination || source === destination)
    return 'invalid_exact_svm_payload_recipient_mismatch';
  const amount = view(instruction).getBigUint64(1, true).toString();
  return { payer: authority, source, amount };
}

/** Returns the memo among the instructions after the transfer. No other program may be among them. */
function readMemo(others: readonly Instruction[]): { readonly memo: string | undefined } | RefusalCode {
  const unknown = OTHERS[others.findIndex(({ program }) => program !== PROGRAMS.memo)];
  if (unknown) return unknown;
  // Several memos would leave open which one binds the payment.
  if (others.length > 1) return 'invalid_exact_svm_payload_memo_count';
  const [only] = others;
  return { memo: only && Buffer.from(only.data).toString('utf8') };
}

/** Whether the payer, who is the second signer, has signed the transaction. */
export const isSigned = ({ signatures, keys, message }: Transaction, crypto: Crypto): boolean =>
  crypto.verify(signatures[1] ?? new Uint8Array(), message, bs58.decode(keys[1] ?? ''));

/**
 * Returns the transfer of a payment, or the code of its fault. The transaction must have a compute limit, a compute price, a transfer and
 * at most one memo. Guards of wallets may be anywhere. The caller compares amount, memo and fee payer. The codes are those of x402's
 * verifiers.
 */
export function readTransfer(transaction: Transaction, offer: Offer, crypto: Crypto): Transfer | RefusalCode {
  const { instructions, signers, keys } = transaction;
  const own = withoutGuards(instructions, keys.slice(0, signers));
  const [limit, price, transfer, ...others] = own;
  const wrongSigners = signersFault(transaction, own);
  if (wrongSigners) return wrongSigners;
  const isTooLong = own.length > MAX_INSTRUCTIONS || instructions.length - own.length > MAX_GUARDS;
  if (!limit || !price || !transfer || isTooLong) return 'invalid_exact_svm_payload_transaction_instructions_length';
  const wrongCost = computeFault(signers, limit, price);
  if (wrongCost) return wrongCost;
  const read = readTokenTransfer(transfer, transaction, offer);
  if (typeof read === 'string') return read;
  const rest = readMemo(others);
  if (typeof rest === 'string') return rest;
  if (!isSigned(transaction, crypto)) return 'invalid_exact_svm_payload_signature_invalid';
  return { ...read, memo: rest.memo, feeLamports: feeOf(signers, limit, price) };
}
