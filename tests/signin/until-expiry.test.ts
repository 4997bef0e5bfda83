import { HEADERS, routes } from '@asset-gateway/protocol';
import { generateKeyPairSigner, type KeyPairSigner } from '@solana/kit';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { createSIWxClientHook, type SIWxSigner } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment } from '@x402/fetch';
import { describe, expect, it } from 'vitest';
import { exampleOf } from '../http/targets.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { encodeHeader } from '../kit/wallet.ts';
import {
  askWith,
  challengeOf,
  costsNothing,
  HEALTH,
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
    await costsNothing(gateway, asker, async () => {
      const swapped = { ...payload, address: stranger.address };
      await refusedWith('invalid_siwx_signature', askWith(asker, encodeHeader(swapped)));
      const elsewhere = encodeHeader({ ...payload, domain: 'evil.test' });
      await refusedWith('invalid_siwx_domain_mismatch', askWith(asker, elsewhere));
    });
  });
});

describe('until-expiry with the official client: one signature', () => {
  /** A page where a person signs once; every later request carries that header. */
  async function openPage() {
    const signer = await generateKeyPairSigner();
    let signatures = 0;
    const person: Pick<KeyPairSigner, 'address' | 'signMessages'> = {
      address: signer.address,
      signMessages: (messages) => {
        signatures++;
        return signer.signMessages(messages);
      },
    };
    let kept: string | undefined;
    const keeping: typeof fetch = async (input, init) => {
      const request = new Request(input, init);
      if (kept !== undefined && !request.headers.has(HEADERS.signIn)) request.headers.set(HEADERS.signIn, kept);
      const response = await fetch(request);
      if (response.ok) kept = request.headers.get(HEADERS.signIn) ?? kept;
      return response;
    };
    const client = new x402HTTPClient(new x402Client()).onPaymentRequired(
      createSIWxClientHook(person as unknown as SIWxSigner),
    );
    return { ask: wrapFetchWithPayment(keeping, client) as typeof fetch, signatures: () => signatures };
  }

  it('opens every route', async () => {
    const { ask, signatures } = await openPage();
    const rows = routes.filter(({ access }) => access === 'siwx');
    const arrivals = gateway.upstream.arrivals.length;
    for (const row of rows) {
      const { target, init } = exampleOf(row);
      expect(await statusOf(ask(`${gateway.url}${target}`, init)), row.path).toBe(200);
    }
    expect(gateway.upstream.arrivals.length).toBe(arrivals + rows.length);
    expect(signatures()).toBe(1);
  });

  it('has the origin as its uri, and the URL of the request as its resource', async () => {
    const challenge = await (await fetch(`${gateway.url}${SEARCH}`)).json();
    expect(challenge.extensions['sign-in-with-x'].info.uri).toBe(gateway.url);
    expect(challenge.resource.url).toBe(`${gateway.url}${SEARCH}`);
  });

  it('for one path does not open another', async () => {
    const header = await signInFor(asker, SEARCH, { uri: `${gateway.url}${SEARCH}` });
    expect(await statusOf(askWith(asker, header))).toBe(200);
    await costsNothing(gateway, asker, () => refusedWith('invalid_siwx_uri_mismatch', askWith(asker, header, HEALTH)));
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
    await costsNothing(direct, direct, () => refusedWith('invalid_siwx_expired', askWith(direct, header)));
    await direct.close();
  });
});
