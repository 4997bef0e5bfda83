import { dollars, priceMicros, RATES, routes } from '@asset-gateway/protocol';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { isFull } from '../kit/rounds.ts';
import { callRow, methodNameOf, openCustomer } from './kit.ts';

const gateway = await startEverything();
const { client } = await openCustomer(gateway);

/** Every method once, as its last row has it; all rows with ROUNDS=full. */
const ofMethods = new Map(routes.map((row) => [`${row.surface}.${methodNameOf(row)}`, row]));
const rows = isFull ? routes : [...ofMethods.values()];

describe('a typed method answers', () => {
  it.each(rows.map((row) => [row.id, row] as const))('%s', async (_, row) => {
    const { result, text, price, transaction, response } = await callRow(client, row).full();
    expect(response.status).toBe(200);
    if (row.surface === 'system') return expect(result).toBeDefined();
    const { result: published } = JSON.parse(text) as { result: unknown };
    expect(Value.Check(row.result.schema, published)).toBe(true);
    const isPaid = row.access === 'exact';
    const micros = priceMicros(row, { rates: RATES, surchargeMicros: 0 });
    expect(price).toBe(isPaid ? dollars(micros) : undefined);
    expect(transaction === undefined).toBe(!isPaid);
  });
});

describe('a 64-bit number', () => {
  it('is a bigint in the answer of a paid route', async () => {
    const account = 'So11111111111111111111111111111111111111112';
    const { context, value } = await client.rpc.getBalance(account);
    expect([typeof context.slot, typeof value]).toEqual(['bigint', 'bigint']);
    // The slot of an answer can be passed back.
    const again = await client.rpc.getBalance(account, { minContextSlot: context.slot });
    expect(typeof again.value).toBe('bigint');
  });
});

describe('a method that the chosen provider does not serve', () => {
  it('is refused before a request, with the providers that serve it', async () => {
    const before = gateway.logLines.length;
    const call = client.with({ cluster: 'devnet', provider: 'alchemy' }).das.getAsset({ id: 'x'.repeat(32) });
    await expect(call).rejects.toMatchObject({
      code: 'not_served',
      message: 'das.getAsset is not served by alchemy on devnet, but by mainnet/alchemy, mainnet/helius, devnet/helius',
    });
    expect(gateway.logLines).toHaveLength(before);
  });
});
