import pg from 'pg';
import { expect, it } from 'vitest';
import { openMoney } from '../../packages/gateway/src/compose/money.ts';
import type { FeeCharge } from '../../packages/gateway/src/payments/record.ts';
import { PostgresDatabase } from '../../packages/gateway/src/stores/sql/postgres.ts';
import { queryMs } from '../../packages/gateway/src/stores/sql/postgres-server.ts';
import { inSuite } from '../kit/in-suite.ts';
import { grant, JOURNAL_KEEP_MS, newDebit, newPayment } from '../kit/ledger.ts';
import { postgresSuite, startPostgres } from '../kit/postgres.ts';
import { until } from '../payments/fault-buyer.ts';

/** A busy machine may have no connection in time; nothing was sent then. */
async function onceConnected<T>(step: () => Promise<T>): Promise<T> {
  for (;;)
    try {
      return await step();
    } catch (error) {
      if (!String(error).includes('timeout exceeded when trying to connect')) throw error;
    }
}

postgresSuite('money in a PostgreSQL that others use too', () => {
  const server = inSuite(startPostgres);

  async function openNode(url: string) {
    const database = await PostgresDatabase.load({ url });
    await database.connect();
    await until(() => database.isReady());
    const money = openMoney(database, JOURNAL_KEEP_MS);
    return { ...money, close: () => money.close().then(() => database.close()) };
  }

  it('X4 a statement that is late fails alone: the server counts as reachable, and other statements are answered', async () => {
    const node = await openNode(server.url(await server.createDatabase()));
    const late = node.database
      .read({ sql: 'select 1 as one from pg_sleep(1.5)' })
      .catch((error: Error) => error.message);
    let answered = 0;
    for (let isOver = false; !isOver; answered++) {
      expect(node.database.isReady()).toBe(true);
      expect(await node.database.read({ sql: 'select 1 as one' })).toEqual([{ one: 1 }]);
      isOver = await Promise.race([
        late.then(() => true),
        new Promise<false>((resolve) => setImmediate(resolve, false)),
      ]);
    }
    expect(await late).toMatch(/timeout/);
    expect(node.database.isReady()).toBe(true);
    expect(await node.database.read({ sql: 'select 1 as one' })).toEqual([{ one: 1 }]);
    expect(answered).toBeGreaterThan(1);
    await node.close();
  });

  it('X4 a statement has time for its bytes', () => {
    expect(queryMs(5_000_000) - queryMs(0)).toBe(500);
  });

  it('X14 sells to all of 64 wallets at once when the role is isolated as serializable, also with a second node', async () => {
    const name = await server.createDatabase();
    await server.query(`alter role postgres in database ${name} set default_transaction_isolation = 'serializable'`);
    const nodes = await Promise.all([openNode(server.url(name)), openNode(server.url(name))]);
    const [first] = nodes;
    for (let wallet = 0; wallet < 16; wallet++) await grant(first, 1_000, { payer: `wallet-${wallet}` });
    const debits = Array.from({ length: 64 }, (_, index) => newDebit(5, { wallet: `wallet-${index % 16}` }));
    const charge = async (debit: (typeof debits)[number], index: number) => {
      const { accounts } = nodes[index % 2] ?? first;
      expect(await onceConnected(() => accounts.hold(debit))).toMatchObject({ verdict: 'held' });
      return onceConnected(() => accounts.capture(debit, '"answer"'));
    };
    const balances = await Promise.all(debits.map(charge));
    expect(balances.every((balance) => typeof balance === 'number')).toBe(true);
    expect(await first.books.wrongBalances()).toEqual([]);
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('X15 settles while a read-only role holds every lock that it can take', async () => {
    const name = await server.createDatabase();
    const node = await openNode(server.url(name));
    await server.query('create role reader login');
    await server.query('grant select on journal, credit_balances to reader', [], name);
    const reader = new pg.Client({ connectionString: server.url(name, 'reader') });
    await reader.connect();
    for (let key = 8400; key < 8410; key++) {
      await reader.query(`select pg_advisory_lock(${key})`);
      await reader.query(`select pg_advisory_lock(${key}, hashtext('mainnet:payer'))`);
    }
    await reader.query('begin; lock table journal in access share mode');
    const payment = newPayment({ feeLamports: 10_001 });
    expect(await node.payments.reserve(payment)).toBe('reserved');
    const fee: FeeCharge = { feePayer: 'mainnet:payer', lamports: 10_001, limit: 1_000_000, isNewPayer: true };
    const settling = { answer: '{}', signature: 'signature', height: 7, fee };
    expect(await node.payments.beginSettlement(payment.key, payment.owner, settling)).toBe('settling');
    await reader.end();
    await node.close();
  });
});
