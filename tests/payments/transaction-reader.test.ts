import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TRANSACTION_BYTES, readTransaction } from '../../packages/gateway/src/payments/read/transaction.ts';
import { isFull } from '../kit/rounds.ts';
import { type Draft, draftOf, messageOf, wireOf } from './forge.ts';
import { mutated, plain, readWithKit, rulesBroken } from './kit-reader.ts';

interface Vector {
  readonly payload: { readonly payload: { readonly transaction: string } };
  readonly txBytes: number;
  readonly messageSha256Hex: string;
  readonly staticAccounts: readonly string[];
  readonly instructions: readonly { program: string; accounts: [string, number][]; dataHex: string }[];
  readonly header: { readonly numSignerAccounts: number };
}

const vector = (JSON.parse(readFileSync('tests/vectors/x402-vectors.json', 'utf8')) as { exact: Vector }).exact;
const wire = Buffer.from(vector.payload.payload.transaction, 'base64');
const MESSAGE_AT = 129;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** The vector's transaction with a change in it; the signatures stay, as reading does not look at them. */
function changed(change: (draft: Draft) => void): Buffer {
  const draft = draftOf(wire);
  change(draft);
  return wireOf([wire.subarray(1, 65), wire.subarray(65, 129)], messageOf(draft));
}

describe('the transaction of the official client', () => {
  const read = readTransaction(wire);

  it('is read to the same message, keys, signers and instructions', () => {
    expect(wire).toHaveLength(vector.txBytes);
    expect(
      createHash('sha256')
        .update(read?.message ?? '')
        .digest('hex'),
    ).toBe(vector.messageSha256Hex);
    expect(read?.keys).toEqual(vector.staticAccounts);
    expect(read?.signers).toBe(vector.header.numSignerAccounts);
    expect(read?.lookups).toBe(0);
    const told = read?.instructions.map(({ program, accounts, data }) => ({
      program,
      accounts: accounts.map((index) => read.keys[index]),
      dataHex: hex(data),
    }));
    const expected = vector.instructions.map((each) => ({ ...each, accounts: each.accounts.map(([key]) => key) }));
    expect(told).toEqual(expected);
  });

  it('has the slots of both signers; the first is empty', () => {
    expect(read?.signatures.map(hex)).toEqual(['00'.repeat(64), hex(wire.subarray(65, MESSAGE_AT))]);
  });

  it('is refused at every shorter length', () => {
    for (let length = 0; length < wire.length; length++) {
      expect(readTransaction(wire.subarray(0, length)), `${length} bytes`).toBeUndefined();
    }
  });
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
const withLookup = changed(({ lookups }) => lookups.push({ table, writable: [1], readonly: [2, 3] }));
/** Lengths of two bytes. */
const withLists = changed(({ instructions }) =>
  instructions.push({ program: 2, accounts: Array(200).fill(3), data: new Uint8Array(300) }),
);

/** Transactions that kit encodes to the same bytes, by the one rule that each breaks. */
const BREAKING: readonly [string, Buffer][] = [
  ['version', changed((draft) => Object.assign(draft, { version: undefined }))],
  ['size', changed(({ instructions }) => instructions.push({ program: 2, accounts: [], data: new Uint8Array(900) }))],
  ['header', changed((draft) => Object.assign(draft, { readonlySigners: draft.signers }))],
  ['distinct', changed(({ keys }) => keys.push(keys[3] ?? ''))],
  ['header', changed((draft) => Object.assign(draft, { readonlyOthers: 200 }))],
  ['indices', changed(({ instructions, keys }) => instructions[3]?.accounts.push(keys.length))],
  [
    'indices',
    changed(({ instructions, keys }) => instructions.push({ program: keys.length, accounts: [], data: wire })),
  ],
];

const [slots, message] = [wire.subarray(1, MESSAGE_AT), wire.subarray(MESSAGE_AT)];
/** Bytes that are no transaction. */
const UNREADABLE: Readonly<Record<string, Buffer>> = {
  'the message alone': message,
  'a byte too many': Buffer.concat([wire, Buffer.of(0)]),
  'a third signature': Buffer.concat([Buffer.of(3), slots, Buffer.alloc(64), message]),
  'a single signature': Buffer.concat([Buffer.of(1), slots.subarray(64), message]),
  'version 1': changed((draft) => Object.assign(draft, { version: 0x81 })),
  'a count in a longer spelling': Buffer.concat([Buffer.of(0x82, 0), wire.subarray(1)]),
};

describe("kit's codecs, with the rules of the runtime", () => {
  it.each(BREAKING)('both readers refuse a transaction that breaks the rule of %s', (rule, wire) => {
    expect(rulesBroken(wire)).toEqual([rule]);
    expect([readWithKit(wire), readTransaction(wire)]).toEqual([undefined, undefined]);
  });

  it.each(Object.entries(UNREADABLE))('both readers refuse %s', (_, wire) => {
    expect([readWithKit(wire), readTransaction(wire)]).toEqual([undefined, undefined]);
  });

  it('agree with the reader on every field and every refusal', { timeout: 600_000 }, () => {
    const wires = [wire, wire, wire, withLookup, withLookup, withLists, ...BREAKING.map(([, wire]) => wire)];
    const seen = { read: 0, refused: 0 };
    const check = (wire: Buffer) => {
      const [own, kit] = [readTransaction(wire), readWithKit(wire)];
      seen[own ? 'read' : 'refused'] += 1;
      expect(own && plain(own)).toEqual(kit);
    };
    for (const wire of wires) check(wire);
    const numRuns = isFull ? 60_000 : 500;
    fc.assert(fc.property(mutated(wires), check), { numRuns });
    expect(Math.min(seen.read, seen.refused)).toBeGreaterThan(numRuns / 40);
  });
});
