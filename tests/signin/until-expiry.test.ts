import { HEADERS } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { exampleOf, gated } from '../http/targets.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { encodeHeader } from '../kit/wallet.ts';
import {
  askWith,
  challengeOf,
  costsNothing,
  overHttp,
  refusedWith,
  SEARCH,
  signedPayload,
  signInFor,
  statusOf,
} from './craft.ts';
import { openDirect } from './direct-gateway.ts';

const variables = { SIWX_NONCE: 'until-expiry' };
const gateway = await stopAfterTests(startTestGateway(variables, { windowMs: 3_600_000 }));
const asker = overHttp(gateway);

describe('until-expiry', () => {
  it('one header works fifty times at once', async () => {
    const header = await signInFor(asker);
    const arrivals = gateway.upstream.arrivals.length;
    const answers = Array.from({ length: 50 }, () => statusOf(askWith(asker, header)));
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    expect(gateway.upstream.arrivals.length).toBe(arrivals + 50);
  });

  it('one header works for no other wallet or origin', async () => {
    const payload = await signedPayload(await challengeOf(asker));
    const stranger = await signedPayload(await challengeOf(asker));
    expect(await statusOf(askWith(asker, encodeHeader(payload)))).toBe(200);
    await costsNothing(asker, async () => {
      const swapped = { ...payload, address: stranger.address };
      await refusedWith('invalid_siwx_signature', askWith(asker, encodeHeader(swapped)));
      const elsewhere = encodeHeader({ ...payload, domain: 'evil.test' });
      await refusedWith('invalid_siwx_domain_mismatch', askWith(asker, elsewhere));
    });
  });
});

describe('until-expiry: one signature', () => {
  it('for the origin, which the challenge asks for, opens every route', async () => {
    const challenge = await (await fetch(`${gateway.url}${SEARCH}`)).json();
    expect(challenge.extensions['sign-in-with-x'].info.uri).toBe(gateway.url);
    expect(challenge.resource.url).toBe(`${gateway.url}${SEARCH}`);
    const header = await signInFor(asker);
    const arrivals = gateway.upstream.arrivals.length;
    for (const row of gated) {
      const { target, init } = exampleOf(row);
      const headers = { ...init.headers, [HEADERS.signIn]: header };
      expect(await statusOf(asker.ask(target, headers, init)), row.path).toBe(200);
    }
    expect(gateway.upstream.arrivals.length).toBe(arrivals + gated.length);
  });
});

describe('until-expiry, by the clock of the store', () => {
  it('one header works for 300 s', async () => {
    const direct = await openDirect({ variables });
    const header = await signInFor(direct, SEARCH, { expirationTime: undefined });
    for (const step of [0, 150, 149]) {
      direct.step(step);
      expect(await statusOf(askWith(direct, header))).toBe(200);
    }
    direct.step(2);
    await costsNothing(direct, () => refusedWith('invalid_siwx_expired', askWith(direct, header)));
    await direct.close();
  });
});
