import { createHash, createPublicKey, verify } from 'node:crypto';
import {
  type CompiledTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
} from '@solana/kit';
import bs58 from 'bs58';
import { base58Bytes, MEMO_PROGRAMS } from './addresses.ts';
import { invalidParams } from './json-rpc.ts';

const MAX_WIRE_BYTES = 1232;
const ED25519_DER = Buffer.from('302a300506032b6570032100', 'hex');

/** An instruction whose indexes refer to the transaction's keys. */
export interface Instruction {
  readonly programIndex: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/** A decoded transaction. */
export interface WireTransaction {
  readonly wire: Uint8Array;
  readonly message: Uint8Array;
  /** Identifies the message regardless of its signatures. */
  readonly key: string;
  /** The fee payer's, in base58: the id of the transaction. */
  readonly signature: string;
  readonly signatures: readonly (Uint8Array | null)[];
  readonly version: 'legacy' | number;
  readonly header: { readonly signers: number; readonly readonlySigners: number; readonly readonlyOthers: number };
  readonly keys: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly Instruction[];
}

const EMPTY_SIGNATURE = new Uint8Array(64);

type Lookup = { readonly readonlyIndexes: readonly number[]; readonly writableIndexes: readonly number[] };

function isSound({ header, staticAccounts: keys, instructions, ...rest }: CompiledTransactionMessage): boolean {
  const { numSignerAccounts: signers, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  const lookups: readonly Lookup[] = 'addressTableLookups' in rest ? (rest.addressTableLookups ?? []) : [];
  const looked = lookups.reduce((sum, each) => sum + each.readonlyIndexes.length + each.writableIndexes.length, 0);
  const isKey = (index: number): boolean => index < keys.length + looked;
  return (
    (rest.version === 'legacy' || rest.version === 0) &&
    numReadonlySignerAccounts < signers &&
    signers + numReadonlyNonSignerAccounts <= keys.length &&
    keys.length + looked <= 256 &&
    new Set(keys).size === keys.length &&
    instructions.every(
      ({ programAddressIndex, accountIndices = [] }) =>
        programAddressIndex > 0 && programAddressIndex < keys.length && accountIndices.every(isKey),
    )
  );
}

// The binding aborts the process on bytes that it cannot decode, so they must be canonical.
function isCanonical(wire: Uint8Array, message: Uint8Array, compiled: CompiledTransactionMessage): boolean {
  const { header, staticAccounts } = compiled;
  const bodyLength = 1 + 64 * header.numSignerAccounts + message.length;
  const encoded = getCompiledTransactionMessageEncoder().encode(compiled);
  return (
    header.numSignerAccounts < 128 &&
    staticAccounts.length > 0 &&
    wire[0] === header.numSignerAccounts &&
    wire.length === bodyLength &&
    Buffer.from(message).equals(Uint8Array.from(encoded))
  );
}

function decode(wire: Uint8Array): WireTransaction {
  const { messageBytes, signatures: bySigner } = getTransactionDecoder().decode(wire);
  const message = Uint8Array.from(messageBytes);
  const [compiled, end] = getCompiledTransactionMessageDecoder().read(message, 0);
  const signatures = Object.values(bySigner);
  if (end !== message.length || !isSound(compiled) || !isCanonical(wire, message, compiled)) {
    throw new Error('not canonical');
  }
  return {
    wire,
    message,
    key: createHash('sha256').update(message).digest('hex'),
    signature: bs58.encode(signatures[0] ?? EMPTY_SIGNATURE),
    signatures,
    version: compiled.version,
    header: {
      signers: compiled.header.numSignerAccounts,
      readonlySigners: compiled.header.numReadonlySignerAccounts,
      readonlyOthers: compiled.header.numReadonlyNonSignerAccounts,
    },
    keys: compiled.staticAccounts,
    blockhash: compiled.lifetimeToken,
    instructions: compiled.instructions.map(({ programAddressIndex, accountIndices, data }) => ({
      programIndex: programAddressIndex,
      accounts: accountIndices ?? [],
      data: Uint8Array.from(data ?? []),
    })),
  };
}

/** The last decoded transaction: it is simulated, often twice, before it is sent. */
let last: { readonly text: string; readonly transaction: WireTransaction } | undefined;

/** Decodes a transaction in base64; throws an `RpcError` if it is invalid. */
export function readTransaction(text: string): WireTransaction {
  if (last?.text === text) return last.transaction;
  const wire = Uint8Array.from(Buffer.from(text, 'base64'));
  const isCanonicalText = Buffer.from(wire).toString('base64') === text;
  try {
    if (wire.length > MAX_WIRE_BYTES || !isCanonicalText) throw new Error('too large, or not base64');
    const transaction = decode(wire);
    last = { text, transaction };
    return transaction;
  } catch {
    throw invalidParams('failed to deserialize solana_transaction::versioned::VersionedTransaction');
  }
}

/** Whether every signer has signed the message. */
export function isSigned({ signatures, keys, message }: WireTransaction): boolean {
  return signatures.every((signature, index) => {
    const key = base58Bytes(keys[index] ?? '', 32);
    if (!signature || !key) return false;
    const publicKey = createPublicKey({ key: Buffer.concat([ED25519_DER, key]), format: 'der', type: 'spki' });
    return verify(null, message, publicKey, signature);
  });
}

/** The memos of a transaction in the order of its instructions. */
export function memosOf(transaction: WireTransaction): string[] {
  return transaction.instructions
    .filter(({ programIndex }) => MEMO_PROGRAMS.includes(transaction.keys[programIndex] ?? ''))
    .map(({ data }) => Buffer.from(data).toString('utf8'));
}
