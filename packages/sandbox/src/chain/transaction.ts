import { createHash, createPublicKey, verify } from 'node:crypto';
import { decodeBase58 } from '@asset-gateway/protocol';
import {
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
} from '@solana/kit';
import bs58 from 'bs58';
import { MEMO_PROGRAMS } from './addresses.ts';
import { invalidParams } from './json-rpc.ts';

const MAX_WIRE_BYTES = 1232;
const ED25519_DER = Buffer.from('302a300506032b6570032100', 'hex');

type Message = CompiledTransactionMessage & CompiledTransactionMessageWithLifetime;

/** An instruction whose indexes refer to the transaction's accounts. */
export type Instruction = Message['instructions'][number];

/** A decoded transaction. */
export interface WireTransaction {
  readonly wire: Uint8Array;
  readonly message: Message;
  /** The signed bytes. */
  readonly messageBytes: Uint8Array;
  /** A text that identifies the message. It does not depend on the signatures. */
  readonly key: string;
  /** The transaction's id: the fee payer's signature in base58. */
  readonly signature: string;
  readonly signatures: readonly (Uint8Array | null)[];
}

/** The bytes of a missing signature. */
export const EMPTY_SIGNATURE = new Uint8Array(64);

function isSound({ header, staticAccounts: keys, instructions, ...rest }: CompiledTransactionMessage): boolean {
  const { numSignerAccounts: signers, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  const lookups = 'addressTableLookups' in rest ? (rest.addressTableLookups ?? []) : [];
  const looked = lookups.flatMap((each) => [...each.readonlyIndexes, ...each.writableIndexes]).length;
  const isKey = (index: number): boolean => index < keys.length + looked;
  return (
    (rest.version === 'legacy' || rest.version === 0) &&
    numReadonlySignerAccounts < signers &&
    signers < 128 &&
    signers + numReadonlyNonSignerAccounts <= keys.length &&
    keys.length + looked <= 256 &&
    new Set(keys).size === keys.length &&
    instructions.every(
      ({ programAddressIndex, accountIndices = [] }) =>
        programAddressIndex > 0 && programAddressIndex < keys.length && accountIndices.every(isKey),
    )
  );
}

function decode(wire: Uint8Array): WireTransaction {
  const { messageBytes: bytes, signatures: bySigner } = getTransactionDecoder().decode(wire);
  const messageBytes = Uint8Array.from(bytes);
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes);
  const signatures = Object.values(bySigner);
  const { numSignerAccounts: signers } = message.header;
  // The binding aborts the process at bytes that it cannot decode, so they must be canonical.
  const isCanonical =
    wire[0] === signers &&
    wire.length === 1 + 64 * signers + messageBytes.length &&
    Buffer.from(messageBytes).equals(Uint8Array.from(getCompiledTransactionMessageEncoder().encode(message)));
  if (!isSound(message) || !isCanonical) throw new Error('not canonical');
  const key = createHash('sha256').update(messageBytes).digest('hex');
  return { wire, message, messageBytes, key, signature: bs58.encode(signatures[0] ?? EMPTY_SIGNATURE), signatures };
}

/** The last decoded transaction, kept because it is simulated, often twice, before it is sent. */
let last: { readonly text: string; readonly transaction: WireTransaction } | undefined;

/** Decodes a transaction in base64. Throws an `RpcError` if it is invalid. */
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
export function isSigned({ signatures, message, messageBytes }: WireTransaction): boolean {
  return signatures.every((signature, index) => {
    const key = decodeBase58(message.staticAccounts[index] ?? '', 32);
    if (!signature || !key) return false;
    const publicKey = createPublicKey({ key: Buffer.concat([ED25519_DER, key]), format: 'der', type: 'spki' });
    return verify(null, messageBytes, publicKey, signature);
  });
}

/** Returns a transaction's memos, in the order of its instructions. */
export function memosOf({ message: { instructions, staticAccounts } }: WireTransaction): string[] {
  return instructions
    .filter(({ programAddressIndex }) => MEMO_PROGRAMS.includes(staticAccounts[programAddressIndex] ?? ''))
    .map(({ data = [] }) => Buffer.from([...data]).toString('utf8'));
}
