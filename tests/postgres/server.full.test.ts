import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openMoney } from '../../packages/gateway/src/compose/money.ts';
import { CHANGES } from '../../packages/gateway/src/stores/sql/changes.ts';
import { PostgresDatabase } from '../../packages/gateway/src/stores/sql/postgres.ts';
import { openCreditedWallet, spend, startCreditGateway } from '../credit/gateway.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { suiteWith } from '../kit/optional.ts';
import {
  askPostgres,
  openPostgresDatabase,
  postgresSuite,
  runPostgresProgram,
  startPostgres,
} from '../kit/postgres.ts';
import { rounds } from '../kit/rounds.ts';
import { type SellingGateway, startSellingGateway } from '../kit/test-gateway.ts';
import { newPath, until } from '../payments/fault-buyer.ts';

const start = (url: string): Promise<SellingGateway> => startSellingGateway({ DATABASE_URL: url });

const LATEST = CHANGES.length;

postgresSuite('the schema in PostgreSQL', () => {
  const database = inSuite(openPostgresDatabase);

  const noteChange = (number: number, worksWith: number) =>
    askPostgres(database.url, 'insert into schema_changes (number, works_with) values ($1, $2)', [number, worksWith]);

  it('is made once by two nodes that start at the same time', { timeout: 60_000 }, async () => {
    for (let round = 0; round < rounds(20); round++) {
      const empty = await openPostgresDatabase();
      const nodes = await Promise.all([start(empty.url), start(empty.url)]);
      expect(await askPostgres(empty.url, 'select number from schema_changes')).toEqual(
        CHANGES.map(({ number }) => ({ number })),
      );
      for (const { logLines } of nodes) expect(logLines.join('')).not.toContain('PostgreSQL');
      await Promise.all(nodes.map((node) => node.stop()));
      await empty.drop();
    }
  });

  it('is refused with a sentence if its name is taken by a type', async () => {
    const taken = await openPostgresDatabase();
    await askPostgres(taken.url, 'create domain schema_changes as integer');
    await expect(start(taken.url)).rejects.toThrow(/^DATABASE_URL: PostgreSQL says .*already exists/);
    await taken.drop();
  });

  it('of a later version is used if it is compatible, by a running node and by a starting one', async () => {
    const running = await start(database.url);
    await noteChange(LATEST + 1, 1);
    const starting = await start(database.url);
    for (const { url } of [running, starting]) {
      expect((await fetch(`${url}/v1/x402/helius/wallet/balances/${'1'.repeat(32)}`)).status).toBe(402);
    }
    await Promise.all([running.stop(), starting.stop()]);
  });

  it('of a later version that does not work with this one is refused, in one sentence', async () => {
    await noteChange(LATEST + 2, LATEST + 1);
    await expect(start(database.url)).rejects.toThrow(
      `DATABASE_URL: the database was made by a later version (the schema has number ${LATEST + 2}, and this version knows ${LATEST}): start that version.`,
    );
  });
});

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
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

postgresSuite('a server of its own', () => {
  const server = inSuite(startPostgres);

  describe('with the roles of docs/operating/postgresql.md', () => {
    const as = (role: string) => server.url('gateway', role);
    beforeAll(async () => {
      await server.query(ROLES);
      await server.query('create database gateway owner gateway_owner');
      await server.query(GRANTS, [], 'gateway');
    });

    const startAs = (role: string) => startCreditGateway({}, { DATABASE_URL: as(role) });

    it('the role that serves cannot make the tables: the start says so, and the owner makes them', async () => {
      await expect(startAs('gateway')).rejects.toThrow(
        'DATABASE_URL: PostgreSQL says "permission denied for schema public" (42501).',
      );
      await (await startAs('gateway_owner')).stop();
      await askPostgres(as('gateway_owner'), READING);
    });

    it('the role that serves sells and spends credit, and changes no table', async () => {
      const gateway = await startAs('gateway');
      const wallet = await openCreditedWallet(gateway);
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
      const money = openMoney(database, -1_000);
      await money.retention.prune();
      expect(await askPostgres(as('gateway'), 'select count(*) as entries from journal_entries')).toEqual([
        { entries: '0' },
      ]);
      await money.close();
      await database.close();
    });
  });

  it('is reached by a password with a percent sign, which nothing prints', async () => {
    const password = 'CANARY-100%real';
    await server.query(`create role percent login superuser password '${password}'`);
    const name = await server.createDatabase();
    const gateway = await start(`postgres://percent:${password}@127.0.0.1:${server.port}/${name}`);
    expect(gateway.logLines.join('')).not.toContain('CANARY');
    await gateway.stop();
  });

  it('is reached through a folder of sockets, as libpq writes it', async () => {
    const folder = makeFolder();
    chmodSync(folder, 0o777);
    const socket = await startPostgres({ settings: { unix_socket_directories: folder } });
    const name = await socket.createDatabase();
    for (const place of ['postgres@/', '/']) {
      const gateway = await start(`postgres://${place}${name}?host=${folder}&port=${socket.port}&user=postgres`);
      const sql = `select client_addr from pg_stat_activity where application_name = 'asset-gateway' limit 1`;
      expect(await socket.query(sql)).toEqual([{ client_addr: null }]);
      await gateway.stop();
    }
    await socket.stop();
  });

  suiteWith('openssl', 'with TLS', () => {
    let name: string;
    const inData = (file: string) => join(server.data, file);

    /** Makes a certificate and its key: self-signed, or signed by the authority. */
    function certify(file: string, words: readonly string[]): void {
      const out = ['-keyout', inData(`${file}.key`), '-out', inData(`${file}.pem`)];
      runPostgresProgram('openssl', ['req', '-x509', ...KEY, '-subj', `/CN=${file}`, ...out, ...words]);
    }

    beforeAll(async () => {
      name = await server.createDatabase();
      certify('authority', []);
      certify('other', []);
      const signed = ['-CA', inData('authority.pem'), '-CAkey', inData('authority.key')];
      certify('server', [...signed, '-addext', 'subjectAltName=IP:127.0.0.1']);
      const settings = { ssl_cert_file: inData('server.pem'), ssl_key_file: inData('server.key'), ssl: 'on' };
      for (const [setting, value] of Object.entries(settings))
        await server.query(`alter system set ${setting} = '${value}'`);
      await server.query('select pg_reload_conf()');
      await until(async () => (await server.query('show ssl'))[0]?.ssl === 'on');
    });

    const urlOf = (host: string, authority: string) =>
      `postgres://postgres@${host}:${server.port}/${name}?sslmode=verify-full&sslrootcert=${inData(`${authority}.pem`)}`;

    it('sslmode=verify-full encrypts every connection to a server that the authority of sslrootcert has certified', async () => {
      const gateway = await start(urlOf('127.0.0.1', 'authority'));
      const sql = `select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'asset-gateway'`;
      expect(await server.query(sql)).toEqual([{ ssl: true }]);
      await gateway.stop();
    });

    it.each([
      ['a certificate of another authority', '127.0.0.1', 'other', /certificate/],
      ['a certificate for another host', 'localhost', 'authority', /does not match certificate/],
    ])('sslmode=verify-full refuses to start with %s', async (_, host, authority, reason) => {
      const starting = start(urlOf(host, authority));
      await expect(starting).rejects.toThrow(/^.*DATABASE_URL: PostgreSQL/s);
      await expect(starting).rejects.toThrow(reason);
    });

    it('sslmode=require refuses a certificate of an unknown authority in one sentence with the way out, which works', async () => {
      const warnings: unknown[] = [];
      process.on('warning', (warning) => warnings.push(warning));
      const url = (query: string) => `postgres://postgres@127.0.0.1:${server.port}/${name}?${query}`;
      await expect(start(url('sslmode=require'))).rejects.toThrow(
        /^DATABASE_URL: PostgreSQL says "[^"]+" \([A-Z_]+\): .*sslrootcert=\/path\/to\/ca\.pem, or .*sslmode=no-verify\.$/,
      );
      await (await start(url('sslmode=no-verify'))).stop();
      await (await start(url(`sslmode=require&sslrootcert=${inData('authority.pem')}`))).stop();
      expect(warnings.map(String)).toEqual([]);
    });
  });
});
