import { createClient, createFreeClient } from '@asset-gateway/client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveWeatherAndNotes } from '../apis/apis.ts';
import { leavesNoTrace } from '../payments/calls.ts';
import { logged, openCustomer } from './kit.ts';

const { gateway, stub } = await serveWeatherAndNotes(
  { cluster: 'devnet', operations: { 'list-notes': { access: 'exact', price: '0.000007' }, 'update-note': {} } },
  { CREDIT: 'on' },
);
const { url: baseUrl } = gateway;

const lastArrival = () => stub.arrivals.at(-1);

/** Fails if the work sends anything besides a request for the catalog. */
async function sendsNothing(work: () => Promise<unknown>): Promise<void> {
  const sent = await logged(gateway, work);
  expect(sent.filter(({ path }) => path !== '/v1/catalog')).toEqual([]);
}

describe('a call by its name in the catalog', () => {
  it('is free for a signature, also without a payer, with the parts of the answer', async () => {
    const values = { city: 'New York', days: 3, fields: ['date', 'celsius'] };
    for (const client of [createClient({ baseUrl }), createFreeClient({ baseUrl })]) {
      const { result, response, price, transaction } = await client.call('weather.getForecast', values).full();
      expect(result).toEqual({ city: 'Rome', days: [{ date: '2026-11-24', celsius: 14.5 }] });
      expect([response.status, price, transaction]).toEqual([200, undefined, undefined]);
      expect(lastArrival()?.target).toBe('/forecast/New%20York?days=3&fields=date&fields=celsius');
    }
  });

  it('returns every digit of an integer, with any schema', async () => {
    stub.text =
      '{"city":"Rome","days":[9007199254740991,9007199254740992,18446744073709551615,-9223372036854775808,1e20]}';
    onTestFinished(() => {
      stub.text = undefined;
    });
    for (const client of [createClient({ baseUrl }), createFreeClient({ baseUrl })]) {
      const result = await client.call('weather.getForecast', { city: 'Rome' });
      const days = [9007199254740991, 9007199254740992n, 18446744073709551615n, -9223372036854775808n, 1e20];
      expect(result).toEqual({ city: 'Rome', days });
    }
  });

  it('is paid at most once, at the price in the catalog', async () => {
    const { client, transfers } = await openCustomer(gateway);
    const call = client.call('weather.getHistory', { city: 'Rome', from: 1_700_000_000 });
    const { result, price, transaction } = await call.full();
    expect([result, price]).toEqual([{ city: 'Rome', days: [] }, '0.002']);
    expect(transfers()).toMatchObject([{ amount: 2000n, signature: transaction }]);
    expect(lastArrival()).toMatchObject({ target: '/history', body: '{"city":"Rome","from":1700000000}' });
  });

  it('is paid from credit if the wallet has any', async () => {
    const { client, transfers } = await openCustomer(gateway);
    await client.call('credit.buyCredit', { usd: 0.05 });
    const { credit } = await client.call('weather.getHistory', { city: 'Rome', from: 1 }).full();
    expect(credit?.chargedMicros).toBe(2000);
    expect(transfers()).toHaveLength(1);
  });

  it('respects the limits of the payer and of the call', async () => {
    const { client, transfers } = await openCustomer(gateway, { caps: { perCallUsd: 0.001 } });
    const values = { city: 'Rome', from: 1 };
    for (const limited of [client, client.with({ maxUsd: 0.0001 })])
      await expect(limited.call('weather.getHistory', values)).rejects.toMatchObject({ code: 'spending_limit' });
    expect(transfers()).toEqual([]);
  });

  it('is refused under the name of a wrong argument, and not paid', async () => {
    const { client } = await openCustomer(gateway);
    await leavesNoTrace(gateway, async () => {
      const calls = [() => client.call('rpc.getBalance', { account: 'x' }), () => client.rpc.getBalance('x')];
      for (const call of calls) {
        await expect(call()).rejects.toMatchObject({
          code: 'invalid_request',
          message: expect.stringContaining('The argument account must match '),
          issues: [{ in: 'body', name: 'params[0]', rule: 'pattern' }],
        });
      }
    });
  });

  it('is paid on its cluster, which the client must have chosen', async () => {
    const { client, transfers } = await openCustomer(gateway);
    await sendsNothing(async () => {
      const message = 'notes.listNotes is not served on mainnet, but by devnet/notes';
      await expect(client.call('notes.listNotes')).rejects.toMatchObject({ code: 'not_served', message });
    });
    const values = { minScore: 0.5, pinned: true, tags: ['a', 'b'], sizes: [1, 2] };
    // The provider of our own routes does not matter to an API.
    const there = client.with({ cluster: 'devnet', provider: 'helius' });
    expect(await there.call('notes.listNotes', values)).toEqual([{ id: 'n1', text: null, tags: ['a'] }]);
    expect(lastArrival()?.target).toBe('/notes?minScore=0.5&pinned=true&tags=a,b&sizes=1&sizes=2');
    expect(transfers()).toMatchObject([{ amount: 7n }]);
  });

  it('takes path, query and body in one object, and a name that occurs twice with its place', async () => {
    const client = createClient({ baseUrl });
    const values = {
      id: 'n1',
      notify: false,
      version: 2,
      'body.id': 7,
      'body.version': 'b',
      author: { name: 'Ada', admin: true },
      scores: [0.5, 1],
    };
    expect(await client.call('notes.updateNote', values)).toMatchObject({ id: 'n1', text: 'changed' });
    const body = { id: 7, version: 'b', author: values.author, scores: [0.5, 1] };
    expect(lastArrival()?.target).toBe('/notes/n1?notify=false&version=2');
    expect(JSON.parse(lastArrival()?.body ?? '')).toEqual(body);
  });

  it("reports the schemas' violations as the gateway does, before a payment", async () => {
    const { client, transfers } = await openCustomer(gateway);
    const free = client.call('weather.getForecast', { city: 'Rome', days: 99 });
    await expect(free).rejects.toMatchObject({ code: 'invalid_request', status: 400 });
    const paid = client.call('weather.getHistory', { city: 'Rome', from: -1 });
    await expect(paid).rejects.toMatchObject({ code: 'invalid_request', issues: [{ name: 'from', rule: 'minimum' }] });
    expect(transfers()).toEqual([]);
  });
});

it('the same names reach our own routes, with values by name where a method takes them by position', async () => {
  const { client } = await openCustomer(gateway);
  const account = 'So11111111111111111111111111111111111111112';
  expect(await client.call('tokens.search', { q: 'gold', limit: 1 })).toMatchObject({ query: 'gold' });
  const { value } = (await client.call('rpc.getBalance', { account })) as { value: unknown };
  expect(typeof value).toBe('bigint');
  const there = client.with({ cluster: 'devnet', provider: 'alchemy' });
  const { text } = await there.call('rpc.getBalance', { account, options: { commitment: 'finalized' } }).full();
  expect(JSON.parse(text)).toMatchObject({ provider: 'alchemy', cluster: 'devnet' });
  const { result } = await client.call('das.getAsset', { id: account }).full();
  expect(result).toMatchObject({ id: account });
});

describe('a wrong call sends nothing', () => {
  const client = createClient({ baseUrl });
  const refuses = (call: () => PromiseLike<unknown>, code: string, message: RegExp) =>
    sendsNothing(() =>
      expect(call()).rejects.toMatchObject({ code, message: expect.stringMatching(message) as unknown }),
    );

  it.each([
    ['weather.getForcast', /^the gateway's catalog has no weather\.getForcast; the nearest is weather\.getForecast$/],
    ['weathr.getForecast', /^the gateway has no API weathr\. provider: Must be one of .*weather/],
    ['__proto__.toString', /^the gateway has no API __proto__\. provider: Must be one of /],
  ])('%s', (name, message) => refuses(() => client.call(name), 'not_served', message));

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['weather.getForecast', {}, /^weather\.getForecast: city: This parameter is required\. Nothing was sent\.$/],
    ['weather.getForecast', { city: 'Rome', dayz: 2 }, /: dayz: There is no such parameter\. The nearest is days\./],
    ['weather.getForecast', { town: 'Rome' }, /town: There is no such .* is city\. city: This parameter is required\./],
    ['weather.getForecast', { city: '..' }, /^city cannot be \.\.\. Nothing was sent\.$/],
    ['weather.getForecast', JSON.parse('{"city":"Rome","__proto__":1}'), /__proto__: There is no such/],
    ['notes.updateNote', { id: 'n1', version: 1, author: {} }, /: body\.id: This parameter is required\./],
  ])('%s %j', (name, values, message) => refuses(() => client.call(name, values), 'invalid_request', message));

  it('if the catalog leads to another origin', () => {
    const place = { httpMethod: 'GET', path: '//elsewhere.example/x', surface: 'a', method: 'b' };
    const routes = [{ ...place, priceUsd: '0', accessMode: 'siwx' }];
    const led = createClient({ baseUrl, catalog: async () => ({ routes }) });
    return refuses(() => led.call('a.b'), 'invalid_request', /another origin/);
  });
});
