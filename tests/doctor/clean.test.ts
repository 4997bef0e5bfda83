import { describe, expect, it } from 'vitest';
import { examine } from '../../packages/gateway/src/doctor/examine.ts';
import { startHouse } from '../kit/house.ts';
import { startMarket } from '../kit/shop.ts';

describe('the doctor finds nothing to fix', () => {
  it('with a gateway that only gives, by each name that it is dialled by', async () => {
    const house = await startHouse({ SERVICE_NAME: 'a name that no index would take, as it is too long' });
    for (const url of [house.url, house.url.replace('127.0.0.1', 'localhost')]) {
      expect(await examine(url)).toMatchObject({ routes: 19, findings: [] });
    }
    expect(house.upstream.arrivals).toEqual([]);
    await house.stop();
  });

  it('with a gateway that only sells, at prices of its own and without memos', async () => {
    const market = await startMarket({ PRICE_SURCHARGE_USD_MICROS: '1234', PAYMENT_MEMO: 'off' });
    expect(await examine(market.url)).toMatchObject({ routes: 41, findings: [] });
    expect(market.shop.provider.arrivals).toEqual([]);
    await market.stop();
  });
});
