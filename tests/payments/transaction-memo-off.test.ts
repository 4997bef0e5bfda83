import { newKeypair } from '@asset-gateway/client/node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressOf, carrying, type Forge, openForge } from './forge-market.ts';
import { type Change, memoOf, REASONS, transferOf, u64 } from './forge-table.ts';
import { signed } from './forge-wire.ts';

let forge: Forge;
beforeAll(async () => {
  forge = await openForge({ PAYMENT_MEMO: 'off' });
});
afterAll(() => forge.stop());

async function payChanged(change: Change, more: readonly Uint8Array[] = []) {
  const { payload, draft } = await forge.genuine();
  change(draft, forge);
  const before = await forge.standing();
  const told = await forge.pay(carrying(payload, signed(draft, [forge.payer, ...more])));
  return { told, before, after: await forge.standing() };
}

const setAmount =
  (amount: bigint): Change =>
  (draft) =>
    Object.assign(transferOf(draft), { data: Uint8Array.from([12, ...u64(amount), 6]) });

describe('without memos in the requirement', () => {
  it('asks for none, and takes the one that the official client makes up', async () => {
    const { payload } = await forge.genuine();
    expect(payload).toMatchObject({ accepted: { extra: { feePayer: forge.feePayer } } });
    expect(JSON.stringify(payload)).not.toContain('"memo"');
    expect((await forge.pay(payload)).status).toBe(200);
  });

  it.each([4n, 6n, 0n, 2n ** 64n - 1n, 5n + 2n ** 32n])('P10 %s micro-dollars for 5 are refused', async (amount) => {
    const { told, before, after } = await payChanged(setAmount(amount));
    expect({ status: told.status, error: told.error }).toEqual({ status: 402, error: REASONS.amount });
    expect(after).toEqual(before);
  });

  it('P12 another fee payer is refused, whoever it is', async () => {
    const other = newKeypair();
    const { told, before, after } = await payChanged((draft) => draft.keys.splice(0, 1, addressOf(other)), [other]);
    expect({ status: told.status, error: told.error }).toEqual({
      status: 402,
      error: 'invalid_exact_svm_fee_payer_mismatch',
    });
    expect(after).toEqual(before);
  });

  it('P10 still wants exactly one memo', async () => {
    const { told, before, after } = await payChanged(({ instructions }) => instructions.splice(3, 1));
    expect({ status: told.status, error: told.error }).toEqual({ status: 402, error: REASONS.memoCount });
    expect(after).toEqual(before);
  });

  it('P10 a memo that the chain cannot read moves nothing', async () => {
    const { told, before, after } = await payChanged((draft) => {
      memoOf(draft).data = Uint8Array.from([0xff, 0xfe]);
    });
    expect(told.status).toBe(402);
    expect({ ...after, calls: before.calls }).toEqual(before);
  });
});
