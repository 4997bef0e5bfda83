import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MAX_TRANSACTION_BYTES, readTransaction } from '../../packages/gateway/src/payments/read/transaction.ts';
import { samples } from '../kit/rounds.ts';
import { type Draft, draftOf, messageOf, wireOf } from './forge-wire.ts';

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

  it('has the slots of both signers, the first of them empty', () => {
    expect(read?.signatures.map(hex)).toEqual(['00'.repeat(64), hex(wire.subarray(65, MESSAGE_AT))]);
  });

  it('is put together by the forger to the same bytes', () => {
    expect(changed(() => undefined).equals(wire)).toBe(true);
  });

  it('is refused at every shorter length', () => {
    for (let length = 0; length < wire.length; length++) {
      expect(readTransaction(wire.subarray(0, length)), `${length} bytes`).toBeUndefined();
    }
  });

  it('is refused with every byte behind it, and with several', () => {
    for (let byte = 0; byte < 256; byte++) {
      expect(readTransaction(Buffer.concat([wire, Buffer.from([byte])]))).toBeUndefined();
    }
    expect(readTransaction(Buffer.concat([wire, wire]))).toBeUndefined();
  });
});

/** Where each count of the vector's wire stands. */
function countsOf(bytes: Buffer): number[] {
  const [signatures, keys] = [0, MESSAGE_AT + 4];
  let at = keys + 1 + 32 * (bytes[keys] ?? 0) + 32;
  const found = [signatures, keys, at];
  for (let left = bytes[at++] ?? 0; left > 0; left--) {
    found.push(at + 1);
    at += 2 + (bytes[at + 1] ?? 0);
    found.push(at);
    at += 1 + (bytes[at] ?? 0);
  }
  return [...found, at];
}

describe('other spellings of the same transaction', () => {
  it.each(countsOf(wire))('are refused: the count at byte %s in two and in three bytes', (at) => {
    const count = wire[at] ?? 0;
    for (const longer of [
      [count | 0x80, 0],
      [count | 0x80, 0x80, 0],
    ]) {
      const spelled = Buffer.concat([wire.subarray(0, at), Buffer.from(longer), wire.subarray(at + 1)]);
      expect(readTransaction(spelled)).toBeUndefined();
    }
  });

  it.each(countsOf(wire))('are refused: the count at byte %s without an end, or beyond 16 bits', (at) => {
    for (const endless of [
      [0x80, 0x80, 0x80, 0],
      [0xff, 0xff, 0xff],
      [0xff, 0xff, 0x7f],
      [0xff, 0xff, 4],
    ]) {
      const spelled = Buffer.concat([wire.subarray(0, at), Buffer.from(endless), wire.subarray(at + 1)]);
      expect(readTransaction(spelled)).toBeUndefined();
    }
  });

  it('are refused: every version but 0, and none', () => {
    for (let byte = 0; byte < 256; byte++) {
      const spelled = Buffer.from(wire);
      spelled.writeUInt8(byte, MESSAGE_AT);
      expect(readTransaction(spelled) !== undefined, `version byte ${byte}`).toBe(byte === 0x80);
    }
    expect(readTransaction(changed((draft) => Object.assign(draft, { version: undefined })))).toBeUndefined();
  });
});

describe('what does not hang together', () => {
  it('is refused: a key that is there twice, wherever it is', () => {
    for (const key of vector.staticAccounts) {
      expect(readTransaction(changed(({ keys }) => keys.push(key)))).toBeUndefined();
    }
  });

  it('is refused: another number of signatures than of signers', () => {
    const message = wire.subarray(MESSAGE_AT);
    for (let count = 0; count < 6; count++) {
      const slots = Array.from({ length: count }, () => Buffer.alloc(64));
      expect(readTransaction(wireOf(slots, message)) !== undefined, `${count} signatures`).toBe(count === 2);
    }
  });

  it('is refused: an account or a program that is not among the keys', () => {
    for (let index = 0; index < 256; index++) {
      const isKey = index < vector.staticAccounts.length;
      const account = changed(({ instructions }) => instructions[3]?.accounts.push(index));
      const program = changed(({ instructions }) => Object.assign(instructions[3] ?? {}, { program: index }));
      expect([readTransaction(account), readTransaction(program)].map((it) => it !== undefined)).toEqual([
        isKey,
        isKey,
      ]);
    }
  });

  it('is refused beyond the size of a packet, to the byte', () => {
    const fill = (total: number) =>
      changed((draft) => {
        const memo = draft.instructions[3];
        if (memo) memo.data = new Uint8Array(total - wire.length + memo.data.length - 1);
      });
    expect(fill(MAX_TRANSACTION_BYTES)).toHaveLength(1232);
    expect(readTransaction(fill(1232))).toBeDefined();
    expect(readTransaction(fill(1233))).toBeUndefined();
  });

  it('tells lookup tables by their number', () => {
    const table = bs58.encode(Buffer.alloc(32, 9));
    const lookups = [0, 1, 2].map(() => ({ table, writable: [1], readonly: [2, 3] }));
    expect(readTransaction(changed((draft) => Object.assign(draft, { lookups })))?.lookups).toBe(3);
  });

  it('never throws, whatever bytes come', () => {
    const bytes = fc.uint8Array({ maxLength: 1400 });
    const begun = fc.tuple(fc.integer({ min: 0, max: wire.length }), bytes);
    const pure = (noise: Uint8Array) => {
      expect(() => readTransaction(noise)).not.toThrow();
    };
    fc.assert(fc.property(bytes, pure), { numRuns: samples(400) });
    const begin = ([length, noise]: [number, Uint8Array]) => {
      expect(() => readTransaction(Buffer.concat([wire.subarray(0, length), noise]))).not.toThrow();
    };
    fc.assert(fc.property(begun, begin), { numRuns: samples(400) });
  });

  it('never reads two wires to the same message and signatures', () => {
    const flip = fc.array(fc.tuple(fc.nat(wire.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 });
    const check = (changes: [number, number][]) => {
      const other = Buffer.from(wire);
      for (const [at, byte] of changes) other.writeUInt8(byte, at);
      const read = readTransaction(other);
      if (read) expect(wireOf(read.signatures, read.message).equals(other)).toBe(true);
    };
    fc.assert(fc.property(flip, check), { numRuns: samples(400) });
  });
});
