import { ConfigError } from '../config/settings.ts';
import type { Database } from '../stores/sql/database.ts';
import { databaseUrls } from '../stores/sql/database-url.ts';
import { POSTGRES } from '../stores/sql/dialect.ts';
import { PostgresDatabase } from '../stores/sql/postgres.ts';
import { loadServers } from '../stores/sql/postgres-server.ts';
import { SchemaTooNew } from '../stores/sql/schema.ts';

const FORGETS =
  'DATABASE_URL: CREDIT=on needs synchronous_commit on, or credit that was paid for is lost when the server stops; it is off there.';

/** What the operator can do about a database that refuses. PostgreSQL's messages name no secret. */
function databaseFault(error: unknown): unknown {
  const { code, message } = error as { readonly code?: string; readonly message: string };
  if (error instanceof SchemaTooNew) {
    return new ConfigError([
      `DATABASE_URL: the database was made by a later version (${message}): start that version.`,
    ]);
  }
  return code === undefined ? error : new ConfigError([`DATABASE_URL: PostgreSQL says "${message}" (${code}).`]);
}

/** Opens money in PostgreSQL. A server that does not answer is tried on while the gateway serves what needs no money. */
export async function openPostgres(url: string, hasCredit: boolean) {
  const database = await PostgresDatabase.load({ url });
  return {
    database,
    async connect(notice: (message: string) => void) {
      await database.connect(notice).catch((error) => {
        throw databaseFault(error);
      });
      const commit = hasCredit ? await database.setting('synchronous_commit').catch(() => 'unknown') : 'on';
      if (commit === 'off') throw new ConfigError([FORGETS]);
    },
    close: () => database.close(),
  };
}

const NEVER_USED = 'DATABASE_URL: no gateway has used this database yet.';

/** Reads money in PostgreSQL, on the first host that answers, a standby too. Nothing is written, and no schema is changed. */
export async function readPostgres(url: string) {
  const urls = databaseUrls(url);
  const newServer = await loadServers(urls);
  let fault: unknown;
  for (const _ of urls) {
    const server = newServer();
    try {
      const [row] = await server.report(`select to_regclass('journal_entries') is not null as is_used`, []);
      if (!row?.is_used) throw new ConfigError([NEVER_USED]);
      const database: Pick<Database, 'report' | 'dialect'> = {
        dialect: POSTGRES,
        report: ({ sql, values = [] }) => server.report(sql, values),
      };
      return { database, close: () => server.close() };
    } catch (error) {
      await server.close();
      fault ??= error;
    }
  }
  if (fault instanceof ConfigError) throw fault;
  throw new ConfigError([`DATABASE_URL: PostgreSQL does not answer (${(fault as Error).message}).`]);
}
