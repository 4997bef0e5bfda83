import { readFileSync } from 'node:fs';
import {
  AccountRole,
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createTransactionMessage,
  getCompiledTransactionMessageDecoder,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';
import bs58 from 'bs58';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTransaction } from '../../packages/gateway/src/payments/read/transaction.ts';
import { isFull } from '../kit/rounds.ts';
import { type Draft, draftOf, messageOf, wireOf } from './forge-wire.ts';
import { plain, readWithKit, rulesBroken } from './kit-reader.ts';
import { mutated } from './mutations.ts';

const addresses = Array.from({ length: 12 }, (_, index) => bs58.encode(Buffer.alloc(32, index + 1)) as Address);
const programs = Array.from({ length: 4 }, (_, index) => bs58.encode(Buffer.alloc(32, index + 100)) as Address);
const roles = [AccountRole.READONLY, AccountRole.WRITABLE, AccountRole.READONLY_SIGNER, AccountRole.WRITABLE_SIGNER];

const meta = fc.record({ address: fc.constantFrom(...addresses), role: fc.constantFrom(...roles) });
const instruction = fc.record({
  programAddress: fc.constantFrom(...programs),
  accounts: fc.array(meta, { maxLength: 8 }),
  data: fc.uint8Array({ maxLength: 150 }),
});
const plan = fc.record({
  feePayer: fc.constantFrom(...addresses),
  blockhash: fc.uint8Array({ minLength: 32, maxLength: 32 }),
  instructions: fc.array(instruction, { maxLength: 8 }),
});

type Plan = typeof plan extends fc.Arbitrary<infer T> ? T : never;

/** A transaction as kit compiles it, nobody having signed. */
function compiledBy({ feePayer, blockhash, instructions }: Plan) {
  const lifetime = { blockhash: bs58.encode(blockhash) as Blockhash, lastValidBlockHeight: 1n };
  return compileTransaction(
    pipe(
      createTransactionMessage({ version: 0 }),
      (draft) => setTransactionMessageFeePayer(feePayer, draft),
      (draft) => setTransactionMessageLifetimeUsingBlockhash(lifetime, draft),
      (draft) => appendTransactionMessageInstructions(instructions, draft),
    ),
  );
}

describe('the transaction reader', () => {
  it("reads what @solana/kit writes, as kit's own decoder does", () => {
    const check = (made: Plan) => {
      const transaction = compiledBy(made);
      const wire = Uint8Array.from(getTransactionEncoder().encode(transaction));
      const read = readTransaction(wire);
      if (wire.length > 1232) {
        expect(read).toBeUndefined();
        return;
      }
      const { header, staticAccounts, instructions } = getCompiledTransactionMessageDecoder().decode(
        transaction.messageBytes,
      );
      expect(read).toEqual({
        signatures: Object.keys(transaction.signatures).map(() => new Uint8Array(64)),
        message: Uint8Array.from(transaction.messageBytes),
        signers: header.numSignerAccounts,
        keys: staticAccounts,
        instructions: instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => ({
          program: staticAccounts[programAddressIndex],
          accounts: accountIndices,
          data: Uint8Array.from(data),
        })),
        lookups: 0,
      });
    };
    fc.assert(fc.property(plan, check), { numRuns: isFull ? 200 : 50 });
  });

  it('refuses what kit writes at any shorter length and with anything behind it', () => {
    const check = (made: Plan, share: number, more: Uint8Array) => {
      const wire = Uint8Array.from(getTransactionEncoder().encode(compiledBy(made)));
      const cut = wire.subarray(0, Math.floor(wire.length * share));
      expect(readTransaction(cut)).toBeUndefined();
      expect(readTransaction(Buffer.concat([wire, more]))).toBeUndefined();
    };
    const share = fc.double({ min: 0, max: 0.9999, noNaN: true });
    fc.assert(fc.property(plan, share, fc.uint8Array({ minLength: 1, maxLength: 40 }), check), {
      numRuns: isFull ? 200 : 50,
    });
  });

  it("is fed by a forger who writes kit's transactions to the same bytes", () => {
    const check = (made: Plan) => {
      const transaction = compiledBy(made);
      const wire = Buffer.from(Uint8Array.from(getTransactionEncoder().encode(transaction)));
      const slots = Object.keys(transaction.signatures).map(() => Buffer.alloc(64));
      expect(wireOf(slots, messageOf(draftOf(wire))).equals(wire)).toBe(true);
    };
    fc.assert(fc.property(plan, check), { numRuns: isFull ? 200 : 50 });
  });
});

const vector = JSON.parse(readFileSync('tests/vectors/x402-vectors.json', 'utf8')) as {
  readonly exact: { readonly payload: { readonly payload: { readonly transaction: string } } };
};
const real = Buffer.from(vector.exact.payload.payload.transaction, 'base64');
const [first, second] = [real.subarray(1, 65), real.subarray(65, 129)];

function changed(change: (draft: Draft) => void): Buffer {
  const draft = draftOf(real);
  change(draft);
  return wireOf([first, second], messageOf(draft));
}

const lookup = { table: addresses[0] ?? '', writable: [1], readonly: [2, 3] };
const withLookup = changed((draft) => draft.lookups.push(lookup));

/** What kit writes to the same bytes again, by the one rule that it breaks. */
const BREAKING: readonly [string, Buffer][] = [
  ['version', changed((draft) => Object.assign(draft, { version: undefined }))],
  ['size', changed(({ instructions }) => instructions.push({ program: 2, accounts: [], data: new Uint8Array(900) }))],
  ['header', changed((draft) => Object.assign(draft, { readonlySigners: draft.signers }))],
  ['distinct', changed(({ keys }) => keys.push(keys[3] ?? ''))],
  ['indices', changed(({ instructions, keys }) => instructions[3]?.accounts.push(keys.length))],
];

describe("kit's codecs, with the rules of the runtime", () => {
  it.each(BREAKING)('read to the same bytes what breaks the rule of %s, which both readers refuse', (rule, wire) => {
    expect(rulesBroken(wire)).toEqual([rule]);
    expect([readWithKit(wire), readTransaction(wire)]).toEqual([undefined, undefined]);
  });

  it('read what the reader reads, field by field, and refuse what it refuses', { timeout: 600_000 }, () => {
    const wires = [real, real, real, withLookup, withLookup, ...BREAKING.map(([, wire]) => wire)];
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
