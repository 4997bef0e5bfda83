import { randomBytes } from 'node:crypto';
import { challengeIn } from '@asset-gateway/client';
import { Refusal } from '@asset-gateway/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allowanceOf } from '../../packages/gateway/src/budget/allowance.ts';
import { createDescribe } from '../../packages/gateway/src/describe/discovery.ts';
import { fixedOrigin } from '../../packages/gateway/src/gates/challenge.ts';
import { type Crypto, nodeCrypto } from '../../packages/gateway/src/gates/crypto.ts';
import { SiwxGate, signInChallenge } from '../../packages/gateway/src/gates/siwx/gate.ts';
import { Nonces } from '../../packages/gateway/src/gates/siwx/nonce.ts';
import { createMatch } from '../../packages/gateway/src/stages/match.ts';
import { RequestTrail } from '../../packages/gateway/src/stages/trail.ts';
import { rowOf } from '../http/targets.ts';
import { openLocalStore } from '../kit/local-store.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { encodeHeader, newSigner } from '../kit/wallet.ts';
import { askWith, challengeOf, costsNothing, overHttp, refusedWith, SEARCH, signedPayload, statusOf } from './craft.ts';

const ORIGIN = 'https://gw.example';
const ATTEMPTS = 10_000;
const route = rowOf('tokens.search');
const describeRoute = createDescribe(route, { name: 'asset-gateway', priceUsd: () => '0.00' });
const budget = { key: 'test', limit: 10, windowMs: 60_000, inFlightMs: 1000 };

/** The sign-in gate alone, and how often it has verified a signature. */
async function gateAlone() {
  let verified = 0;
  const crypto: Crypto = { ...nodeCrypto, verify: (...parts) => ++verified > 0 && nodeCrypto.verify(...parts) };
  const nonces = new Nonces(crypto, ['a secret of at least 32 characters, one']);
  const { store, close } = await openLocalStore(() => Date.UTC(2026, 10, 20));
  const allowance = allowanceOf(store, [budget], () => [budget]);
  const parts = { crypto, nonces, store, originOf: fixedOrigin(ORIGIN), allowance, singleUse: true };
  return { gate: new SiwxGate({ ...parts, describe: describeRoute }), nonces, store, verified: () => verified, close };
}

const match = createMatch([{ route }]);
const callWith = (header: string) =>
  match({
    method: 'GET',
    target: SEARCH,
    headers: { 'sign-in-with-x': header },
    hosts: [],
    port: 0,
    body: Buffer.of(),
    client: '',
  });

async function admit(gate: SiwxGate, header: string): Promise<string> {
  const call = callWith(header);
  const trail = new RequestTrail(call.inbound, { log: () => undefined, randomId: () => '' });
  return gate.admit(call, trail).then(
    () => 'admitted',
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  );
}

describe('S5 no signature is verified over an invented nonce', () => {
  it(`of ${ATTEMPTS} random ones`, async () => {
    const { gate, nonces, store, verified, close } = await gateAlone();
    const call = callWith('');
    const nonce = nonces.issue(ORIGIN, store.epoch(), store.now());
    const parts = { call, origin: ORIGIN, nonce, nowMs: store.now(), code: 'sign_in_required' } as const;
    const { members } = signInChallenge({ ...parts, describe: describeRoute, singleUse: true });
    const challenge = challengeIn(members);
    if (!challenge) throw new Error('no challenge');
    const genuine = await signedPayload(challenge);
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const header = encodeHeader({ ...genuine, nonce: randomBytes(16).toString('hex') });
      expect(await admit(gate, header)).toBe('invalid_siwx_nonce');
    }
    expect(verified()).toBe(0);
    expect(await admit(gate, encodeHeader(genuine))).toBe('admitted');
    expect(verified()).toBe(1);
    await close();
  });
});

describe('S5 an invented nonce opens no route', () => {
  let gateway: TestGateway;
  let other: TestGateway;
  beforeAll(async () => {
    gateway = await startTestGateway({}, { windowMs: 3_600_000 });
    other = await startTestGateway();
  });
  afterAll(() => Promise.all([gateway.stop(), other.stop()]));

  it.each<[string, (nonce: string) => string]>([
    ['random', () => randomBytes(16).toString('hex')],
    ['truncated', (nonce) => nonce.slice(0, 30)],
    ['upper case', (nonce) => nonce.toUpperCase().replace(/^\d+$/, 'A')],
    ['with a digit more', (nonce) => `${nonce}0`],
    [
      'with its time set ahead',
      (nonce) => (Number.parseInt(nonce.slice(0, 6), 16) ^ 1).toString(16).padStart(6, '0') + nonce.slice(6),
    ],
    ['all zeros', () => '0'.repeat(32)],
  ])('%s', async (_, change) => {
    const [asker, signer] = [overHttp(gateway), newSigner()];
    const challenge = await challengeOf(asker);
    const changed = await signedPayload(challenge, { nonce: change(challenge.info.nonce) }, signer);
    await costsNothing(gateway, asker, () => refusedWith('invalid_siwx_nonce', askWith(asker, encodeHeader(changed))));
    expect(await statusOf(askWith(asker, encodeHeader(await signedPayload(challenge, {}, signer))))).toBe(200);
  });

  it('nor does one of another deployment', async () => {
    const [asker, elsewhere] = [overHttp(gateway), overHttp(other)];
    const { info } = await challengeOf(elsewhere);
    const payload = await signedPayload(await challengeOf(asker), { nonce: info.nonce });
    await costsNothing(gateway, asker, () => refusedWith('invalid_siwx_nonce', askWith(asker, encodeHeader(payload))));
  });

  it('nor does one swapped in after signing', async () => {
    const asker = overHttp(gateway);
    const payload = await signedPayload(await challengeOf(asker));
    const { info } = await challengeOf(asker);
    const swapped = encodeHeader({ ...payload, nonce: info.nonce });
    await costsNothing(gateway, asker, () => refusedWith('invalid_siwx_signature', askWith(asker, swapped)));
    expect(await statusOf(askWith(asker, encodeHeader(payload)))).toBe(200);
  });
});
