import { rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { newKeypair } from '@asset-gateway/client/node';
import { type Environment, readConfig } from '@asset-gateway/gateway';
import { NETWORKS } from '@asset-gateway/protocol';
import { type JWSSignedReceipt, verifyReceiptSignatureJWS } from '@x402/extensions/offer-receipt';
import bs58 from 'bs58';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openState } from '../../packages/gateway/src/compose/state.ts';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { makeFolder } from '../kit/folder.ts';
import { askPostgres, openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { CANARY_PROVIDER_KEY, type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { askSigned } from '../kit/wallet.ts';
import { ask, newBuyer, newPath, type Reply, receiptIn } from '../payments/fault-buyer.ts';
import { addressOf } from '../payments/forge-market.ts';
import { appendEntry, entryOf } from '../sales/entries.ts';

const SOL = 1_000_000_000n;

interface Requirement {
  readonly amount: string;
  readonly payTo: string;
  readonly extra: { readonly feePayer: string; readonly memo?: string };
}

let solana: SolanaSandbox;
beforeAll(async () => {
  solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
});
afterAll(() => solana.close());

/** Looks at a gateway that is started with these variables beside those of the sandbox. */
async function withSeller<T>(variables: Environment, look: (gateway: SellingGateway) => Promise<T>): Promise<T> {
  const gateway = await startSellingGateway(variables, { solana: solana });
  return look(gateway).finally(() => gateway.stop());
}

const pathsOf = (variables: Environment): Promise<string[]> =>
  withSeller(variables, async ({ url }) => {
    const { routes } = (await (await fetch(`${url}/v1/catalog`)).json()) as { routes: { path: string }[] };
    return routes.map(({ path }) => path);
  });

const requirementOf = (variables: Environment): Promise<Requirement | undefined> =>
  withSeller(
    variables,
    async ({ url }) => (JSON.parse((await ask(url + newPath())).text) as { accepts: Requirement[] }).accepts[0],
  );

const DAY_MS = 86_400_000;

const buy = (variables: Environment): Promise<Reply> =>
  withSeller(variables, async ({ url }) => {
    const target = url + newPath();
    return ask(target, await (await newBuyer(solana.mainnet)).pay(target));
  });

/** The ages, in days, of the journal entries that are kept of one of today and one of 40 days ago. */
async function agesKept(variables: Environment): Promise<number[]> {
  const dataDir = makeFolder();
  const { money, close } = await openState(readConfig({ ...solana.variables, DATA_DIR: dataDir, ...variables }));
  if (!money) throw new Error('nothing is sold');
  const nowMs = money.database.now();
  for (const days of [40, 0]) await appendEntry(money.database, entryOf(), nowMs - days * DAY_MS);
  await money.retention.prune();
  const ages: number[] = [];
  for await (const entries of money.books.entries(0))
    ages.push(...entries.map(({ atMs }) => Math.floor((nowMs - atMs) / DAY_MS)));
  await close();
  rmSync(dataDir, { recursive: true, force: true });
  return ages;
}

describe('a variable of the paid routes takes effect', () => {
  it('SALES_KEEP_DAYS: how long journal entries are kept', async () => {
    expect(await agesKept({})).toEqual([40, 0]);
    expect(await agesKept({ SALES_KEEP_DAYS: '30' })).toEqual([0]);
  });

  let all: string[];
  beforeAll(async () => {
    all = await pathsOf({});
  });

  it.each([
    ['RPC_RATE_LIMIT_PER_SECOND', '0', '/rpc/'],
    ['DAS_RATE_LIMIT_PER_SECOND', '0', '/das/'],
    ['WALLET_RATE_LIMIT_PER_SECOND', '0', '/wallet/'],
    ['ALCHEMY_MAINNET_RPC_URL', '', '/mainnet/alchemy/'],
    ['ALCHEMY_DEVNET_RPC_URL', '', '/devnet/alchemy/'],
    ['HELIUS_MAINNET_RPC_URL', '', '/mainnet/helius/'],
    ['HELIUS_DEVNET_RPC_URL', '', '/devnet/helius/'],
    ['HELIUS_API_KEY', '', '/helius/wallet/'],
    ['SOLANA_MAINNET_RPC_URL', '', '/mainnet/'],
    ['SOLANA_DEVNET_RPC_URL', '', '/devnet/'],
  ])('%s=%j: what is sold', async (name, value, part) => {
    const left = await pathsOf({ [name]: value });
    expect(all.some((path) => path.includes(part))).toBe(true);
    expect(left.some((path) => path.includes(part))).toBe(false);
    expect(left.length).toBeGreaterThan(0);
  });

  it('HELIUS_WALLET_API_BASE_URL: who is asked', async () => {
    const before = solana.provider.arrivals.length;
    expect((await buy({})).status).toBe(200);
    expect(solana.provider.arrivals.length).toBe(before + 1);
    const elsewhere = await buy({ HELIUS_WALLET_API_BASE_URL: 'http://127.0.0.1:9' });
    expect([elsewhere.status, elsewhere.code]).toEqual([502, 'upstream_unreachable']);
    expect(elsewhere.text).toContain('"state":"unused"');
    expect(solana.provider.arrivals.length).toBe(before + 1);
  });

  it('PAY_TO_WALLET and FEE_PAYER_KEYPAIR: who is paid, and who pays the fees', async () => {
    const [payee, feePayer] = [newKeypair(), newKeypair()];
    for (const chain of [solana.mainnet, solana.devnet]) {
      await chain.createAta(addressOf(payee));
      chain.airdrop(addressOf(feePayer), SOL);
    }
    const requirement = await requirementOf({
      PAY_TO_WALLET: addressOf(payee),
      FEE_PAYER_KEYPAIR: bs58.encode(feePayer),
    });
    expect([requirement?.payTo, requirement?.extra.feePayer]).toEqual([addressOf(payee), addressOf(feePayer)]);
  });

  it('FACILITATOR_URL and FACILITATOR_AUTHORIZATION: who settles, and what is shown to them', async () => {
    const shown: (string | undefined)[] = [];
    const feePayer = addressOf(newKeypair());
    const kinds = Object.values(NETWORKS).map((network) => ({
      x402Version: 2,
      scheme: 'exact',
      network,
      extra: { feePayer },
    }));
    const facilitator = createServer((request, response) => {
      shown.push(request.headers.authorization);
      response.end(JSON.stringify({ kinds }));
    });
    await new Promise<void>((listening) => facilitator.listen(0, '127.0.0.1', listening));
    const FACILITATOR_URL = `http://127.0.0.1:${(facilitator.address() as AddressInfo).port}`;
    const requirement = await requirementOf({
      FEE_PAYER_KEYPAIR: '',
      FACILITATOR_URL,
      FACILITATOR_AUTHORIZATION: 'Bearer shown',
    });
    facilitator.close();
    expect(requirement?.extra.feePayer).toBe(feePayer);
    expect(new Set(shown)).toEqual(new Set(['Bearer shown']));
  });

  it('PAYMENT_MEMO and PRICE_SURCHARGE_USD_MICROS: what a challenge asks for', async () => {
    const [usual, other] = [
      await requirementOf({}),
      await requirementOf({ PAYMENT_MEMO: 'off', PRICE_SURCHARGE_USD_MICROS: '600' }),
    ];
    expect(usual?.extra.memo).toMatch(/^[\w-]{32}$/);
    expect(other?.extra.memo).toBeUndefined();
    expect(Number(other?.amount) - Number(usual?.amount)).toBe(600);
  });

  it('RECEIPTS and RECEIPT_KEYPAIR: whether an answer has a receipt, and what that is signed with', async () => {
    const keypair = newKeypair();
    const receipt = await buy({ RECEIPTS: 'on', RECEIPT_KEYPAIR: bs58.encode(keypair) });
    const settled = receiptIn(receipt) as { extensions: { 'offer-receipt': { info: { receipt: JWSSignedReceipt } } } };
    const key = { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(keypair.subarray(32)).toString('base64url') };
    const signed = settled.extensions['offer-receipt'].info.receipt;
    expect(await verifyReceiptSignatureJWS(signed, key)).toMatchObject({ network: NETWORKS.mainnet });
    expect(receiptIn(await buy({}))).not.toHaveProperty('extensions');
  });

  it('PRICES_FILE: what a challenge asks for, and what an answer says it cost', async () => {
    const PRICES_FILE = join(makeFolder(), 'prices.json');
    writeFileSync(PRICES_FILE, '{"wallet.*": 1234}');
    expect((await requirementOf({ PRICES_FILE }))?.amount).toBe('1234');
    expect(JSON.parse((await buy({ PRICES_FILE })).text).priceUsd).toBe('0.001234');
    expect(solana.mainnet.transfers.at(-1)?.amount).toBe(1234n);
  });

  it('SOL_PRICE_USD: in what the start says of prices and fees', async () => {
    const logOf = (variables: Environment) => withSeller(variables, async ({ logLines }) => logLines.join(''));
    expect(await logOf({})).toContain('a loss above $50.00 a SOL');
    expect(await logOf({ SOL_PRICE_USD: '100' })).toContain('settling costs $0.001001 or more at $100 a SOL');
  });

  it('FEE_BUDGET_LAMPORTS_PER_HOUR: how much the fee payer may lose', async () => {
    const before = solana.mainnet.transfers.length;
    const refused = await buy({ FEE_BUDGET_LAMPORTS_PER_HOUR: '10000' });
    expect([refused.status, refused.code]).toEqual([503, 'facilitator_unavailable']);
    expect(solana.mainnet.transfers).toHaveLength(before);
  });

  it('PAID_UPSTREAM_TIMEOUT_MS: how long a paid upstream may take', async () => {
    const before = solana.mainnet.transfers.length;
    solana.provider.faults.hang = true;
    const late = await buy({ PAID_UPSTREAM_TIMEOUT_MS: '200' }).finally(() => solana.provider.faults.reset());
    expect([late.status, late.code]).toEqual([504, 'upstream_timeout']);
    expect(solana.mainnet.transfers).toHaveLength(before);
  });
});

describe('a variable of shared state takes effect', () => {
  it('REDIS_URL: where state is, so that nothing signed is served without it', async () => {
    const gateway = await startTestGateway({ REDIS_URL: 'redis://127.0.0.1:9' });
    const [probe, signed] = [await fetch(`${gateway.url}/readyz`), await fetch(`${gateway.url}/v1/x402/tokens/health`)];
    const errors = await Promise.all(
      [probe, signed].map(async (answer) => ((await answer.json()) as { error: string }).error),
    );
    expect(errors).toEqual(['state_unavailable', 'state_unavailable']);
    expect(gateway.upstream.arrivals).toEqual([]);
    await gateway.stop();
    const alone = await startTestGateway();
    expect((await askSigned(`${alone.url}/v1/x402/tokens/health`)).status).toBe(200);
    await alone.stop();
  });
});

postgresSuite('a variable of shared money takes effect', () => {
  it('DATABASE_URL: money is in that database, and none is in DATA_DIR', async () => {
    const { url, drop } = await openPostgresDatabase();
    const dataDir = makeFolder();
    const before = solana.mainnet.transfers.length;
    expect((await buy({ DATABASE_URL: url, DATA_DIR: dataDir })).status).toBe(200);
    const transfers = solana.mainnet.transfers.slice(before);
    expect(transfers).toHaveLength(1);
    await expectBooksInOrder({ url }, transfers);
    await expectBooksInOrder({ folder: dataDir }, []);
    expect(await askPostgres(url, 'select kind, wallet from journal')).toEqual([
      { kind: 'settlement', wallet: transfers[0]?.from },
    ]);
    rmSync(dataDir, { recursive: true, force: true });
    await drop();
  });
});
