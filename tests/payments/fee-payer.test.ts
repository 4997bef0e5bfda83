import { NETWORKS } from '@asset-gateway/protocol';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Background } from '../../packages/gateway/src/background.ts';
import { LIMITS } from '../../packages/gateway/src/limits.ts';
import { Chain } from '../../packages/gateway/src/payments/facilitator/chain.ts';
import type { Facilitator } from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import { feePayerReader } from '../../packages/gateway/src/payments/open.ts';
import { feeChargeOf, fitsBudget, hasOwnFeePayer } from '../../packages/gateway/src/payments/record.ts';
import { newPayment } from '../kit/ledger.ts';
import { NO_ACCOUNT, RPC, startScriptedNode } from './scripted-node.ts';

const node = await startScriptedNode();
const LIMIT = 1_000;
const NEW_PAYERS = LIMIT * LIMITS.newPayersShare;
const own = { feeBudgetPerHour: LIMIT, feePayer: () => 'address' } as unknown as Facilitator;
const remote = { feePayer: () => 'address' } as unknown as Facilitator;
const unknown = { feeBudgetPerHour: LIMIT, feePayer: () => undefined } as unknown as Facilitator;

describe('the fee budget', () => {
  const charge = (lamports: number, isNewPayer = false) => ({ feePayer: '', lamports, limit: LIMIT, isNewPayer });

  it('suffices up to its limit', () => {
    expect(fitsBudget(charge(400), { all: LIMIT - 400, ofNewPayers: LIMIT })).toBe(true);
    expect(fitsBudget(charge(401), { all: LIMIT - 400, ofNewPayers: 0 })).toBe(false);
  });

  it('suffices for new payers up to their share', () => {
    expect(fitsBudget(charge(50, true), { all: NEW_PAYERS, ofNewPayers: NEW_PAYERS - 50 })).toBe(true);
    expect(fitsBudget(charge(51, true), { all: NEW_PAYERS, ofNewPayers: NEW_PAYERS - 50 })).toBe(false);
    expect(fitsBudget(charge(1, true), { all: LIMIT, ofNewPayers: 0 })).toBe(false);
  });
});

describe('the charge of a settlement', () => {
  const payment = newPayment({ feeLamports: 40 });

  it.each([
    ['a new payer', LIMITS.knownPayerMicros - 1, true],
    ['a known payer', LIMITS.knownPayerMicros, false],
  ])('is that of %s, by network', (_, micros, isNewPayer) => {
    const charge = feeChargeOf(own, payment, [{ atMs: 5, micros }], 6);
    expect(charge).toEqual({ feePayer: `${NETWORKS.mainnet}:address`, lamports: 40, limit: LIMIT, isNewPayer });
    expect(hasOwnFeePayer(own)).toBe(true);
  });

  it('is zero if a remote facilitator pays', () => {
    expect(feeChargeOf(remote, payment, [], 6)).toBeUndefined();
    expect(hasOwnFeePayer(remote)).toBe(false);
  });

  it('is zero while no fee payer is known', () => {
    expect(feeChargeOf(unknown, payment, [], 6)).toBeUndefined();
  });
});

describe('the balance of the fee payer', () => {
  const open = async (...answers: Parameters<typeof node.play>[0][string]) => {
    const chain = new Chain(node.url);
    onTestFinished(() => chain.close());
    node.play({ getAccountInfo: answers });
    const background = new Background();
    const balances = await feePayerReader(own, new Map([[NETWORKS.devnet, chain]]), background)();
    return { balances, failures: background.counts.get('fee_payers') };
  };

  it.each([
    ['read by cluster', RPC.account(7), 7, 0],
    ['nothing without an account', NO_ACCOUNT, 0, 0],
    ['unknown if the chain does not answer', { status: 500 }, undefined, 1],
  ])('is %s', async (_, answer, lamports, failures) => {
    expect(await open(answer)).toEqual({ balances: [{ cluster: 'devnet', lamports }], failures });
    expect(node.calls[0]?.params[0]).toBe('address');
  });
});
