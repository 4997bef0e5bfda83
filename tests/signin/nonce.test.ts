import { randomBytes } from 'node:crypto';
import { Refusal, siwxExtension } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Crypto, nodeCrypto } from '../../packages/gateway/src/gates/crypto.ts';
import { signInInfo } from '../../packages/gateway/src/gates/siwx/gate.ts';
import { Nonces } from '../../packages/gateway/src/gates/siwx/nonce.ts';
import { readValidSignIn } from '../../packages/gateway/src/gates/siwx/sign-in.ts';
import { createMatch } from '../../packages/gateway/src/stages/match.ts';
import { rowOf } from '../http/targets.ts';
import { samples } from '../kit/rounds.ts';
import { encodeHeader } from '../kit/wallet.ts';
import { SEARCH, signedPayload } from './craft.ts';

const SECRET = 'a secret of at least 32 characters, one';
const OTHER_SECRET = 'a secret of at least 32 characters, two';
const ORIGIN = 'https://gw.example';
const EPOCH = 'epoch';
const NOW = Date.UTC(2026, 10, 20);

const onNode = new Nonces(nodeCrypto, [SECRET]);

const issued = (nonces = onNode): string => nonces.issue(ORIGIN, EPOCH, NOW);
const isRead = (nonce: string, { nonces = onNode, origin = ORIGIN, epoch = EPOCH, now = NOW } = {}): boolean =>
  nonces.read(nonce, origin, epoch, now) !== undefined;

describe('nonces', () => {
  it('are 32 lower-case hex digits and unique', () => {
    const nonces = Array.from({ length: 10_000 }, () => issued());
    for (const nonce of nonces) expect(nonce).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(nonces).size).toBe(nonces.length);
  });

  it('keep their time of issue for 90 days', () => {
    const times = fc.tuple(fc.integer({ min: 0, max: 4_000_000_000 }), fc.integer({ min: -7_776_000, max: 7_776_000 }));
    fc.assert(
      fc.property(times, ([seconds, later]) => {
        const nonce = onNode.issue(ORIGIN, EPOCH, seconds * 1000);
        expect(onNode.read(nonce, ORIGIN, EPOCH, (seconds + later) * 1000)?.issuedAtSeconds).toBe(seconds);
      }),
      { numRuns: samples(1_000) },
    );
  });
});

describe('S5 a nonce is refused that', () => {
  it.each<[string, Parameters<typeof isRead>[1]]>([
    ['was issued for another origin', { origin: 'https://gw.example:8443' }],
    ['was issued under another epoch', { epoch: 'epoch2' }],
    ['was issued with another secret', { nonces: new Nonces(nodeCrypto, [OTHER_SECRET]) }],
  ])('%s', (_, elsewhere) => {
    const nonce = issued();
    expect(isRead(nonce)).toBe(true);
    expect(isRead(nonce, elsewhere)).toBe(false);
  });

  it('is written in another way', () => {
    const nonce = issued();
    const spellings = [
      nonce.toUpperCase(),
      nonce.slice(0, 31),
      `${nonce}0`,
      ` ${nonce}`,
      `${nonce}\n`,
      `0x${nonce}`,
      '',
    ];
    for (const spelling of spellings.filter((each) => each !== nonce)) expect(isRead(spelling)).toBe(false);
  });

  it('differs in one bit', () => {
    const nonce = Buffer.from(issued(), 'hex');
    for (let bit = 0; bit < 128; bit++) {
      const damaged = Buffer.from(nonce);
      damaged[bit >> 3] = (damaged[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(isRead(damaged.toString('hex'))).toBe(false);
    }
  });

  it('is so old that its three-byte time has wrapped', () => {
    expect(isRead(issued(), { now: NOW + 2 ** 24 * 1000 })).toBe(false);
  });
});

describe('rotating secrets', () => {
  const rotation = (...secrets: string[]): Nonces => new Nonces(nodeCrypto as Crypto, secrets);

  it('a nonce of the second secret is accepted', () => {
    expect(isRead(issued(rotation(OTHER_SECRET)), { nonces: rotation(SECRET, OTHER_SECRET) })).toBe(true);
  });

  it('only the first secret issues nonces', () => {
    const nonce = issued(rotation(SECRET, OTHER_SECRET));
    expect(isRead(nonce, { nonces: rotation(SECRET) })).toBe(true);
    expect(isRead(nonce, { nonces: rotation(OTHER_SECRET) })).toBe(false);
  });
});

const match = createMatch([{ route: rowOf('tokens.search') }]);
const fixed = { method: 'GET', target: SEARCH, hosts: [], port: 0, body: Buffer.of(), client: '' };

/** A sign-in with this nonce, whose dates are of this time. */
const signedAt = (nonce: string, nowMs: number) =>
  signedPayload(siwxExtension(signInInfo(ORIGIN, { uri: ORIGIN + SEARCH, nonce, nowMs, statement: 'Sign in.' })));

/** The code of a payload at this time, or "valid". */
function codeOf(payload: object, { nowMs = NOW, judgedByStore = false, crypto = nodeCrypto } = {}): string {
  const clocks = { now: () => nowMs, wallNow: () => nowMs };
  const rule = { origin: ORIGIN, epoch: EPOCH, judgedByStore };
  const call = match({ ...fixed, headers: { 'sign-in-with-x': encodeHeader(payload) } });
  try {
    readValidSignIn({ crypto, nonces: onNode, clocks }, call, rule);
    return 'valid';
  } catch (error) {
    return error instanceof Refusal ? error.code : String(error);
  }
}

const ATTEMPTS = samples(10_000);

it(`S5 no signature is verified over an invented nonce, of ${ATTEMPTS} random ones`, async () => {
  let verified = 0;
  const crypto: Crypto = { ...nodeCrypto, verify: (...parts) => ++verified > 0 && nodeCrypto.verify(...parts) };
  const genuine = await signedAt(issued(), NOW);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const nonce = randomBytes(16).toString('hex');
    expect(codeOf({ ...genuine, nonce }, { crypto })).toBe('invalid_siwx_nonce');
  }
  expect(verified).toBe(0);
  expect([codeOf(genuine, { crypto }), verified]).toEqual(['valid', 1]);
});

describe('a nonce is accepted from 30 s before its time of issue until 300 s after it', () => {
  it.each([
    ['by this node alone', false, -30, 300],
    ['with 30 s more each way where the store checks again', true, -60, 330],
  ])('%s', async (_, judgedByStore, first, last) => {
    const codes: string[] = [];
    for (const age of [first - 1, first, last, last + 1]) {
      const nowMs = NOW + age * 1000;
      codes.push(codeOf(await signedAt(issued(), nowMs), { nowMs, judgedByStore }));
    }
    expect(codes).toEqual(['invalid_siwx_expired', 'valid', 'valid', 'invalid_siwx_expired']);
  });
});
