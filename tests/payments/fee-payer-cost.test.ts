import { newKeypair } from '@asset-gateway/client/node';
import { afterAll, describe, expect, it } from 'vitest';
import { addressOf, carrying, openForge, type Told } from './forge-market.ts';
import { type Change, instruction, limitOf, memoOf, PROGRAMS, priceOf, u32, u64 } from './forge-table.ts';
import { signed, writable } from './forge-wire.ts';

const forge = await openForge();
afterAll(() => forge.stop());

/** Pays with a changed transaction that its payer has signed. */
async function payChanged(change: Change, payer = forge.payer, at = forge): Promise<Told> {
  const { payload, draft } = await at.genuine(payer);
  change(draft, at);
  return at.pay(carrying(payload, signed(draft, [payer])));
}

/** A wallet of its own: failed payments are limited per payer. */
async function newPayer(): Promise<Uint8Array> {
  const payer = newKeypair();
  await forge.gateway.solana.devnet.fundUsdc(addressOf(payer), 1_000_000n);
  return payer;
}

const setCost =
  (units: number, microLamports: bigint): Change =>
  (draft) => {
    limitOf(draft).data = Uint8Array.from([2, ...u32(units)]);
    priceOf(draft).data = Uint8Array.from([3, ...u64(microLamports)]);
  };

/** The cost of a payment to the fee payer, in lamports. */
async function costOf(buy: () => Promise<Told>): Promise<bigint> {
  const before = await forge.standing();
  expect((await buy()).status).toBe(200);
  const after = await forge.standing();
  expect(after.payee - before.payee).toBe(5n);
  return before.feePayer - after.feePayer;
}

describe('the cost of an accepted payment to the fee payer', () => {
  it('P12 is 10,001 lamports as the official client makes it', async () => {
    expect(await costOf(() => payChanged(() => undefined))).toBe(10_001n);
  });

  it('P12 is at most 20,000 lamports', async () => {
    expect(await costOf(() => payChanged(setCost(200_000, 50_000n)))).toBe(20_000n);
  });

  it('P12 is 10,000 lamports when no priority is paid for', async () => {
    expect(await costOf(() => payChanged(setCost(200_000, 0n)))).toBe(10_000n);
  });

  it('P12 does not grow with a memo that the payer signs, or with keys that nothing uses', async () => {
    const signs: Change = (draft) => memoOf(draft).accounts.push(1);
    expect(await costOf(() => payChanged(signs))).toBe(10_001n);
    const crowds: Change = (draft) => writable(draft, PROGRAMS.lighthouse);
    expect(await costOf(() => payChanged(crowds))).toBe(10_001n);
  });
});

/** Reads through our checks, and fails where the chain looks at it: nothing may be sent for it. */
const UNRUNNABLE: readonly (readonly [string, Change])[] = [
  [
    'checks of Lighthouse, which this chain does not know',
    (draft) => {
      draft.instructions.push(...[0, 1, 2].map(() => instruction(draft, PROGRAMS.lighthouse, [1], [0])));
    },
  ],
  ['too few units', setCost(1, 1n)],
  ['token accounts that may not be written', (draft) => Object.assign(draft, { readonlyOthers: 6 })],
  ['a blockhash that never was', (draft) => Object.assign(draft, { blockhash: PROGRAMS.memo })],
];

describe('a payment that only the chain can refuse', () => {
  it.each(UNRUNNABLE)('P12 %s: nothing is sent', async (_, change) => {
    const payer = await newPayer();
    const before = await forge.standing();
    const told = await payChanged(change, payer);
    expect({ status: told.status, error: told.error }).toEqual({
      status: 402,
      error: 'invalid_exact_svm_transaction_simulation_failed',
    });
    expect({ ...(await forge.standing()), calls: before.calls }).toEqual(before);
    const asked = forge.gateway.solana.devnet.calls.slice(before.calls).map(({ method }) => method);
    expect(asked).toContain('simulateTransaction');
    expect(asked).not.toContain('sendTransaction');
  });
});

/** Payers that are not known may use half of it. */
const BUDGET = 90_000n;

describe('the fee budget of an hour', () => {
  it('P12 bounds the loss of the fee payer; unknown payers can use half of it', async () => {
    const forge = await openForge({ FEE_BUDGET_LAMPORTS_PER_HOUR: BUDGET.toString() });
    const payDearly = () => payChanged(setCost(200_000, 50_000n), forge.payer, forge);
    const before = await forge.standing();
    expect((await payDearly()).status).toBe(200);
    expect((await payDearly()).status).toBe(200);
    const spent = await forge.standing();
    expect(before.feePayer - spent.feePayer).toBe(40_000n);
    for (const pay of [payDearly, async () => forge.pay((await forge.genuine()).payload)]) {
      const told = await pay();
      expect({ status: told.status, error: told.error }).toEqual({ status: 503, error: 'facilitator_unavailable' });
      expect(told.body).toMatchObject({ payment: { state: 'unused' } });
    }
    const after = await forge.standing();
    expect({ ...after, calls: spent.calls }).toEqual(spent);
    expect(before.feePayer - after.feePayer).toBeLessThanOrEqual(BUDGET / 2n);
    await forge.stop();
  });
});
