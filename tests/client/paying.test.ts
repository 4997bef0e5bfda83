import { createClient, type KeyPair } from '@asset-gateway/client';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { type LedgerEntry, memoryLedger, type PayingWallet } from '@asset-gateway/client/pay';
import { DEFAULT_PRICING, dollars, listMicros } from '@asset-gateway/protocol';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { Value } from 'typebox/value';
import { describe, expect, it, vi } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { ofEachMethod } from '../http/targets.ts';
import { callRow, logged, openCustomer } from './kit.ts';
import { standardWallet } from './standard-wallet.ts';

const ACCOUNT = 'So11111111111111111111111111111111111111112';
const [PRICE, BUNDLE] = [5, 15];

const BUNDLES = { CREDIT_BUNDLE_USD: '0.000015', CREDIT_BUNDLES_USD: '0.000015,0.00002' };
const gateway = await startEverything({ CREDIT: 'on', ...BUNDLES });

describe('a payment is made', () => {
  const keypair = newKeypair();

  it.each<[string, () => Promise<PayingWallet>]>([
    ['the bytes of a key pair', async () => keypair],
    ['a signer of @solana/kit', () => createKeyPairSignerFromBytes(keypair)],
    [
      'a non-extractable WebCrypto key',
      async () => {
        const { keyPair } = await createKeyPairSignerFromBytes(keypair);
        expect(keyPair.privateKey.extractable).toBe(false);
        return keyPair as KeyPair;
      },
    ],
    ['a wallet of the Wallet Standard', () => standardWallet(keypair)],
  ])('by %s, and its transaction is returned', async (_, open) => {
    const { client, transfers } = await openCustomer(gateway, { wallet: await open() }, keypair);
    const before = transfers().length;
    const { price, transaction } = await client.rpc.getBalance(ACCOUNT).full();
    expect([price, transfers().length - before]).toEqual(['0.000005', 1]);
    expect(transfers().at(-1)?.signature).toBe(transaction);
  });
});

describe('a cap', () => {
  it('applies to parallel calls together', async () => {
    const { client, transfers } = await openCustomer(gateway, { caps: { perDayUsd: 0.000015 } });
    const asking = client.with({ credit: false });
    const calls = Array.from({ length: 6 }, () => asking.rpc.getBalance(ACCOUNT));
    const outcomes = await Promise.allSettled(calls);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(transfers().length).toBe(3);
  });

  it('of a bundle applies to every way of buying credit', async () => {
    const { client, transfers } = await openCustomer(gateway, { caps: { perBundleUsd: 0.00001 } });
    const refused = { code: 'spending_limit' };
    await expect(client.with({ credit: true }).rpc.getBalance(ACCOUNT)).rejects.toMatchObject(refused);
    await expect(client.credit.buy({ usd: 0.00002 })).rejects.toMatchObject(refused);
    await expect(client.credit.buy()).rejects.toMatchObject(refused);
    expect(transfers().length).toBe(0);
  });

  it('does not count a payment that was not approved', async () => {
    let isApproved = false;
    const approve = () => {
      if (!isApproved) throw new Error('not today');
    };
    const { client, transfers } = await openCustomer(gateway, { caps: { inAllUsd: 0.000005 }, approve });
    await expect(client.rpc.getBalance(ACCOUNT)).rejects.toThrow('not today');
    isApproved = true;
    await client.rpc.getBalance(ACCOUNT);
    expect(transfers().length).toBe(1);
  });
});

describe('credit', () => {
  it('pays if there is any, with one request a call', async () => {
    const { client, transfers } = await openCustomer(gateway);
    const bought = await client.credit.buy({ usd: 0.00002 });
    expect(bought).toMatchObject({ boughtMicros: 20, balanceMicros: 20 });
    const first = await client.rpc.getBalance(ACCOUNT).full();
    expect([first.credit, first.transaction]).toEqual([{ chargedMicros: PRICE, balanceMicros: 15 }, undefined]);
    expect(await logged(gateway, () => client.rpc.getBalance(ACCOUNT))).toHaveLength(1);
    const { balances } = await client.credit.balance();
    expect(balances[0]).toMatchObject({ cluster: 'mainnet', balanceMicros: 10 });
    expect(transfers().length).toBe(1);
  });

  it('pays for a client without a payer', async () => {
    const keypair = newKeypair();
    const { client } = await openCustomer(gateway, {}, keypair);
    await client.credit.buy();
    const poor = createClient({ baseUrl: gateway.url, signer: signerFromBytes(keypair) });
    for (let left = BUNDLE - PRICE; left >= 0; left -= PRICE) {
      expect((await poor.rpc.getBalance(ACCOUNT).full()).credit?.balanceMicros).toBe(left);
    }
    const message = expect.stringMatching(/buy credit .* This client cannot pay: pass `pay` to createClient/);
    const exhausted = { code: 'credit_exhausted', status: 402, message };
    await expect(poor.rpc.getBalance(ACCOUNT)).rejects.toMatchObject(exhausted);
  });

  it('is bought in a bundle with `credit: true`, then needs one request for a call, and another bundle when too little is left', async () => {
    const { client, transfers } = await openCustomer(gateway);
    const asking = client.with({ credit: true });
    const calls: [requests: number, balance: number | undefined][] = [];
    for (let call = 0; call < 4; call++) {
      let balance: number | undefined;
      const sent = await logged(gateway, async () => {
        balance = (await asking.rpc.getBalance(ACCOUNT).full()).credit?.balanceMicros;
      });
      calls.push([sent.length, balance]);
    }
    // The first purchase reads the catalog too.
    expect(calls).toEqual([
      [4, BUNDLE - PRICE],
      [2, BUNDLE - 2 * PRICE],
      [1, 0],
      [2, BUNDLE - PRICE],
    ]);
    await asking.tokens.health();
    await asking.rpc.getBalance(ACCOUNT);
    expect(transfers().length).toBe(2);
  });

  it('is bought in one bundle by parallel calls with `credit: true`, which count once against the caps', async () => {
    const ledger = memoryLedger();
    const signed = vi.spyOn(ledger, 'signed');
    const { client, transfers } = await openCustomer(gateway, { ledger });
    const asking = client.with({ credit: true });
    const answers = await Promise.all([1, 2, 3].map(() => asking.rpc.getBalance(ACCOUNT).full()));
    const balances = answers.map(({ credit }) => credit?.balanceMicros);
    expect(new Set(balances)).toEqual(new Set([0, PRICE, 2 * PRICE]));
    expect([signed.mock.calls.length, transfers().length]).toEqual([1, 1]);
    // The fourth and fifth call need another bundle, which the failure of a purchase leaves to the next call.
    signed.mockRejectedValueOnce(new Error('the disk is full'));
    const later = await Promise.allSettled([4, 5].map(() => asking.rpc.getBalance(ACCOUNT)));
    expect(later.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(transfers().length).toBe(2);
  });

  it('is not sold in other amounts than the gateway lists', async () => {
    const { client, transfers } = await openCustomer(gateway);
    await expect(client.credit.buy({ usd: 0.01 })).rejects.toMatchObject({
      code: 'nothing_payable',
      message: 'the gateway does not sell this amount of credit; it sells $0.000015, $0.00002',
    });
    expect(transfers().length).toBe(0);
  });

  it('pays for parallel calls with one request each, once there are nonces', async () => {
    // A call that has waited this long for the nonce of another one asks for a challenge, which is a request more.
    const { client } = await openCustomer(gateway, {}, newKeypair(), { nonceTimeoutMs: 60_000 });
    await client.credit.buy({ usd: 0.00002 });
    await client.rpc.getBalance(ACCOUNT);
    expect(await logged(gateway, () => Promise.all([1, 2, 3].map(() => client.rpc.getBalance(ACCOUNT))))).toHaveLength(
      3,
    );
  });
});

it('a recorded payment is charged once when it is resent', async () => {
  const ledger = memoryLedger();
  const signed = vi.spyOn(ledger, 'signed');
  const { client, transfers } = await openCustomer(gateway, { ledger });
  await client.rpc.getBalance(ACCOUNT);
  const response = await client.resume(signed.mock.calls[0]?.[1] as LedgerEntry);
  expect([response.status, response.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
  expect([signed.mock.calls.length, transfers().length]).toEqual([1, 1]);
});

const { client } = await openCustomer(gateway);

it.each(ofEachMethod.map((row) => [row.id, row] as const))('the typed method of %s answers', async (_, row) => {
  const { result, text, price, transaction, response } = await callRow(client, row).full();
  expect(response.status).toBe(200);
  if (row.surface === 'system') return expect(result).toBeDefined();
  const { result: published } = JSON.parse(text) as { result: unknown };
  expect(Value.Check(row.result.schema, published)).toBe(true);
  const isPaid = row.access === 'exact';
  const micros = listMicros(row, DEFAULT_PRICING);
  expect(price).toBe(isPaid ? dollars(micros) : undefined);
  expect(transaction === undefined).toBe(!isPaid);
});

it('a 64-bit number is a bigint in the answer of a paid route', async () => {
  const { context, value } = await client.rpc.getBalance(ACCOUNT);
  expect([typeof context.slot, typeof value]).toEqual(['bigint', 'bigint']);
  // The slot of an answer can be passed back.
  const again = await client.rpc.getBalance(ACCOUNT, { minContextSlot: context.slot });
  expect(typeof again.value).toBe('bigint');
});

it('a method that the chosen provider does not serve is refused before a request, with those that serve it', async () => {
  const before = gateway.logLines.length;
  const call = client.with({ cluster: 'devnet', provider: 'alchemy' }).das.getAsset({ id: 'x'.repeat(32) });
  await expect(call).rejects.toMatchObject({
    code: 'not_served',
    message: 'das.getAsset is not served by alchemy on devnet, but by mainnet/alchemy, mainnet/helius, devnet/helius',
  });
  expect(gateway.logLines).toHaveLength(before);
});
