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

/** Where counts, versions and headers stand in most wires; a change there says more than one in a key. */
const at = fc.oneof(fc.nat(1_232), fc.constantFrom(0, 65, 129, 130, 131, 132, 133));
const bytes = (minLength: number, maxLength: number) => fc.uint8Array({ minLength, maxLength });

/** Bytes in the place of others: one for one, some more, or some less. */
const change = fc.oneof(
  fc.record({ at, cut: fc.constant(1), put: bytes(1, 1) }),
  fc.record({ at, cut: fc.constant(0), put: bytes(1, 4) }),
  fc.record({ at, cut: fc.integer({ min: 1, max: 70 }), put: bytes(0, 0) }),
);

/** Changes, inserts and deletes bytes of these wires, a few times each. */
export const mutated = (wires: readonly Buffer[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(fc.constantFrom(...wires), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([wire, changes]) =>
      changes.reduce(
        (made, { at, cut, put }) => Buffer.concat([made.subarray(0, at), put, made.subarray(at + cut)]),
        wire,
      ),
    );
