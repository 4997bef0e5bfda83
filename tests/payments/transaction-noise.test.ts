import { newKeypair } from '@asset-gateway/client/node';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFull } from '../kit/rounds.ts';
import { addressOf, carrying, type Forge, type Genuine, openForge } from './forge-market.ts';
import { signed } from './forge-wire.ts';

/** Where the payer's signature begins; what stands before it is the fee payer's to fill. */
const SIGNED_FROM = 65;

let forge: Forge;
let genuine: Genuine;
beforeAll(async () => {
  forge = await openForge();
  genuine = await forge.genuine();
});
afterAll(() => forge.stop());

async function expectNothingMoved(wire: Uint8Array): Promise<void> {
  const before = await forge.standing();
  const told = await forge.pay(carrying(genuine.payload, wire));
  expect(told.status).toBe(402);
  expect(told.error).toMatch(/^(?:invalid_exact_svm_payload_\w+|no_matching_requirements|payment_malformed)$/);
  expect(await forge.standing()).toEqual(before);
}

describe('noise', () => {
  it('P10 any byte changed in what the payer signed, or in the signature, is refused unasked', async () => {
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

  it('P10 instructions in another order, some of them left out or repeated, are refused unasked', async () => {
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

  it('P10 accounts of the transfer in another order are refused unasked', async () => {
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

  it('P10 a payment that another wallet signed over is refused unasked', async () => {
    const thief = newKeypair();
    const keys = genuine.draft.keys.map((key, place) => (place === 1 ? addressOf(thief) : key));
    await expectNothingMoved(signed({ ...genuine.draft, keys }, [forge.payer]));
  });

  it('P10 the genuine one is good all the while', async () => {
    expect((await forge.pay(genuine.payload)).status).toBe(200);
  });
});
