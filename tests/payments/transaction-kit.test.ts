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
import { readTransaction } from '../../packages/gateway/src/gates/exact/transaction.ts';
import { draftOf, messageOf, wireOf } from './forge-wire.ts';

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
    fc.assert(fc.property(plan, check), { numRuns: 200 });
  });

  it('refuses what kit writes at any shorter length and with anything behind it', () => {
    const check = (made: Plan, share: number, more: Uint8Array) => {
      const wire = Uint8Array.from(getTransactionEncoder().encode(compiledBy(made)));
      const cut = wire.subarray(0, Math.floor(wire.length * share));
      expect(readTransaction(cut)).toBeUndefined();
      expect(readTransaction(Buffer.concat([wire, more]))).toBeUndefined();
    };
    const share = fc.double({ min: 0, max: 0.9999, noNaN: true });
    fc.assert(fc.property(plan, share, fc.uint8Array({ minLength: 1, maxLength: 40 }), check), { numRuns: 200 });
  });

  it("is fed by a forger who writes kit's transactions to the same bytes", () => {
    const check = (made: Plan) => {
      const transaction = compiledBy(made);
      const wire = Buffer.from(Uint8Array.from(getTransactionEncoder().encode(transaction)));
      const slots = Object.keys(transaction.signatures).map(() => Buffer.alloc(64));
      expect(wireOf(slots, messageOf(draftOf(wire))).equals(wire)).toBe(true);
    };
    fc.assert(fc.property(plan, check), { numRuns: 200 });
  });
});
