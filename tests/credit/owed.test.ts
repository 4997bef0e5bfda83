import { rmSync } from 'node:fs';
import { NETWORKS } from '@asset-gateway/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { makeFolder } from '../kit/folder.ts';
import { grant, ledgerSuite, newDebit } from '../kit/ledger.ts';
import { CANARY_PROVIDER_KEY, type SellingGateway } from '../kit/selling-gateway.ts';
import { scrape } from '../operations/scrape.ts';
import { callOf } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { buyCredit, spend, startCreditGateway } from './gateway.ts';

const METRIC = 'asset_gateway_credit_owed_usd_micros';
const { mainnet, devnet } = NETWORKS;

ledgerSuite('the credit outstanding', (ledger) => {
  it('is what was granted less what was spent on each network, also after a restart', async () => {
    const owed = async (accounts = ledger.accounts) => {
      const found = await accounts.owed();
      return [found.get(mainnet) ?? 0, found.get(devnet) ?? 0];
    };
    expect(await owed()).toEqual([0, 0]);
    await grant(ledger, 100);
    await grant(ledger, 7, { network: devnet, payer: 'another wallet' });
    const [spent, released, beyond] = [newDebit(30), newDebit(20), newDebit(90)];
    for (const debit of [spent, released]) await ledger.accounts.hold(debit);
    expect(await owed()).toEqual([100, 7]);
    await ledger.accounts.capture(spent, '""');
    await ledger.accounts.capture(spent, '""');
    await ledger.accounts.release(released, true);
    expect(await ledger.accounts.capture(beyond, '""')).toBe('insufficient');
    expect(await owed()).toEqual([70, 7]);
    await ledger.reopen();
    expect(await owed()).toEqual([70, 7]);
    const other = await ledger.openOther?.();
    if (other) expect(await owed(other.accounts)).toEqual([70, 7]);
  });
});

describe('a gateway that is asked for its metrics', () => {
  const dataDir = makeFolder();
  let solana: SolanaSandbox;
  let wallet: Wallet;
  let gateway: SellingGateway;
  const start = () => startCreditGateway({ solana, dataDir }, { METRICS_PORT: '0' });
  beforeAll(async () => {
    solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
    wallet = await openWallet(solana);
    gateway = await start();
  });
  afterAll(async () => {
    await gateway.stop();
    await solana.close();
    rmSync(dataDir, { recursive: true, force: true });
  });
  const told = async (cluster: string) => (await scrape(gateway.gateway)).sum(METRIC, { cluster });

  it('says what it owes on each cluster, and the same when it has started anew', async () => {
    expect([await told('mainnet'), await told('devnet')]).toEqual([0, 0]);
    expect((await buyCredit(gateway, wallet)).status).toBe(200);
    const call = callOf('rpc.mainnet.helius.getBalance');
    expect((await spend(gateway, call, wallet.signIn)).headers.get('credit')).toBe('charged=5, balance=49995');
    expect([await told('mainnet'), await told('devnet')]).toEqual([49_995, 0]);
    await gateway.stop();
    gateway = await start();
    expect([await told('mainnet'), await told('devnet')]).toEqual([49_995, 0]);
  });
});
