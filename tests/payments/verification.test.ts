import { NETWORKS, Refusal } from '@asset-gateway/protocol';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { nodeCrypto } from '../../packages/gateway/src/crypto.ts';
import { LIMITS } from '../../packages/gateway/src/limits.ts';
import type { Chain, Sighting } from '../../packages/gateway/src/payments/facilitator/chain.ts';
import type {
  Facilitator,
  Processed,
  Verification,
} from '../../packages/gateway/src/payments/facilitator/facilitator.ts';
import type { Purchase } from '../../packages/gateway/src/payments/purchase-state.ts';
import { Reconciler } from '../../packages/gateway/src/payments/reconcile.ts';
import type { Paid } from '../../packages/gateway/src/payments/record.ts';
import { VerificationLimits, type Verified, Verifier } from '../../packages/gateway/src/payments/verification.ts';
import { inEachTest } from '../kit/in-suite.ts';
import { newPayment, openSqliteLedger, signatureOf } from '../kit/ledger.ts';
import { standIn } from '../kit/stand-in.ts';

let serial = 0;
const known = (network = 'mainnet') => {
  const number = serial++;
  return { network, payer: `payer ${number}`, challenge: `memo ${number}`, isNewPayer: false, closedUntilMs: 0 };
};
const newcomer = (network?: string) => ({ ...known(network), isNewPayer: true });

/** When an attempt is to be made again, in seconds; 0 for one that is let in. */
function waitOf(attempt: () => unknown): number | undefined {
  try {
    attempt();
    return 0;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    expect([error.code, error.details.payment]).toEqual(['rate_limited', { state: 'unused' }]);
    return error.retryAfterSeconds;
  }
}

describe('V6 verifications under way', () => {
  it('V6 are at most 32 at once, 16 for new payers', () => {
    const limits = new VerificationLimits();
    for (let count = 0; count < 16; count++) limits.enter(newcomer(), 0);
    expect(waitOf(() => limits.enter(newcomer(), 0))).toBe(1);
    const leave = Array.from({ length: 16 }, () => limits.enter(known(), 0));
    expect(waitOf(() => limits.enter(known(), 0))).toBe(1);
    leave[0]?.();
    expect(waitOf(() => limits.enter(newcomer(), 0))).toBe(1);
    expect(waitOf(() => limits.enter(known(), 0))).toBe(0);
  });

  it('W4 of devnet do not use the limits of mainnet', () => {
    const limits = new VerificationLimits();
    for (let count = 0; count < 16; count++) limits.enter(newcomer('devnet'), 0);
    for (let count = 0; count < 16; count++) limits.enter(known('devnet'), 0);
    expect(waitOf(() => limits.enter(known('devnet'), 0))).toBe(1);
    for (let count = 0; count < 16; count++) limits.enter(newcomer(), 0);
    expect(waitOf(() => limits.enter(newcomer(), 0))).toBe(1);
    expect(waitOf(() => limits.enter(known(), 0))).toBe(0);
  });
});

describe('V6 failed verifications', () => {
  const MINUTE = 60_000;

  function fail(limits: VerificationLimits, verified: Verified, nowMs: number): void {
    limits.failed(verified.challenge, nowMs);
    limits.failed(verified.payer, nowMs);
  }

  it.each(['payer', 'challenge'] as const)('V6 of one %s: at most three a minute', (name) => {
    const limits = new VerificationLimits();
    const first = known();
    const again = () => ({ ...known(), [name]: first[name] });
    for (const nowMs of [0, 10_000, 20_000]) {
      const attempt = again();
      limits.enter(attempt, nowMs)();
      fail(limits, attempt, nowMs);
    }
    expect(waitOf(() => limits.enter(again(), 30_000))).toBe(30);
    expect(waitOf(() => limits.enter(known(), 30_000))).toBe(0);
    expect(waitOf(() => limits.enter(again(), MINUTE - 1))).toBe(1);
    const attempt = again();
    expect(waitOf(() => limits.enter(attempt, MINUTE))).toBe(0);
    fail(limits, attempt, MINUTE);
    expect(waitOf(() => limits.enter(again(), MINUTE))).toBe(10);
    expect(waitOf(() => limits.enter(again(), 3 * MINUTE))).toBe(0);
  });

  it('P12 on the chain close a payer until the time that its books name', () => {
    const [limits, payer] = [new VerificationLimits(), { ...known(), closedUntilMs: 60 * MINUTE }];
    expect(waitOf(() => limits.enter(payer, 10 * MINUTE))).toBe(50 * 60);
    expect(waitOf(() => limits.enter(known(), 10 * MINUTE))).toBe(0);
    expect(waitOf(() => limits.enter(payer, 60 * MINUTE))).toBe(0);
  });

  it('V6 of possible copies do not count against the payer', () => {
    const limits = new VerificationLimits();
    const copied = known();
    for (let count = 0; count < 5; count++) limits.failed(copied.challenge, 0);
    expect(waitOf(() => limits.enter(copied, 0))).toBe(60);
    expect(waitOf(() => limits.enter({ ...known(), payer: copied.payer }, 0))).toBe(0);
  });
});

describe('the verification of a payment', () => {
  const ledger = inEachTest(() => openSqliteLedger());
  /** The block that was final before the verification. */
  const FINAL = { height: 7, chainSlot: 100 };
  const INVALID = 'invalid_exact_svm_transaction_simulation_failed';
  const invalid = (processed: Processed): Verification => ({ valid: false, reason: INVALID, processed });

  /** A verifier whose facilitator says this, and whose chain shows that of every transaction; undefined: there is no chain. */
  function open(verify: () => Promise<Verification>, sighting?: Sighting) {
    const { payments } = ledger;
    const status = vi.fn(async () => sighting as Sighting);
    const chain = standIn<Chain>({ finalized: async () => FINAL, status });
    const chains = new Map(sighting && [[NETWORKS.mainnet, chain]]);
    const facilitator = standIn<Facilitator>({ verify, signatureOf });
    const reconciler = new Reconciler({ payments, facilitator, chains, crypto: nodeCrypto });
    onTestFinished(() => reconciler.close());
    return { verifier: new Verifier({ payments, facilitator, reconciler, chains }), status };
  }

  /** The purchase of a new wallet, or of one that has paid so much. */
  function purchaseOf(change: object = {}, paidMicros = 0): Purchase {
    const payment = { ...newPayment({ memo: undefined }), isBound: true, hasTicket: true, ...change };
    const paidOnMainnet: Paid[] = [{ atMs: ledger.nowMs, micros: paidMicros }];
    const context = { facts: {}, inVersion1Header: false };
    return standIn<Purchase>({ payment, stored: { paidOnMainnet, closedUntilMs: 0 }, context });
  }

  /** The code of a refusal, and the state of the payment. */
  const refusalOf = (attempt: Promise<unknown>) =>
    attempt.then(
      () => ['valid'],
      (error: unknown) => (error instanceof Refusal ? [error.code, error.details.payment?.state] : [error]),
    );

  it('tells the height that was final before, if there is a chain', async () => {
    const valid = async () => ({ valid: true }) as const;
    expect(await open(valid, { status: 'missing', chainSlot: 0 }).verifier.verify(purchaseOf())).toEqual({ height: 7 });
    expect(await open(valid).verifier.verify(purchaseOf())).toEqual({ height: undefined });
  });

  const pending = ['settlement_pending', 'pending'] as const;
  const refused = [INVALID, 'refused'] as const;

  it.each<[string, Processed, Sighting, typeof pending | typeof refused]>([
    ['was processed, whatever a node shows', 'yes', { status: 'missing', chainSlot: 100 }, pending],
    ['a node behind does not show', 'maybe', { status: 'missing', chainSlot: 99 }, pending],
    ['a node as far does not show', 'maybe', { status: 'missing', chainSlot: 100 }, refused],
    ['is on its way', 'maybe', { status: 'seen', chainSlot: 100 }, pending],
    ['has failed', 'maybe', { status: 'failed', chainSlot: 100 }, refused],
  ])('P6 of one that %s', async (_, processed, sighting, [code, state]) => {
    const purchase = purchaseOf();
    const { verifier } = open(async () => invalid(processed), sighting);
    const payment = { state, ...(state === 'pending' && { transaction: signatureOf(purchase.payment) }) };
    await expect(verifier.verify(purchase)).rejects.toMatchObject({ code, details: { payment } });
    expect(await ledger.payments.find(purchase.payment.key)).toBeUndefined();
  });

  it('asks the chain nothing about one that has certainly not landed', async () => {
    const { verifier, status } = open(async () => invalid('no'), { status: 'confirmed', chainSlot: 100 });
    expect(await refusalOf(verifier.verify(purchaseOf()))).toEqual([INVALID, 'refused']);
    expect(status).not.toHaveBeenCalled();
  });

  it('refuses a payment that may have landed if there is no chain to read', async () => {
    const { verifier } = open(async () => invalid('maybe'));
    expect(await refusalOf(verifier.verify(purchaseOf()))).toEqual([INVALID, 'refused']);
  });

  it('records one that has settled before, and sends nothing', async () => {
    const { verifier } = open(async () => invalid('maybe'), { status: 'confirmed', chainSlot: 100 });
    const purchase = purchaseOf();
    const { settledBefore } = await verifier.verify(purchase);
    const settled = { progress: 'settled', signature: signatureOf(purchase.payment) };
    expect(settledBefore).toMatchObject(settled);
    expect(await ledger.payments.find(purchase.payment.key)).toMatchObject(settled);
    expect(purchase.context.facts.payment).toEqual({ state: 'settled', transaction: settled.signature });
  });

  it.each([
    ['without its ticket', { hasTicket: false }],
    ['with a memo of its payer', { isBound: false }],
  ])('V5 buys nothing with a settled one %s', async (_, change) => {
    const { verifier } = open(async () => invalid('maybe'), { status: 'confirmed', chainSlot: 100 });
    const purchase = purchaseOf(change);
    expect(await refusalOf(verifier.verify(purchase))).toEqual(['payment_already_used', 'settled']);
    expect(await ledger.payments.find(purchase.payment.key)).toBeUndefined();
  });

  it('V6 counts failures by payer and by the memo of the challenge; without one, by payment', async () => {
    const { verifier } = open(async () => invalid('no'));
    const fail = (change?: object) => refusalOf(verifier.verify(purchaseOf(change)));
    for (const alike of [{ memo: 'one' }, { payer: 'wallet' }]) {
      for (let count = 0; count < 3; count++) expect(await fail(alike)).toEqual([INVALID, 'refused']);
      expect(await fail(alike)).toEqual(['rate_limited', 'unused']);
    }
    for (let count = 0; count < 4; count++) expect(await fail()).toEqual([INVALID, 'refused']);
  });

  it('V6 W4 gives new payers sixteen places, and each place again when it ends', async () => {
    const ends: ((verification: Verification) => void)[] = [];
    const { verifier } = open(() => new Promise((resolve) => void ends.push(resolve)));
    const known = purchaseOf({}, LIMITS.knownPayerMicros);
    const verifying = Array.from({ length: 16 }, () => verifier.verify(purchaseOf()));
    expect(await refusalOf(verifier.verify(purchaseOf()))).toEqual(['rate_limited', 'unused']);
    expect(() => verifier.assertMayVerify(purchaseOf(), ledger.nowMs)).toThrow(Refusal);
    expect(() => verifier.assertMayVerify(known, ledger.nowMs)).not.toThrow();
    for (const end of ends) end({ valid: true });
    await Promise.all(verifying);
    expect(() => verifier.assertMayVerify(purchaseOf(), ledger.nowMs)).not.toThrow();
  });
});
