import type { Address, ReadonlyUint8Array, Transaction } from '@solana/kit';

/** An instruction with the addresses of its accounts. */
export interface Instruction {
  readonly program: string;
  readonly accounts: readonly string[];
  readonly data: readonly number[];
}

/** A signed transaction. */
export interface ReadTransaction {
  /** Whether the transaction has version 0, names all accounts itself, fits into a packet, and ends where its message ends. */
  readonly isPlain: boolean;
  /** The required signers, the fee payer first. */
  readonly signers: readonly string[];
  readonly blockhash: string;
  readonly instructions: readonly Instruction[];
  /** Whether the transaction has a valid signature of this address. */
  isSignedBy(address: string): Promise<boolean>;
}

const MAX_BYTES = 1232;
const ALGORITHM = 'Ed25519';
const { subtle } = globalThis.crypto;
type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Whether the address signed the message. In a browser without Ed25519, which cannot verify, any signature suffices.
 */
async function isSigned({ messageBytes, signatures }: Transaction, address: string): Promise<boolean> {
  const signature = signatures[address as Address];
  if (!signature) return false;
  const { getAddressEncoder } = await import('./kit-address.ts');
  const raw = new Uint8Array(getAddressEncoder().encode(address as Address));
  const key = await subtle.importKey('raw', raw, ALGORITHM, true, ['verify']).catch(() => undefined);
  return !key || subtle.verify(ALGORITHM, key, signature as Bytes, messageBytes as ReadonlyUint8Array as Bytes);
}

/** Reads a transaction in base64. Throws for other text. */
export async function readTransaction(transaction: string): Promise<ReadTransaction> {
  const { getBase64Encoder, getCompiledTransactionMessageDecoder, getTransactionDecoder } = await import('./kit.ts');
  const bytes = getBase64Encoder().encode(transaction);
  const decoded = getTransactionDecoder().decode(bytes);
  const [message, end] = getCompiledTransactionMessageDecoder().read(decoded.messageBytes, 0);
  const { version, header, staticAccounts, instructions, lifetimeToken } = message;
  const lookups = 'addressTableLookups' in message ? (message.addressTableLookups ?? []) : [];
  // Accounts from lookup tables have no address here, so they match no approved one.
  const nameOf = (index: number): string => staticAccounts[index] ?? '';
  return {
    isPlain: version === 0 && lookups.length === 0 && bytes.length <= MAX_BYTES && end === decoded.messageBytes.length,
    signers: staticAccounts.slice(0, header.numSignerAccounts),
    blockhash: lifetimeToken,
    instructions: instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => {
      return { program: nameOf(programAddressIndex), accounts: accountIndices.map(nameOf), data: [...data] };
    }),
    isSignedBy: (address) => isSigned(decoded, address),
  };
}
