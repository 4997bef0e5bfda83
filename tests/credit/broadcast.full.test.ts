import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { HEADERS } from '@asset-gateway/protocol';
import type { PaymentPayload } from '@x402/core/types';
import Connection from 'libsql';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { readSqlite } from '../../packages/gateway/src/stores/sql/sqlite-connection.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { askPostgres, openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { LIST_PRICES, type SellingGateway, startChains } from '../kit/test-gateway.ts';
import { callOf, leaves, sendPaid, transactionOf } from '../payments/calls.ts';
import { until } from '../payments/fault-buyer.ts';
import { openRemoteFixture } from '../payments/fault-facilitator.ts';
import type { Wallet } from '../payments/wallets.ts';
import { broadcast, runSales } from '../sales/kit.ts';
import { balanceOf, openCreditedWallet, paymentOf, startCreditGateway } from './gateway.ts';

const call = callOf('rpc.mainnet.helius.getBalance');
const [PRICE, BUNDLE] = [5, 50_000];
const watchEveryMs = 150;
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

describe('a covered payment that is broadcast', () => {
  const dataDir = makeFolder();
  const solana = inSuite(() => startChains());
  let gateway: SellingGateway;
  let wallet: Wallet;
  const start = async () => {
    gateway = await startCreditGateway({ solana, dataDir, watchEveryMs });
  };
  beforeAll(start);
  afterAll(async () => {
    await gateway.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });
  beforeEach(async () => {
    wallet = await openCreditedWallet(gateway);
  });

  it.each([PRICE, BUNDLE])('grants all %d once, and still gets its answer', async (amount) => {
    const payment = await cover(gateway, wallet, amount);
    await broadcast(solana, transactionOf(payment));
    await expectGranted(gateway, wallet, amount);
    await leaves(gateway, { transfers: 0, arrivals: 0 }, async () => {
      const again = await sendPaid(gateway, call, payment);
      expect([again.status, again.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
    });
    expect(await balanceOf(gateway, wallet)).toMatchObject({ grantedMicros: BUNDLE + amount, spentMicros: PRICE });
    await expectBooksInOrder({ folder: dataDir }, solana.mainnet.transfers);
  });

  it('while no gateway runs is granted once one does, and the journal agrees with the chain', async () => {
    const payment = await cover(gateway, wallet);
    await gateway.stop();
    await broadcast(solana, transactionOf(payment));
    for (let round = 0; round < 2; round++) {
      await start();
      await expectGranted(gateway, wallet, PRICE);
      if (round === 0) await gateway.stop();
    }
    const own = { PORT: '0', DATA_DIR: dataDir, ...solana.variables, ...LIST_PRICES, CREDIT: 'on' };
    const { code, stdout } = await runSales(own, 'verify', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, []]);
  });

  const change = (...statements: string[]) => {
    const connection = new Connection(sqliteIn(dataDir));
    for (const sql of statements) connection.exec(sql);
    connection.close();
  };

  it('X13 is found by the next search, although another wallet has covered payments too', async () => {
    const other = await openCreditedWallet(gateway);
    await cover(gateway, other);
    const columns = `wallet_id, micro_usdc, paid_by, route, request_hash, request_id, owner, state, until_ms, captured_at_ms`;
    change(
      `with recursive counted (n) as (select 1 union all select n + 1 from counted where n < 20000)
      insert into debits (id, memo, watch_from_ms, ${columns})
      select 'covered-' || n, substr('memo-' || n || '----------------------------------', 1, 32), 1, ${columns}
      from counted, (select * from debits where memo is not null limit 1)`,
    );
    const payment = await cover(gateway, wallet);
    await broadcast(solana, transactionOf(payment));
    const since = solana.mainnet.calls.length;
    await until(async () => (await grantedTo(gateway, wallet)) > BUNDLE);
    const searches = solana.mainnet.calls.slice(since).filter(({ method }) => method === 'getSignaturesForAddress');
    // A hundred payments a search would take 200.
    expect(searches.length).toBeLessThan(20);
    await expectGranted(gateway, wallet, PRICE);
    change(`delete from debits where id like 'covered-%'`);
  });

  it.each([-1, 1])(
    'X2 is found by the blocks of the chain, also if the books are ten minutes off (%d)',
    async (sign) => {
      await gateway.stop();
      change(`update clock set now_ms = now_ms + ${sign * 600_000}`);
      await start();
      const mine = await openCreditedWallet(gateway);
      const payment = await cover(gateway, mine);
      change(`update debits set captured_at_ms = captured_at_ms + ${sign * 600_000} where memo is not null`);
      await broadcast(solana, transactionOf(payment));
      await expectGranted(gateway, mine, PRICE);
    },
  );

  it('while the chain cannot be read is granted when it can be', async () => {
    solana.mainnet.faults.refuse = { getSignaturesForAddress: { code: -32_005, message: 'too busy' } };
    const payment = await cover(gateway, wallet);
    await broadcast(solana, transactionOf(payment));
    await sleep(LOOKS_MS);
    expect(await grantedTo(gateway, wallet)).toBe(BUNDLE);
    solana.mainnet.faults.reset();
    await expectGranted(gateway, wallet, PRICE);
  });

  it('X6 is watched on while the node that lists the transactions is behind, and granted by one that is not', async () => {
    const payment = await cover(gateway, wallet);
    await sleep(LOOKS_MS);
    await broadcast(solana, transactionOf(payment));
    solana.mainnet.faults.lie = { slotsBehind: 10_000 };
    for (let round = 0; round < 3; round++) {
      solana.mainnet.advanceBlocks(2_000);
      await sleep(LOOKS_MS);
    }
    expect(await grantedTo(gateway, wallet)).toBe(BUNDLE);
    solana.mainnet.faults.reset();
    await expectGranted(gateway, wallet, PRICE);
  });

  it('and is not is looked for until no block can take it, and no longer', async () => {
    const watched = async () => {
      const sql = 'select id from debits where watch_from_ms is not null';
      return (await readSqlite(sqliteIn(dataDir)).report({ sql })).length;
    };
    await cover(gateway, wallet);
    expect(await watched()).toBeGreaterThan(0);
    await until(async () => {
      solana.mainnet.advanceBlocks(100);
      return (await watched()) === 0;
    });
    expect(await grantedTo(gateway, wallet)).toBe(BUNDLE);
  });
});

postgresSuite('a covered payment that is broadcast, with two gateways on PostgreSQL', () => {
  const database = inSuite(openPostgresDatabase);

  it('is granted once, also after the gateway that covered it has stopped', async () => {
    const variables = { DATABASE_URL: database.url };
    const solana = await startChains();
    const other = await startCreditGateway({ solana, watchEveryMs }, variables);
    const gateway = await startCreditGateway({ solana, watchEveryMs }, variables);
    const wallet = await openCreditedWallet(gateway);
    const payment = await cover(gateway, wallet);
    await gateway.stop();
    await startCreditGateway({ solana, watchEveryMs }, variables);
    await broadcast(solana, transactionOf(payment));
    await expectGranted(other, wallet, PRICE);
    await cover(other, wallet);
    const watched = () => askPostgres(database.url, 'select height from debits where watch_from_ms is not null');
    await until(async () => (await watched()).some(({ height }) => height !== null));
    const searches = await askPostgres(database.url, 'select cluster from searches order by cluster');
    expect(searches.map(({ cluster }) => cluster)).toEqual(['devnet', 'mainnet']);
    await until(async () => {
      solana.mainnet.advanceBlocks(300);
      return (await watched()).length === 0;
    });
    await expectBooksInOrder({ url: database.url }, solana.mainnet.transfers);
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
    const charged = `charged=${PRICE}, balance=${BUNDLE - PRICE}`;
    expect([response.status, response.headers.get(HEADERS.credit)]).toEqual([200, charged]);
    expect([fixture.judged().length, fixture.chain.transfers.length]).toEqual([before, transfers]);
  });
});
