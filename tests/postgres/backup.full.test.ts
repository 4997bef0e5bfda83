import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectBooksInOrder } from '../kit/books.ts';
import { makeFolder } from '../kit/folder.ts';
import { inSuite } from '../kit/in-suite.ts';
import { makeOwn, postgresSuite, runPostgresProgram, startPostgres } from '../kit/postgres.ts';
import { startChains, startSellingGateway } from '../kit/test-gateway.ts';
import { ask, askUntilDecided, newBuyer, newPath, ROOMY, until } from '../payments/fault-buyer.ts';

/** A paid answer. */
interface Bought {
  readonly path: string;
  readonly payment: string;
  readonly text: string;
}

const DOCUMENTED = 'docs/operating/postgresql.md';
const page = readFileSync(DOCUMENTED, 'utf8');
/** The code block of the page with this word. */
function block(word: string): string {
  const blocks = Array.from(page.matchAll(/^( *)```(?:sh|ini)\n([\s\S]*?)^ *```$/gm), ([, indent = '', text = '']) =>
    text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
  const [found, ...others] = blocks.filter((text) => text.includes(word));
  if (found === undefined || others.length > 0) throw new Error(`${DOCUMENTED} needs one block with ${word}`);
  return found;
}

const folder = makeFolder();
makeOwn(folder);
const [COPY, BASE, ARCHIVE] = ['copy', 'base', 'archive'].map((name) => join(folder, name)) as [string, string, string];
makeOwn(ARCHIVE);
const [, SWITCH = ''] = /`(psql [^`]+)`/.exec(page) ?? [];
const run = (word: string, variables: Readonly<Record<string, string>>) =>
  runPostgresProgram('sh', ['-ec', block(word)], variables);

/** The settings of the page, with this test's archive. */
const settings = Object.fromEntries(
  Array.from(block('archive_mode').matchAll(/^(\w+) = '?(.*?)'?$/gm), ([, name = '', value = '']) => [
    name,
    value.replaceAll('/var/lib/postgresql/archive', ARCHIVE),
  ]),
);

describe('the commands of the page about PostgreSQL', { timeout: 120_000 }, () => {
  postgresSuite('restore the sales', () => {
    const server = inSuite(() => startPostgres({ settings }));
    const solana = inSuite(() => startChains());
    const start = (url: string) =>
      startSellingGateway({ ...ROOMY, DATABASE_URL: url, GATEWAY_SECRET: 's'.repeat(43) }, { solana });

    let [name, moment]: string[] = [];
    const bought: Bought[] = [];
    beforeAll(async () => {
      name = await server.createDatabase();
      const gateway = await start(server.url(name));
      const buyer = await newBuyer(solana.mainnet);
      const buy = async () => {
        const path = newPath();
        const payment = await buyer.pay(gateway.url + path);
        // The programs stop this process, and the gateway's connection with it.
        const { status, text } = await askUntilDecided(gateway.url + path, payment);
        expect(status).toBe(200);
        bought.push({ path, payment, text });
      };
      run('pg_basebackup', { SERVER_URL: server.url(), BASE });
      await buy();
      run('pg_dump', { COPY, DATABASE_URL: server.url(name) });
      [{ moment }] = (await server.query('select now()::text as moment')) as [{ moment: string }];
      await buy();
      await gateway.stop();
    }, 120_000);

    /** Both purchases, the second of which it does not know, are answered from the restored database, and not charged again. */
    async function expectAnswered(url: string): Promise<void> {
      const [known, lost] = bought as [Bought, Bought];
      const transfers = solana.mainnet.transfers.length;
      const gateway = await start(url);
      const again = await ask(gateway.url + known.path, known.payment);
      expect([again.status, again.isReplayed, again.text]).toEqual([200, true, known.text]);
      expect((await ask(gateway.url + lost.path, lost.payment)).status).toBe(200);
      expect(solana.mainnet.transfers).toHaveLength(transfers);
      await expectBooksInOrder({ url });
      await gateway.stop();
    }

    it('a dump made while nodes serve, in an empty database', async () => {
      const restored = server.url(await server.createDatabase());
      run('pg_restore', { COPY, RESTORED_URL: restored });
      await expectAnswered(restored);
    });

    it('a base backup and the archive, to the moment before a table was dropped', async () => {
      await server.query('drop table journal_entries cascade', [], name);
      const [{ last } = {}] = await server.query('select pg_walfile_name(pg_current_wal_lsn()) as last');
      runPostgresProgram('sh', ['-ec', SWITCH], { SERVER_URL: server.url() });
      await until(async () => {
        const [row] = await server.query('select last_archived_wal as name from pg_stat_archiver');
        return String(row?.name) >= String(last);
      });
      await server.kill();
      const prepare = (DATA: string) => void run('recovery.signal', { BASE, DATA, ARCHIVE, MOMENT: String(moment) });
      const restored = await startPostgres({ prepare });
      await until(async () => {
        const [row] = await restored.query('select pg_is_in_recovery() as is_recovering');
        return row?.is_recovering === false;
      });
      await expectAnswered(restored.url(name));
      await restored.stop();
    });
  });
});
