import { beforeAll, expect, it } from 'vitest';
import { openMoney } from '../../packages/gateway/src/compose/money.ts';
import { PostgresDatabase } from '../../packages/gateway/src/stores/sql/postgres.ts';
import { buyCredit, spend, startCreditGateway } from '../credit/gateway.ts';
import { inSuite } from '../kit/in-suite.ts';
import { askPostgres, postgresSuite, startPostgres } from '../kit/postgres.ts';
import { newPath } from '../payments/fault-buyer.ts';
import { openWallet } from '../payments/wallets.ts';

/** As docs/operating/postgresql.md says: a superuser makes the roles and the database, and then, connected to it, grants the rest. */
const ROLES = `create role gateway_owner login; create role gateway login; create role books login;`;
const GRANTS = `
  revoke all on schema public from public;
  grant usage, create on schema public to gateway_owner;
  grant usage on schema public to gateway, books;
  alter default privileges for role gateway_owner in schema public grant select, insert, update, delete on tables to gateway;
`;
const VIEWS = ['journal', 'credit_balances', 'open_payments', 'sales_by_hour'];
const READING = `grant select on ${VIEWS.join()} to books`;

postgresSuite('the roles of docs/operating/postgresql.md', () => {
  const server = inSuite(startPostgres);
  const as = (role: string) => server.url('gateway', role);
  beforeAll(async () => {
    await server.query(ROLES);
    await server.query('create database gateway owner gateway_owner');
    await server.query(GRANTS, [], 'gateway');
  });

  const start = (role: string) => startCreditGateway({}, { DATABASE_URL: as(role) });

  it('the role that serves cannot make the tables: the start says so, and the owner makes them', async () => {
    await expect(start('gateway')).rejects.toThrow(
      'DATABASE_URL: PostgreSQL says "permission denied for schema public" (42501).',
    );
    await (await start('gateway_owner')).stop();
    await askPostgres(as('gateway_owner'), READING);
  });

  it('the role that serves sells and spends credit, and changes no table', async () => {
    const gateway = await start('gateway');
    const wallet = await openWallet(gateway.solana);
    expect((await buyCredit(gateway, wallet)).status).toBe(200);
    expect(
      (await spend(gateway, { target: newPath(), init: { method: 'GET', headers: {} } }, wallet.signIn)).status,
    ).toBe(200);
    expect((await wallet.buy(`${gateway.url}${newPath()}`)).status).toBe(200);
    await gateway.stop();
    const [sold] = await askPostgres(as('gateway'), 'select count(*) as entries from journal');
    expect(Number(sold?.entries)).toBe(4);
    for (const sql of ['drop table payments', 'truncate journal_entries', 'create table other (id bigint)']) {
      await expect(askPostgres(as('gateway'), sql)).rejects.toThrow(/must be owner|permission denied/);
    }
  });

  it('the role that reads selects from the four views and nothing else', async () => {
    for (const view of VIEWS) await askPostgres(as('books'), `select * from ${view}`);
    expect(await askPostgres(as('books'), 'select sum(sales) as sales from sales_by_hour')).toEqual([{ sales: '1' }]);
    for (const sql of ['select * from payments', 'select * from answers', 'delete from journal_entries']) {
      await expect(askPostgres(as('books'), sql)).rejects.toThrow(/permission denied/);
    }
  });

  it('the role that serves prunes', async () => {
    const database = await PostgresDatabase.load({ url: as('gateway') });
    await database.connect();
    const money = openMoney(database, { journalKeepMs: -1_000 });
    await money.retention.prune();
    expect(await askPostgres(as('gateway'), 'select count(*) as entries from journal')).toEqual([{ entries: '0' }]);
    await money.close();
    await database.close();
  });
});
