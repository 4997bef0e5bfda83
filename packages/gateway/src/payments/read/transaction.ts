import bs58 from 'bs58';

/** An instruction. `accounts`: positions in the transaction's list of keys. */
export interface Instruction {
  readonly program: string;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/** A version 0 transaction. */
export interface Transaction {
  readonly signatures: readonly Uint8Array[];
  /** The signed bytes, which identify the payment. */
  readonly message: Uint8Array;
  readonly signers: number;
  /** base58, without duplicates. */
  readonly keys: readonly string[];
  readonly instructions: readonly Instruction[];
  readonly lookups: number;
}

/** The largest transaction that fits Solana's packets. */
export const MAX_TRANSACTION_BYTES = 1232;

const SIGNATURE_BYTES = 64;
const KEY_BYTES = 32;
const VERSION_0 = 0x80;

class Unreadable extends Error {}

class ByteReader {
  readonly #bytes: Uint8Array;
  position = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  take(count: number): Uint8Array {
    const end = this.position + count;
    if (end > this.#bytes.length) throw new Unreadable('too short');
    const taken = this.#bytes.subarray(this.position, end);
    this.position = end;
    return taken;
  }

  byte(): number {
    return this.take(1)[0] ?? 0;
  }

  /** Solana's compact-u16, only in its shortest form. */
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
    throw new Unreadable('not a compact-u16');
  }

  several<T>(read: () => T): T[] {
    return Array.from({ length: this.compact() }, read);
  }
}

function readInstruction(reader: ByteReader, keys: readonly string[]): Instruction {
  const program = keys[reader.byte()];
  const accounts = [...reader.take(reader.compact())];
  const data = reader.take(reader.compact());
  if (program === undefined || accounts.some((account) => account >= keys.length)) throw new Unreadable('no such key');
  return { program, accounts, data };
}

function readLookup(reader: ByteReader): void {
  reader.take(KEY_BYTES);
  reader.take(reader.compact());
  reader.take(reader.compact());
}

function read(bytes: Uint8Array): Transaction {
  const reader = new ByteReader(bytes);
  const signatures = reader.several(() => reader.take(SIGNATURE_BYTES));
  const message = bytes.subarray(reader.position);
  if (reader.byte() !== VERSION_0) throw new Unreadable('not version 0');
  const signers = reader.byte();
  const [readonlySigners, readonlyOthers] = [reader.byte(), reader.byte()];
  const keys = reader.several(() => bs58.encode(reader.take(KEY_BYTES)));
  reader.take(KEY_BYTES);
  const instructions = reader.several(() => readInstruction(reader, keys));
  const lookups = reader.several(() => readLookup(reader)).length;
  const isSound = readonlySigners < signers && signers + readonlyOthers <= keys.length;
  const isWhole = reader.position === bytes.length;
  if (!isWhole || !isSound || signatures.length !== signers || new Set(keys).size !== keys.length) {
    throw new Unreadable('not canonical');
  }
  return { signatures, message, signers, keys, instructions, lookups };
}

/** Reads a transaction; undefined unless the bytes are exactly one canonical version 0 transaction. */
export function readTransaction(bytes: Uint8Array): Transaction | undefined {
  if (bytes.length > MAX_TRANSACTION_BYTES) return undefined;
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}
