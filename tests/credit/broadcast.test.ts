import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { HEADERS } from '@asset-gateway/protocol';
import type { PaymentPayload } from '@x402/core/types';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { readSqlite } from '../../packages/gateway/src/stores/sql/sqlite-connection.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { moneyOf, withBothDatabases } from '../kit/databases.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { type SellingGateway, startChains } from '../kit/test-gateway.ts';
import { callOf, sendPaid, transactionOf } from '../payments/calls.ts';
import { until } from '../payments/fault-buyer.ts';
import { openRemoteFixture } from '../payments/fault-facilitator.ts';
import type { Wallet } from '../payments/wallets.ts';
import { broadcast, runSales } from '../sales/kit.ts';
import { balanceOf, openCreditedWallet, paymentOf, startCreditGateway } from './gateway.ts';

const call = callOf('rpc.mainnet.helius.getBalance');
const [PRICE, BUNDLE] = [5, 50_000];
const watchPace = { everyMs: 150, againMs: 300 };
/** As long as several looks take. */
const LOOKS_MS = 900;

/** A payment that its wallet's credit has covered. */
async function cover(gateway: SellingGateway, wallet: Wallet, amount = PRICE): Promise<PaymentPayload> {
  const payment = await paymentOf(gateway, call, wallet, amount);
  const answer = await sendPaid(gateway, call, payment);
  expect([answer.status, answer.headers.get('credit')?.split(',', 1)[0]]).toEqual([200, `charged=${PRICE}`]);
  return payment;
}

const grantedTo = async (gateway: SellingGateway, wallet: Wallet) => (await balanceOf(gateway, wallet)).grantedMicros;

/** A broadcast payment is granted once. */
async function expectGranted(gateway: SellingGateway, wallet: Wallet, micros: number): Promise<void> {
  await sleep(LOOKS_MS);
  await until(async () => (await grantedTo(gateway, wallet)) > BUNDLE);
  await sleep(LOOKS_MS);
  expect(await balanceOf(gateway, wallet)).toMatchObject({ grantedMicros: BUNDLE + micros, spentMicros: PRICE });
}

withBothDatabases('a covered payment that is broadcast', (variables, database) => {
  const dataDir = makeFolder();
  const solana = inSuite(() => startChains());
  let gateway: SellingGateway;
  let wallet: Wallet;
  const start = () => startCreditGateway({ solana, dataDir, watchPace }, variables());
  const expectOrder = () => expectBooksInOrder(moneyOf(variables(), dataDir), solana.mainnet.transfers);
  beforeAll(async () => {
    gateway = await start();
  });
  afterAll(async () => {
    await gateway.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const openRichWallet = async () => {
    wallet = await openCreditedWallet(gateway);
  };

  it.each(database === 'sqlite' ? [PRICE, BUNDLE] : [PRICE])(
    'grants all %d of it, once, and still brings its answer',
    async (amount) => {
      await openRichWallet();
      const payment = await cover(gateway, wallet, amount);
      await broadcast(solana, transactionOf(payment));
      await expectGranted(gateway, wallet, amount);
      const arrivals = solana.provider.arrivals.length;
      const again = await sendPaid(gateway, call, payment);
      expect([again.status, again.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
      expect(solana.provider.arrivals).toHaveLength(arrivals);
      expect(await balanceOf(gateway, wallet)).toMatchObject({ grantedMicros: BUNDLE + amount, spentMicros: PRICE });
      await expectOrder();
    },
  );

  it('while no gateway runs is granted once one does, and the journal agrees with the chain', async () => {
    await openRichWallet();
    const payment = await cover(gateway, wallet);
    await gateway.stop();
    await broadcast(solana, transactionOf(payment));
    gateway = await start();
    await expectGranted(gateway, wallet, PRICE);
    await gateway.stop();
    gateway = await start();
    await expectGranted(gateway, wallet, PRICE);
    const own = { PORT: '0', DATA_DIR: dataDir, ...solana.variables, CREDIT: 'on', ...variables() };
    const { code, stdout } = await runSales(own, 'verify', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, []]);
  });

  it('while the chain cannot be read is granted when it can be', async () => {
    await openRichWallet();
    solana.mainnet.faults.refuse = { getSignaturesForAddress: { code: -32_005, message: 'too busy' } };
    const payment = await cover(gateway, wallet);
    await broadcast(solana, transactionOf(payment));
    await sleep(LOOKS_MS);
    expect(await grantedTo(gateway, wallet)).toBe(BUNDLE);
    solana.mainnet.faults.reset();
    await expectGranted(gateway, wallet, PRICE);
  });

  it.runIf(database === 'postgres')(
    'is granted once by two gateways, also after the one that covered it has stopped',
    async () => {
      const other = await startCreditGateway({ solana, watchPace }, variables());
      await openRichWallet();
      const payment = await cover(gateway, wallet);
      await gateway.stop();
      gateway = await start();
      await broadcast(solana, transactionOf(payment));
      await expectGranted(gateway, wallet, PRICE);
      await expectOrder();
      await other.stop();
    },
  );
});

describe('a covered payment that is not broadcast', () => {
  const dataDir = makeFolder();
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));
  const solana = inSuite(() => startChains({ blockMs: 10 }));
  const gateway = inSuite(() => startCreditGateway({ solana, dataDir, watchPace }));

  const watched = async () => {
    const sql = 'select id from debits where watch_from_ms is not null';
    return (await readSqlite(sqliteIn(dataDir)).report({ sql })).length;
  };

  it('is looked for until no block can take it, and no longer', async () => {
    const wallet = await openCreditedWallet(gateway);
    await cover(gateway, wallet);
    expect(await watched()).toBe(1);
    await until(async () => (await watched()) === 0);
    expect(await grantedTo(gateway, wallet)).toBe(BUNDLE);
  });
});

describe('with a facilitator of another maker, a payment that credit covers', () => {
  const fixture = inSuite(() => openRemoteFixture({}, { CREDIT: 'on' }));
  let wallet: Wallet;
  beforeEach(async () => {
    wallet = await openCreditedWallet(fixture.gateway);
  });

  it.each([
    ['of a single call', PRICE],
    ['of a bundle', BUNDLE],
  ])('%s never leaves the gateway: no facilitator is asked, and nothing is sent', async (_, amount) => {
    const payment = await paymentOf(fixture.gateway, call, wallet, amount);
    const [before, transfers] = [fixture.judged().length, fixture.chain.transfers.length];
    fixture.orders = { verify: { status: 500 }, settle: { status: 500 } };
    const response = await sendPaid(fixture.gateway, call, payment);
    fixture.orders = {};
    expect([response.status, response.headers.get(HEADERS.credit)]).toEqual([
      200,
      `charged=${PRICE}, balance=${BUNDLE - PRICE}`,
    ]);
    expect([fixture.judged().length, fixture.chain.transfers.length]).toEqual([before, transfers]);
  });

  it('and is broadcast later is answered from its debit', async () => {
    const payment = await paymentOf(fixture.gateway, call, wallet, PRICE);
    const text = await (await sendPaid(fixture.gateway, call, payment)).text();
    const transfers = fixture.chain.transfers.length;
    const sent = await fetch(`${fixture.facilitatorUrl}/settle`, {
      method: 'POST',
      body: JSON.stringify({ paymentPayload: payment, paymentRequirements: payment.accepted }),
    });
    expect(await sent.json()).toMatchObject({ success: true });
    await until(() => fixture.chain.transfers.length === transfers + 1);
    const again = await sendPaid(fixture.gateway, call, payment);
    expect([again.status, await again.text(), again.headers.get(HEADERS.replayed)]).toEqual([200, text, 'true']);
    expect(await balanceOf(fixture.gateway, wallet)).toMatchObject({ spentMicros: PRICE });
  });
});
