import { generateKeyPairSync } from 'node:crypto';
import type { NETWORKS } from '@asset-gateway/protocol';
import bs58 from 'bs58';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Metrics } from '../../packages/gateway/src/metrics/metrics.ts';
import type { FeePayerReading, Readings } from '../../packages/gateway/src/metrics/readings.ts';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import {
  CANARY_PROVIDER_KEY,
  type SellingGateway,
  type SellingGatewayOptions,
  startSellingGateway,
} from '../kit/selling-gateway.ts';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { ask, askUntilDecided, newBuyer, newPath, ROOMY, until } from '../payments/fault-buyer.ts';
import { Scrape, scrape } from './scrape.ts';

const STATES = ['settled', 'refused', 'unknown', 'unsent'] as const;

const open = stoppedAfterTests((options: SellingGatewayOptions = {}) =>
  startSellingGateway({ ...ROOMY, METRICS_PORT: '0' }, options),
);

/** The settlements of each state, and the payments whose outcome is open. */
async function settlements({ gateway }: SellingGateway) {
  const scraped = await scrape(gateway);
  const counted = STATES.map((state) => scraped.sum('asset_gateway_settlements_total', { state }));
  return { counted, open: scraped.sum('asset_gateway_settlements_open') };
}

describe.concurrent('settlements are counted by their outcome', () => {
  it('none of any before the first', async () => {
    expect(await settlements(await open())).toEqual({ counted: [0, 0, 0, 0], open: 0 });
  });

  it('settled; a repeat of the same payment settles nothing', async () => {
    const seller = await open();
    const url = seller.url + newPath();
    const payment = await (await newBuyer(seller.solana.mainnet)).pay(url);
    for (let round = 0; round < 3; round++) expect((await ask(url, payment)).status).toBe(200);
    expect(await settlements(seller)).toEqual({ counted: [1, 0, 0, 0], open: 0 });
    expect(seller.solana.mainnet.transfers).toHaveLength(1);
  });

  it('unknown, and open until the chain shows it: then settled', async () => {
    const seller = await open();
    const { mainnet } = seller.solana;
    const url = seller.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    Object.assign(mainnet.faults, { dropAfterBroadcast: true, lie: { statusMissing: true } });
    expect((await ask(url, payment)).code).toBe('settlement_pending');
    expect(await settlements(seller)).toEqual({ counted: [0, 0, 1, 0], open: 1 });
    mainnet.faults.reset();
    expect((await askUntilDecided(url, payment)).status).toBe(200);
    expect(await settlements(seller)).toEqual({ counted: [1, 0, 1, 0], open: 0 });
  });

  it('refused: two payments, and money for one', async () => {
    const seller = await open();
    const buyer = await newBuyer(seller.solana.mainnet, 500n);
    const urls = [seller.url + newPath(), seller.url + newPath()];
    const payments = await Promise.all(urls.map((url) => buyer.pay(url)));
    seller.solana.provider.faults.delayMs = 500;
    const replies = await Promise.all(urls.map((url, index) => ask(url, payments[index])));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 402]);
    expect(await settlements(seller)).toEqual({ counted: [1, 1, 0, 0], open: 0 });
  });

  it('unsent: the RPC fails between the upstream and the chain', async () => {
    const seller = await open({
      onStep: (step) => {
        if (step === 'store') seller.solana.mainnet.faults.status = 500;
      },
    });
    const url = seller.url + newPath();
    const payment = await (await newBuyer(seller.solana.mainnet)).pay(url);
    const reply = await ask(url, payment);
    expect([reply.status, reply.code]).toEqual([503, 'facilitator_unavailable']);
    expect(await settlements(seller)).toEqual({ counted: [0, 0, 0, 1], open: 0 });
    expect(seller.solana.mainnet.transfers).toEqual([]);
  });
});

function newKeypair(): Uint8Array {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  return Buffer.concat([Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]);
}

describe('the fee payer', () => {
  afterEach(() => vi.useRealTimers());

  it('has a balance on each cluster as the chains say it, also when little is left', async () => {
    const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
    const keypair = newKeypair();
    solana.mainnet.airdrop(bs58.encode(keypair.subarray(32)), 1_500_000n);
    solana.devnet.airdrop(bs58.encode(keypair.subarray(32)), 7_000_000_000n);
    const seller = await startSellingGateway(
      { METRICS_PORT: '0', FEE_PAYER_KEYPAIR: bs58.encode(keypair) },
      { solana: solana },
    );
    const balance = async (cluster: keyof typeof NETWORKS) =>
      (await scrape(seller.gateway)).sum('asset_gateway_fee_payer_lamports', { cluster });
    await until(async () => (await balance('devnet')) !== undefined);
    expect([await balance('mainnet'), await balance('devnet')]).toEqual([1_500_000, 7_000_000_000]);
    await seller.stop();
    await solana.close();
  });

  it('is asked for once a minute, and is not shown while the chain cannot be read', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const answers: FeePayerReading[] = [
      { cluster: 'mainnet', lamports: 5 },
      { cluster: 'mainnet', lamports: undefined },
      { cluster: 'mainnet', lamports: 3 },
    ];
    const readings: Readings = {
      isReady: () => true,
      channels: () => [],
      openPayments: async () => ({ count: 0, oldestMs: 0 }),
      feePayers: async () => answers.splice(0, 1),
      sales: () => [],
    };
    const metrics = new Metrics();
    const shown = async () => new Scrape(await metrics.text()).sum('asset_gateway_fee_payer_lamports');
    metrics.watch(readings);
    await vi.advanceTimersByTimeAsync(0);
    expect(await shown()).toBe(5);
    await vi.advanceTimersByTimeAsync(59_999);
    expect(await shown()).toBe(5);
    await vi.advanceTimersByTimeAsync(1);
    expect(await shown()).toBeUndefined();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await shown()).toBe(3);
    metrics.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});
