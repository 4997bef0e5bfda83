import { newKeypair } from '@asset-gateway/client/node';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { readTransaction } from '../../packages/gateway/src/payments/read/transaction.ts';
import { isFull } from '../kit/rounds.ts';
import { COMPUTE_FORGERIES } from './forge-compute.ts';
import { FEE_PAYER_FORGERIES, SIGNER_FORGERIES } from './forge-fee-payer.ts';
import { addressOf, carrying, type Forge, type Genuine, openForge } from './forge-market.ts';
import { MEMO_FORGERIES } from './forge-memo.ts';
import { SIGNATURE_FORGERIES } from './forge-signature.ts';
import { copyOf, type Forgery, priceOf, REASONS, resigned } from './forge-table.ts';
import { TRANSFER_FORGERIES } from './forge-transfer.ts';
import { draftOf, signed } from './forge-wire.ts';
import { plain, readWithKit } from './kit-reader.ts';

const FEE_LAMPORTS = 10_001n;

let forge: Forge;
/** The payment that all forgeries are made from. It stays unused, since none is accepted. */
let genuine: Genuine;
let fees = 0n;
forge = await openForge();
genuine = await forge.genuine();
const lamportsAtFirst = (await forge.standing()).feePayer;
afterAll(() => forge.stop());

async function expectRefused({ make, reason }: Forgery): Promise<void> {
  const wire = make({ ...genuine, draft: draftOf(genuine.wire) }, forge);
  const read = readTransaction(wire);
  expect(read && plain(read)).toEqual(readWithKit(wire));
  const before = await forge.standing();
  const told = await forge.pay(carrying(genuine.payload, wire));
  expect({ status: told.status, error: told.error }).toEqual({ status: 402, error: reason });
  expect(told.body).toMatchObject({ payment: { state: 'refused' }, accepts: [{ scheme: 'exact' }] });
  expect(told.body).not.toHaveProperty('result');
  expect(await forge.standing()).toEqual(before);
}

async function expectBought(): Promise<void> {
  const { payload, wire, draft } = await forge.genuine();
  expect(signed(draft, [forge.payer]).equals(wire)).toBe(true);
  const before = await forge.standing();
  expect((await forge.pay(payload)).status).toBe(200);
  fees += FEE_LAMPORTS;
  const after = await forge.standing();
  expect(after).toEqual({
    calls: expect.any(Number),
    transfers: before.transfers + 1,
    payee: before.payee + 5n,
    payer: before.payer - 5n,
    feePayer: before.feePayer - FEE_LAMPORTS,
  });
}

/** Headers that no chain reads: the fault is the client's, and no RPC need be asked to find it. */
const HEADER_FORGERIES: readonly Forgery[] = [
  resigned('a fee payer who may not be charged', REASONS.undecodable, (draft) =>
    Object.assign(draft, { readonlySigners: 2 }),
  ),
  resigned('more readers among the signers than signers', REASONS.undecodable, (draft) =>
    Object.assign(draft, { readonlySigners: 3 }),
  ),
  resigned('more readers than keys', REASONS.undecodable, (draft) => Object.assign(draft, { readonlyOthers: 200 })),
];

/** Refused in the order of x402's verifier. */
const ORDER_FORGERIES: readonly Forgery[] = [
  resigned('two compute prices', REASONS.noTransfer, (draft) =>
    draft.instructions.splice(2, 0, copyOf(priceOf(draft))),
  ),
  resigned('the memo before the transfer', REASONS.noTransfer, ({ instructions }) =>
    instructions.splice(2, 2, ...instructions.slice(2, 4).reverse()),
  ),
];

describe('payments that are refused without a call to chain or facilitator', () => {
  it('do not include a genuine payment, which the test encoder reproduces byte for byte', expectBought);

  it.each(FEE_PAYER_FORGERIES)('P12 $name', expectRefused);
  it.each(SIGNER_FORGERIES)('P12 $name', expectRefused);
  it.each(COMPUTE_FORGERIES)('P12 $name', expectRefused);
  it.each(TRANSFER_FORGERIES)('P10 $name', expectRefused);
  it.each(MEMO_FORGERIES)('P10 $name', expectRefused);
  it.each(SIGNATURE_FORGERIES)('P10 $name', expectRefused);
  it.each([...HEADER_FORGERIES, ...ORDER_FORGERIES])('P10 $name', expectRefused);

  it('P12 the fee payer has paid only the fees of genuine payments', async () => {
    await expectBought();
    const { feePayer, transfers } = await forge.standing();
    expect(lamportsAtFirst - feePayer).toBe(fees);
    expect(BigInt(transfers) * FEE_LAMPORTS).toBe(fees);
  });
});

/** Where the payer's signature begins; what stands before it is the fee payer's to fill. */
const SIGNED_FROM = 65;

async function expectNothingMoved(wire: Uint8Array): Promise<void> {
  const before = await forge.standing();
  const told = await forge.pay(carrying(genuine.payload, wire));
  expect(told.status).toBe(402);
  expect(told.error).toMatch(/^(?:invalid_exact_svm_payload_\w+|no_matching_requirements|payment_malformed)$/);
  expect(await forge.standing()).toEqual(before);
}

describe('random changes', () => {
  it('P10 any changed byte of the message or the signature is refused', async () => {
    const change = fc.tuple(
      fc.integer({ min: SIGNED_FROM, max: genuine.wire.length - 1 }),
      fc.integer({ min: 1, max: 255 }),
    );
    const check = async ([at, bits]: [number, number]) => {
      const wire = Buffer.from(genuine.wire);
      wire.writeUInt8(wire.readUInt8(at) ^ bits, at);
      await expectNothingMoved(wire);
    };
    await fc.assert(fc.asyncProperty(change, check), { numRuns: isFull ? 100 : 30 });
  });

  it('P10 reordered, missing or repeated instructions are refused', async () => {
    const picks = fc
      .array(fc.integer({ min: 0, max: 3 }), { maxLength: 9 })
      .filter((picked) => picked.join() !== '0,1,2,3');
    const check = async (picked: number[]) => {
      const instructions = genuine.draft.instructions.filter(Boolean);
      const shuffled = picked.flatMap((index) => instructions[index] ?? []);
      await expectNothingMoved(signed({ ...genuine.draft, instructions: shuffled }, [forge.payer]));
    };
    await fc.assert(fc.asyncProperty(picks, check), { numRuns: isFull ? 60 : 20 });
  });

  it('P10 reordered accounts of the transfer are refused', async () => {
    const places = fc
      .array(fc.integer({ min: 0, max: 7 }), { minLength: 3, maxLength: 5 })
      .filter((accounts) => accounts.join() !== genuine.draft.instructions[2]?.accounts.join())
      .filter(([source, , destination]) => {
        const [ours, , payee] = genuine.draft.instructions[2]?.accounts ?? [];
        return source === ours || destination !== payee;
      });
    const check = async (accounts: number[]) => {
      const instructions = genuine.draft.instructions.map((each, place) =>
        place === 2 ? { ...each, accounts } : each,
      );
      await expectNothingMoved(signed({ ...genuine.draft, instructions }, [forge.payer]));
    };
    await fc.assert(fc.asyncProperty(places, check), { numRuns: isFull ? 60 : 20 });
  });

  it('P10 a payment of another wallet under the old signature is refused', async () => {
    const thief = newKeypair();
    const keys = genuine.draft.keys.map((key, place) => (place === 1 ? addressOf(thief) : key));
    await expectNothingMoved(signed({ ...genuine.draft, keys }, [forge.payer]));
  });
});
