import {
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
} from '@solana/kit';
import fc from 'fast-check';
import type { Transaction } from '../../packages/gateway/src/payments/read/transaction.ts';

const [transactions, transactionEncoder] = [getTransactionDecoder(), getTransactionEncoder()];
const [messages, messageEncoder] = [getCompiledTransactionMessageDecoder(), getCompiledTransactionMessageEncoder()];
const SIGNATURE_BYTES = 64;

type Message = ReturnType<typeof messages.decode>;

const isSame = (some: ArrayLike<number>, other: Uint8Array): boolean =>
  Buffer.from(Uint8Array.from(some)).equals(other);

/** These bytes as @solana/kit decodes them; undefined if it encodes them differently. */
function decoded(bytes: Uint8Array) {
  try {
    const transaction = transactions.decode(bytes);
    const message = messages.decode(transaction.messageBytes);
    const messageBytes = Uint8Array.from(transaction.messageBytes);
    const isWhole =
      isSame(transactionEncoder.encode(transaction), bytes) && isSame(messageEncoder.encode(message), messageBytes);
    return isWhole ? { signatures: Object.values(transaction.signatures), message, messageBytes } : undefined;
  } catch {
    return undefined;
  }
}

/** The rules of Solana's runtime for a version 0 message that kit's codecs leave to it, each by its name. */
const RULES: Readonly<Record<string, (message: Message, bytes: Uint8Array) => boolean>> = {
  version: ({ version }) => version === 0,
  size: (_, { length }) => length <= 1232,
  header({ header, staticAccounts }) {
    const { numSignerAccounts: signers, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
    return numReadonlySignerAccounts < signers && signers + numReadonlyNonSignerAccounts <= staticAccounts.length;
  },
  distinct: ({ staticAccounts }) => new Set(staticAccounts).size === staticAccounts.length,
  indices: ({ staticAccounts, instructions }) =>
    instructions.every(({ programAddressIndex, accountIndices = [] }) =>
      [programAddressIndex, ...accountIndices].every((index) => index < staticAccounts.length),
    ),
};

const brokenBy = (message: Message, bytes: Uint8Array): string[] =>
  Object.keys(RULES).filter((name) => !RULES[name]?.(message, bytes));

/** The runtime rules that a transaction breaks; undefined if kit cannot decode and encode it. */
export function rulesBroken(bytes: Uint8Array): string[] | undefined {
  const read = decoded(bytes);
  return read && brokenBy(read.message, bytes);
}

/** A copy with plain arrays, for comparison by content. */
export const plain = ({ signatures, message, instructions, ...rest }: Transaction): Transaction => ({
  ...rest,
  signatures: signatures.map((signature) => Uint8Array.from(signature)),
  message: Uint8Array.from(message),
  instructions: instructions.map((each) => ({ ...each, data: Uint8Array.from(each.data) })),
});

/** Reads a transaction as the gateway's own reader does, with kit's codecs and those rules. */
export function readWithKit(bytes: Uint8Array): Transaction | undefined {
  const read = decoded(bytes);
  if (!read || brokenBy(read.message, bytes).length > 0) return undefined;
  const { header, staticAccounts, instructions, ...message } = read.message;
  return {
    signatures: read.signatures.map((signature) => Uint8Array.from(signature ?? new Uint8Array(SIGNATURE_BYTES))),
    message: read.messageBytes,
    signers: header.numSignerAccounts,
    keys: staticAccounts,
    instructions: instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => ({
      program: staticAccounts[programAddressIndex] ?? '',
      accounts: [...accountIndices],
      data: Uint8Array.from(data),
    })),
    lookups: ('addressTableLookups' in message && message.addressTableLookups?.length) || 0,
  };
}

/** One change to a transaction's bytes. */
type Change = (wire: Buffer) => Buffer;

const share = fc.double({ min: 0, max: 1, noNaN: true });
const some = fc.uint8Array({ minLength: 1, maxLength: 4 });

const cut = (wire: Buffer, from: number, length: number, put: Uint8Array = new Uint8Array()): Buffer =>
  Buffer.concat([wire.subarray(0, from), put, wire.subarray(from + length)]);
const placeIn = ({ length }: Uint8Array, where: number): number => Math.min(length, Math.floor(where * length));

/** Where counts, versions and headers stand in most wires; a change there says more than one in a key. */
const near = fc.oneof(share, fc.constantFrom(0, 65, 129, 130, 131, 132, 133));
const at = (wire: Buffer, where: number): number => (where > 1 ? Math.min(where, wire.length) : placeIn(wire, where));

/** A change at a place, with a value of its own. */
const changing = <T>(
  where: fc.Arbitrary<number>,
  value: fc.Arbitrary<T>,
  make: (wire: Buffer, where: number, value: T) => Buffer,
) =>
  fc.tuple(where, value).map(
    ([place, it]): Change =>
      (wire) =>
        make(wire, place, it),
  );

/** Flips, inserts, deletes, repeats and splices bytes of these wires, a few times each. */
export function mutated(wires: readonly Buffer[]): fc.Arbitrary<Buffer> {
  const length = fc.integer({ min: 1, max: 70 });
  const source = fc.tuple(share, length);
  const change: fc.Arbitrary<Change> = fc.oneof(
    changing(near, fc.nat(7), (wire, where, bit) => {
      const from = at(wire, where);
      return cut(wire, from, 1, Uint8Array.of((wire[from] ?? 0) ^ (1 << bit)));
    }),
    changing(near, fc.nat(255), (wire, where, byte) => cut(wire, at(wire, where), 1, Uint8Array.of(byte))),
    changing(near, some, (wire, where, bytes) => cut(wire, at(wire, where), 0, bytes)),
    changing(near, length, (wire, where, count) => cut(wire, at(wire, where), count)),
    changing(share, source, (wire, where, [from, count]) =>
      cut(wire, placeIn(wire, where), 0, wire.subarray(placeIn(wire, from), placeIn(wire, from) + count)),
    ),
    changing(share, fc.tuple(fc.constantFrom(...wires), share), (wire, where, [other, from]) =>
      Buffer.concat([wire.subarray(0, placeIn(wire, where)), other.subarray(placeIn(other, from))]),
    ),
  );
  return fc
    .tuple(fc.constantFrom(...wires), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([wire, changes]) => changes.reduce((made, each) => each(made), wire));
}
