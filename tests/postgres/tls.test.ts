import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { inSuite } from '../kit/in-suite.ts';
import { suiteWith } from '../kit/optional.ts';
import { postgresSuite, runPostgresProgram, startPostgres } from '../kit/postgres.ts';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { until } from '../payments/fault-buyer.ts';

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];

suiteWith('openssl', 'with openssl', () => {
  postgresSuite('TLS to PostgreSQL', () => {
    const server = inSuite(startPostgres);
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
      const gateway = await startSellingGateway({ DATABASE_URL: urlOf('127.0.0.1', 'authority') });
      const sql = `select distinct ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'asset-gateway'`;
      expect(await server.query(sql)).toEqual([{ ssl: true }]);
      await gateway.stop();
    });

    it.each([
      ['a certificate of another authority', '127.0.0.1', 'other', /certificate/],
      ['a certificate for another host', 'localhost', 'authority', /does not match certificate/],
    ])('sslmode=verify-full refuses to start with %s', async (_, host, authority, reason) => {
      const start = startSellingGateway({ DATABASE_URL: urlOf(host, authority) });
      await expect(start).rejects.toThrow(/^.*DATABASE_URL: PostgreSQL/s);
      await expect(start).rejects.toThrow(reason);
    });
  });
});
