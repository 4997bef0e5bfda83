import { readFileSync } from 'node:fs';
import {
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  getTransactionDecoder,
  getTransactionEncoder,
} from '@solana/kit';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  MAX_TRANSACTION_BYTES,
  readTransaction,
  type Transaction,
} from '../../packages/gateway/src/payments/read/transaction.ts';
import { isFull } from '../kit/rounds.ts';
import { type Draft, draftOf, messageOf, wireOf } from './drafts.ts';

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

/** Whether a message keeps the rules of Solana's runtime for version 0 that kit's codecs leave to it. */
function isSound({ version, header, staticAccounts, instructions }: Message, { length }: Uint8Array): boolean {
  const { numSignerAccounts: signers, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  const indices = instructions.flatMap(({ programAddressIndex, accountIndices = [] }) => [
    programAddressIndex,
    ...accountIndices,
  ]);
  return (
    version === 0 &&
    length <= 1232 &&
    numReadonlySignerAccounts < signers &&
    signers + numReadonlyNonSignerAccounts <= staticAccounts.length &&
    new Set(staticAccounts).size === staticAccounts.length &&
    indices.every((index) => index < staticAccounts.length)
  );
}

/** A copy with plain arrays, for comparison by content. */
const plain = ({ signatures, message, instructions, ...rest }: Transaction): Transaction => ({
  ...rest,
  signatures: signatures.map((signature) => Uint8Array.from(signature)),
  message: Uint8Array.from(message),
  instructions: instructions.map((each) => ({ ...each, data: Uint8Array.from(each.data) })),
});

/** Reads a transaction as the gateway's own reader does, with kit's codecs and those rules. */
function readWithKit(bytes: Uint8Array): Transaction | undefined {
  const read = decoded(bytes);
  if (!read || !isSound(read.message, bytes)) return undefined;
  const { header, staticAccounts, instructions, ...message } = read.message;
  return {
    signatures: read.signatures.map((signature) => Uint8Array.from(signature ?? new Uint8Array(SIGNATURE_BYTES))),
    message: read.messageBytes,
    signers: header.numSignerAccounts,
    keys: staticAccounts,
    instructions: instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => ({
      program: staticAccounts[programAddressIndex] ?? '',
      accounts: accountIndices.map((index) => staticAccounts[index] ?? ''),
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
const mutated = (wires: readonly Buffer[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(fc.constantFrom(...wires), fc.array(change, { minLength: 1, maxLength: 3 }))
    .map(([wire, changes]) =>
      changes.reduce(
        (made, { at, cut, put }) => Buffer.concat([made.subarray(0, at), put, made.subarray(at + cut)]),
        wire,
      ),
    );

const { exact } = JSON.parse(readFileSync('tests/vectors/x402-vectors.json', 'utf8'));
/** A transaction of the official client. */
const wire = Buffer.from(exact.payload.payload.transaction, 'base64');
const MESSAGE_AT = 129;

/** That transaction with a change in it; the signatures stay, as reading does not look at them. */
function changed(change: (draft: Draft) => void): Buffer {
  const draft = draftOf(wire);
  change(draft);
  return wireOf([wire.subarray(1, 65), wire.subarray(65, 129)], messageOf(draft));
}

it('a transaction is refused at every shorter length', () => {
  for (let length = 0; length < wire.length; length++) {
    expect(readTransaction(wire.subarray(0, length)), `${length} bytes`).toBeUndefined();
  }
});

it('a transaction is refused beyond the size of a packet, to the byte', () => {
  const fill = (total: number) =>
    changed((draft) => {
      const memo = draft.instructions[3];
      if (memo) memo.data = new Uint8Array(total - wire.length + memo.data.length - 1);
    });
  expect(fill(MAX_TRANSACTION_BYTES)).toHaveLength(1232);
  expect(readTransaction(fill(1232))).toBeDefined();
  expect(readTransaction(fill(1233))).toBeUndefined();
});

const table = bs58.encode(Buffer.alloc(32, 9));
const withLookup = changed(({ addressTableLookups }) =>
  addressTableLookups.push({ lookupTableAddress: table, writableIndexes: [1], readonlyIndexes: [2, 3] }),
);
/** Lengths of two bytes. */
const withLists = changed(({ instructions }) =>
  instructions.push({ programAddressIndex: 2, accountIndices: Array(200).fill(3), data: new Uint8Array(300) }),
);

const [slots, message] = [wire.subarray(1, MESSAGE_AT), wire.subarray(MESSAGE_AT)];
const header = (change: Partial<Draft['header']>) => changed((draft) => Object.assign(draft.header, change));
const instruction = (programAddressIndex: number, data: Uint8Array) =>
  changed(({ instructions }) => instructions.push({ programAddressIndex, accountIndices: [], data }));
/** Lengths around the last one that fits one byte. */
const withLengths = [127, 128, 129, 255, 256].map((length) => instruction(2, new Uint8Array(length)));
/** Bytes that are no transaction. */
const UNREADABLE: Readonly<Record<string, Buffer>> = {
  'a legacy message': changed((draft) => Object.assign(draft, { version: 'legacy' })),
  'version 1': Buffer.concat([wire.subarray(0, MESSAGE_AT), Buffer.of(0x81), message.subarray(1)]),
  'more than a packet': instruction(2, new Uint8Array(900)),
  'a fee payer who may not be charged': header({ numReadonlySignerAccounts: 2 }),
  'more readers than keys': header({ numReadonlyNonSignerAccounts: 200 }),
  'a key twice': changed(({ staticAccounts }) => staticAccounts.push(staticAccounts[3] ?? '')),
  'an account that is not there': changed(({ instructions }) => instructions[3]?.accountIndices.push(99)),
  'an account behind the last one': changed(({ instructions, staticAccounts }) =>
    instructions[3]?.accountIndices.push(staticAccounts.length),
  ),
  'a program that is not there': instruction(99, new Uint8Array()),
  'the message alone': message,
  'a byte too many': Buffer.concat([wire, Buffer.of(0)]),
  'a third signature': Buffer.concat([Buffer.of(3), slots, Buffer.alloc(64), message]),
  'a single signature': Buffer.concat([Buffer.of(1), slots.subarray(64), message]),
  'a count in a longer spelling': Buffer.concat([Buffer.of(0x82, 0), wire.subarray(1)]),
};

describe("kit's codecs, with the rules of the runtime", () => {
  it.each(Object.entries(UNREADABLE))('both readers refuse %s', (_, wire) => {
    expect([readWithKit(wire), readTransaction(wire)]).toEqual([undefined, undefined]);
  });

  it('agree with the reader on every field and every refusal', { timeout: 600_000 }, () => {
    const wires = [wire, wire, wire, withLookup, withLookup, withLists, ...withLengths, ...Object.values(UNREADABLE)];
    const seen = { read: 0, refused: 0 };
    const check = (wire: Buffer) => {
      const [own, kit] = [readTransaction(wire), readWithKit(wire)];
      seen[own ? 'read' : 'refused'] += 1;
      expect(own && plain(own)).toEqual(kit);
    };
    for (const wire of wires) check(wire);
    const numRuns = isFull ? 60_000 : 500;
    fc.assert(fc.property(mutated(wires), check), { numRuns });
    expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(0);
  });
});
