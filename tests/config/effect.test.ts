import { HEADERS } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { buyCredit, buying, startCreditGateway } from '../credit/gateway.ts';
import { askPostgres, openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { type SellingGateway, startChains, startSellingGateway } from '../kit/test-gateway.ts';
import { bodyOf, callOf, requiredFor } from '../payments/calls.ts';
import { ask, newBuyer, newPath } from '../payments/fault-buyer.ts';
import { openWallet } from '../payments/wallets.ts';
import { faultsOf, WITH_FACILITATOR } from './faults.ts';

const call = callOf('rpc.mainnet.helius.getBalance');

const solana = await startChains();

const amountsIn = async (gateway: SellingGateway, of = call): Promise<string[]> =>
  (await requiredFor(gateway, of)).accepts.map(({ amount }) => amount);

describe('the variables of credit', () => {
  it("CREDIT_BUNDLE_USD and CREDIT_BUNDLES_USD are offered in ascending order, and CREDIT_MAX_USD bounds a wallet's credit", async () => {
    const amounts = { CREDIT_BUNDLE_USD: '0.2', CREDIT_BUNDLES_USD: '0.9, 0.1', CREDIT_MAX_USD: '0.9' };
    const gateway = await startCreditGateway({ solana }, amounts);
    expect(await amountsIn(gateway)).toEqual(['5', '200000']);
    expect(await amountsIn(gateway, buying('mainnet'))).toEqual(['100000', '900000']);
    const wallet = await openWallet(solana);
    expect((await buyCredit(gateway, wallet, 900_000)).status).toBe(200);
    const refused = await buyCredit(gateway, wallet, 100_000);
    expect(refused.headers.get(HEADERS.paymentResponse)).toBeNull();
    expect([refused.status, (await bodyOf(refused)).error]).toEqual([409, 'credit_limit']);
  });

  it.each([
    [{ CREDIT: 'yes' }, 'CREDIT must be one of on, off.'],
    [{ CREDIT_BUNDLE_USD: '0' }, 'CREDIT_BUNDLE_USD must be dollars above 0'],
    [{ CREDIT_BUNDLES_USD: '1,1' }, 'CREDIT_BUNDLES_USD must be up to 5 different amounts'],
    [{ CREDIT_BUNDLES_USD: '1,2,3,4,5,0.5' }, 'CREDIT_BUNDLES_USD must be up to 5 different amounts'],
    [{ CREDIT_MAX_USD: '0.5' }, 'CREDIT_MAX_USD must be at least the largest of the bundles.'],
    [{ TOKENS_API_KEY: 'key', HELIUS_API_KEY: '' }, 'CREDIT=on has nothing to sell'],
  ])('%o is refused with a sentence', (variables, sentence) => {
    expect(faultsOf({ ...WITH_FACILITATOR, CREDIT: 'on', ...variables })).toEqual([expect.stringContaining(sentence)]);
  });
});

// The variables that remove routes are shown in discovery/removal.
it('HELIUS_WALLET_API_BASE_URL names the called upstream', async () => {
  const gateway = await startSellingGateway({ HELIUS_WALLET_API_BASE_URL: 'http://127.0.0.1:9' }, { solana });
  const target = gateway.url + newPath();
  const reply = await ask(target, await (await newBuyer(solana.mainnet)).pay(target));
  await gateway.stop();
  expect([reply.status, reply.code]).toEqual([502, 'upstream_unreachable']);
  expect(reply.text).toContain('"state":"unused"');
  expect(solana.provider.arrivals).toEqual([]);
});

postgresSuite('credit in a PostgreSQL that may lose commits', () => {
  it('is refused at the start with a sentence, and sold once commits are durable', async () => {
    const { url, drop } = await openPostgresDatabase();
    const name = new URL(url).pathname.slice(1);
    const variables = { DATABASE_URL: url };
    await askPostgres(url, `alter database ${name} set synchronous_commit = off`);
    await expect(startCreditGateway({ solana }, variables)).rejects.toThrow('CREDIT=on requires synchronous_commit=on');
    await askPostgres(url, `alter database ${name} reset synchronous_commit`);
    const gateway = await startCreditGateway({ solana }, variables);
    expect((await buyCredit(gateway, await openWallet(solana))).status).toBe(200);
    await gateway.stop();
    await drop();
  });
});
