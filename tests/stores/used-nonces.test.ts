import { describe, expect, it } from 'vitest';
import { UsedNonces } from '../../packages/gateway/src/budget/local-store.ts';

describe('the memory of used nonces', () => {
  it('R11 is bounded by rate times lifetime over a million sign-ins', () => {
    const nonces = new UsedNonces('e');
    const [perSecond, seconds] = [100, 10_000];
    let largest = 0;
    for (let second = 0; second < seconds; second++) {
      for (let index = 0; index < perSecond; index++) {
        nonces.remember({ nonce: `${second}-${index}`, issuedAtSeconds: second }, 'o', second * 1000);
      }
      if (second % 60 === 0) largest = Math.max(largest, nonces.size);
    }
    expect(largest).toBeLessThanOrEqual(perSecond * (360 + 2 * 60));
  });

  it('never forgets a nonce that a clock could still accept', () => {
    const nonces = new UsedNonces('e');
    const use = { nonce: 'n', issuedAtSeconds: 1000, epoch: 'e' };
    nonces.remember(use, 'first', 1000_000 - 30_000);
    for (let second = 971; second <= 1300; second++) {
      nonces.remember({ nonce: `other ${second}`, issuedAtSeconds: second }, 'o', second * 1000);
      expect(nonces.judge(use, 'second', second * 1000)).toBe('nonce_used');
    }
    expect(nonces.judge(use, 'second', 1_301_000)).toBe('nonce_expired');
  });
});
