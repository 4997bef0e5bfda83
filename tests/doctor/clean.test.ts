import { examine } from '@asset-gateway/doctor';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/selling-gateway.ts';
import { startTestGateway } from '../kit/test-gateway.ts';

let shop: SolanaSandbox;
beforeAll(async () => {
  shop = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
});
afterAll(() => shop.close());

describe('the doctor finds nothing to fix', () => {
  it('with a gateway that only gives, by each name that it is dialled by', async () => {
    const house = await startTestGateway({ SERVICE_NAME: 'a name that no index would take, as it is too long' });
    for (const url of [house.url, house.url.replace('127.0.0.1', 'localhost')]) {
      expect(await examine(url)).toMatchObject({ routes: 19, findings: [], notes: [] });
    }
    expect(house.upstream.arrivals).toEqual([]);
    await house.stop();
  });

  it('with a gateway whose signatures serve until they expire, and are for its origin', async () => {
    const house = await startTestGateway({ SIWX_NONCE: 'until-expiry' });
    expect(await examine(house.url)).toMatchObject({ routes: 19, findings: [] });
    await house.stop();
  });

  it.each(['on', 'off'])('with a gateway that only sells, at prices of its own, memos %s', async (PAYMENT_MEMO) => {
    const market = await startSellingGateway({ PRICE_SURCHARGE_USD_MICROS: '1234', PAYMENT_MEMO }, { shop });
    expect(await examine(market.url)).toMatchObject({ routes: 41, findings: [] });
    expect(shop.provider.arrivals).toEqual([]);
    await market.stop();
  });
});
