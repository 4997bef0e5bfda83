import { Refusal } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { VerificationLimits, type Verified } from '../../packages/gateway/src/payments/verification-limits.ts';

let serial = 0;
const known = (network = 'mainnet') => ({
  network,
  payer: `payer ${serial++}`,
  challenge: `memo ${serial++}`,
  isNewPayer: false,
});
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

  it('V6 admit another new payer when one ends', () => {
    const limits = new VerificationLimits();
    const leave = Array.from({ length: 16 }, () => limits.enter(newcomer(), 0));
    leave[3]?.();
    expect(waitOf(() => limits.enter(newcomer(), 0))).toBe(0);
    expect(waitOf(() => limits.enter(newcomer(), 0))).toBe(1);
  });
});

describe('V6 failed verifications', () => {
  const MINUTE = 60_000;

  function fail(limits: VerificationLimits, verified: Verified, nowMs: number): void {
    limits.failed(verified, nowMs);
    limits.failedByPayer(verified, nowMs);
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

  it('V6 of possible copies do not count against the payer', () => {
    const limits = new VerificationLimits();
    const copied = known();
    for (let count = 0; count < 5; count++) limits.failed(copied, 0);
    expect(waitOf(() => limits.enter(copied, 0))).toBe(60);
    expect(waitOf(() => limits.enter({ ...known(), payer: copied.payer }, 0))).toBe(0);
  });
});
