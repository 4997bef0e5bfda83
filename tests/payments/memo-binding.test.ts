import { NETWORKS, USDC } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadSodium, nodeCrypto } from '../../packages/gateway/src/gates/crypto.ts';
import { Memos } from '../../packages/gateway/src/payments/read/memo.ts';
import type { Offer } from '../../packages/gateway/src/payments/requirement.ts';
import { anyText } from '../kit/any-text.ts';
import { samples } from '../kit/rounds.ts';

const NOW = Date.parse('2026-11-20T12:00:00.999Z');
const SECONDS = Math.floor(NOW / 1000);
const SECRETS = ['first secret of thirty-two letters', 'second secret of thirty-two letter'];
const HASH = 'a'.repeat(64);
const REQUIREMENT: Offer = {
  network: NETWORKS.devnet,
  asset: USDC.devnet,
  payTo: 'GyGKxMyg1p9SsHfm15MkNUu1u9TN2JtTspcdmrtGUdse',
  destination: '6ndWAgFxMAVLobD8WrdBj5w41GrDeJYiQX91nNSrwkZp',
  amount: '500',
  feePayer: '9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu',
};

const memos = new Memos(nodeCrypto, SECRETS.slice(0, 1));

describe('a memo', () => {
  it('is 32 letters of base64url, tells its second, and is never the same', () => {
    const issued = Array.from({ length: 200 }, () => memos.issue(REQUIREMENT, HASH, NOW));
    expect(new Set(issued).size).toBe(200);
    for (const memo of issued) {
      expect(memo).toMatch(/^[A-Za-z0-9_-]{32}$/);
      expect(memos.read(memo, REQUIREMENT, HASH)).toBe(SECONDS);
    }
  });

  it('tells any second', () => {
    const check = (seconds: number) => {
      expect(memos.read(memos.issue(REQUIREMENT, HASH, seconds * 1000 + 999), REQUIREMENT, HASH)).toBe(seconds);
    };
    fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), check));
  });

  const others: readonly (readonly [string, Partial<Offer>])[] = [
    ['network', { network: NETWORKS.mainnet }],
    ['asset', { asset: USDC.mainnet }],
    ['payee', { payTo: REQUIREMENT.feePayer }],
    ['amount', { amount: '501' }],
    ['amount in another spelling', { amount: '0500' }],
    ['fee payer', { feePayer: REQUIREMENT.payTo }],
  ];

  it.each(others)('P15 is of no use with another %s', (_, change) => {
    const memo = memos.issue(REQUIREMENT, HASH, NOW);
    expect(memos.read(memo, { ...REQUIREMENT, ...change }, HASH)).toBeUndefined();
    expect(memos.read(memos.issue({ ...REQUIREMENT, ...change }, HASH, NOW), REQUIREMENT, HASH)).toBeUndefined();
  });

  it('P3 is of no use with another request', () => {
    const memo = memos.issue(REQUIREMENT, HASH, NOW);
    expect(memos.read(memo, REQUIREMENT, 'b'.repeat(64))).toBeUndefined();
    expect(memos.read(memo, REQUIREMENT, '')).toBeUndefined();
  });

  it('is bound to each part separately', () => {
    const text = fc.string({ maxLength: 12 });
    const parts = fc.record({ network: text, asset: text, payTo: text, amount: text, feePayer: text, hash: text });
    const check = (one: Record<string, string>, other: Record<string, string>) => {
      fc.pre(JSON.stringify(one) !== JSON.stringify(other));
      const memo = memos.issue({ ...REQUIREMENT, ...one }, one.hash ?? '', NOW);
      expect(memos.read(memo, { ...REQUIREMENT, ...one }, one.hash ?? '')).toBe(SECONDS);
      expect(memos.read(memo, { ...REQUIREMENT, ...other }, other.hash ?? '')).toBeUndefined();
    };
    fc.assert(fc.property(parts, parts, check));
  });
});

describe('a foreign memo', () => {
  it('is refused: every character changed', () => {
    const memo = memos.issue(REQUIREMENT, HASH, NOW);
    for (let at = 0; at < memo.length; at++) {
      for (const letter of 'Az09-_') {
        const forged = memo.slice(0, at) + letter + memo.slice(at + 1);
        expect(memos.read(forged, REQUIREMENT, HASH) !== undefined, forged).toBe(forged === memo);
      }
    }
  });

  it('is refused: every length but its own, and what other texts of it decode to', () => {
    const memo = memos.issue(REQUIREMENT, HASH, NOW);
    for (let length = 0; length < memo.length; length++) {
      expect(memos.read(memo.slice(0, length), REQUIREMENT, HASH)).toBeUndefined();
    }
    for (const other of [`${memo}A`, `${memo}=`, `${memo}\n`, ` ${memo}`, `${memo}\0`, memo.replace(/./, '+')]) {
      expect(memos.read(other, REQUIREMENT, HASH)).toBeUndefined();
    }
  });

  it('is refused: anything at all', () => {
    const invented = fc.uint8Array({ minLength: 24, maxLength: 24 }).map((it) => Buffer.from(it).toString('base64url'));
    const check = (text: string) => {
      expect(memos.read(text, REQUIREMENT, HASH)).toBeUndefined();
    };
    fc.assert(fc.property(fc.oneof(invented, fc.string(), anyText()), check), { numRuns: samples(500) });
  });
});

describe('secrets', () => {
  const [first = '', second = ''] = SECRETS;

  it('take turns: the first signs, all verify, and one that is gone does not', () => {
    const before = new Memos(nodeCrypto, [first]);
    const during = new Memos(nodeCrypto, [second, first]);
    const after = new Memos(nodeCrypto, [second]);
    const [old, fresh] = [before.issue(REQUIREMENT, HASH, NOW), during.issue(REQUIREMENT, HASH, NOW)];
    expect([before, during, after].map((each) => each.read(old, REQUIREMENT, HASH))).toEqual([
      SECONDS,
      SECONDS,
      undefined,
    ]);
    expect([before, during, after].map((each) => each.read(fresh, REQUIREMENT, HASH))).toEqual([
      undefined,
      SECONDS,
      SECONDS,
    ]);
  });

  it('are needed', () => {
    expect(() => new Memos(nodeCrypto, []).issue(REQUIREMENT, HASH, NOW)).toThrow();
    expect(new Memos(nodeCrypto, []).read(memos.issue(REQUIREMENT, HASH, NOW), REQUIREMENT, HASH)).toBeUndefined();
  });

  it('give the same memos with libsodium and without', async () => {
    const sodium = await loadSodium();
    if (!sodium) throw new Error('libsodium does not load here');
    const random = (bytes: number) => Buffer.alloc(bytes, 7);
    const check = (secret: string, amount: string, hash: string) => {
      const requirement = { ...REQUIREMENT, amount };
      const [one, other] = [nodeCrypto, sodium].map((each) => new Memos({ ...each, random }, [secret]));
      const memo = one?.issue(requirement, hash, NOW) ?? '';
      expect(other?.issue(requirement, hash, NOW)).toBe(memo);
      expect(other?.read(memo, requirement, hash)).toBe(SECONDS);
    };
    fc.assert(fc.property(anyText({ minLength: 1 }), fc.string(), fc.string(), check));
  });
});
