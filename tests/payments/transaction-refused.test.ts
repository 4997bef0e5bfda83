import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTransaction } from '../../packages/gateway/src/payments/read/transaction.ts';
import { COMPUTE_FORGERIES } from './forge-compute.ts';
import { FEE_PAYER_FORGERIES, SIGNER_FORGERIES } from './forge-fee-payer.ts';
import { carrying, type Forge, type Genuine, openForge } from './forge-market.ts';
import { MEMO_FORGERIES } from './forge-memo.ts';
import { SIGNATURE_FORGERIES } from './forge-signature.ts';
import type { Forgery } from './forge-table.ts';
import { TRANSFER_FORGERIES } from './forge-transfer.ts';
import { draftOf, signed } from './forge-wire.ts';
import { plain, readWithKit } from './kit-reader.ts';

const FEE_LAMPORTS = 10_001n;

let forge: Forge;
/** What every forgery is made of: as none of them is taken, it stays as good as it was. */
let genuine: Genuine;
let fees = 0n;
let lamportsAtFirst: bigint;
beforeAll(async () => {
  forge = await openForge();
  genuine = await forge.genuine();
  lamportsAtFirst = (await forge.standing()).feePayer;
});
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

describe('what is refused before anybody else is asked', () => {
  it('is not a payment as the official client makes it, which the forger can put together to the byte', expectBought);

  it.each(FEE_PAYER_FORGERIES)('P12 $name', expectRefused);
  it.each(SIGNER_FORGERIES)('P12 $name', expectRefused);
  it.each(COMPUTE_FORGERIES)('P12 $name', expectRefused);
  it.each(TRANSFER_FORGERIES)('P10 $name', expectRefused);
  it.each(MEMO_FORGERIES)('P10 $name', expectRefused);
  it.each(SIGNATURE_FORGERIES)('P10 $name', expectRefused);

  it('P12 leaves the fee payer with all but the fees of what was bought', async () => {
    await expectBought();
    const { feePayer, transfers } = await forge.standing();
    expect(lamportsAtFirst - feePayer).toBe(fees);
    expect(BigInt(transfers) * FEE_LAMPORTS).toBe(fees);
  });
});
