import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type House, startHouse } from '../kit/house.ts';
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
import { openDesk } from './desk.ts';

const variables = { SIWX_NONCE: 'until-expiry' };

describe('until-expiry', () => {
  let house: House;
  beforeAll(async () => {
    house = await startHouse(variables, { windowMs: 3_600_000 });
  });
  afterAll(() => house.stop());

  it('one header serves only once', async () => {
    const asker = overHttp(house);
    const header = await signInFor(asker);
    const arrivals = house.upstream.arrivals.length;
    const answers = Array.from({ length: 50 }, () => statusOf(askWith(asker, header)));
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    expect(house.upstream.arrivals.length).toBe(arrivals + 50);
  });

  it('one header serves another path, wallet or origin too', async () => {
    const asker = overHttp(house);
    const payload = await signedPayload(await challengeOf(asker));
    const stranger = await signedPayload(await challengeOf(asker));
    expect(await statusOf(askWith(asker, encodeHeader(payload)))).toBe(200);
    await costsNothing(house, asker, async () => {
      await refusedWith('invalid_siwx_uri_mismatch', askWith(asker, encodeHeader(payload), `${SEARCH}&limit=1`));
      const swapped = { ...payload, address: stranger.address };
      await refusedWith('invalid_siwx_signature', askWith(asker, encodeHeader(swapped)));
      const elsewhere = encodeHeader({ ...payload, domain: 'evil.test' });
      await refusedWith('invalid_siwx_domain_mismatch', askWith(asker, elsewhere));
    });
  });
});

describe('until-expiry, by the clock of the store', () => {
  it('one header stops before 300 s, or goes on after', async () => {
    const desk = await openDesk({ variables });
    const header = await signInFor(desk, SEARCH, { expirationTime: undefined });
    for (const step of [0, 150, 149]) {
      desk.step(step);
      expect(await statusOf(askWith(desk, header))).toBe(200);
    }
    desk.step(2);
    await costsNothing(desk, desk, () => refusedWith('invalid_siwx_expired', askWith(desk, header)));
    await desk.close();
  });
});
