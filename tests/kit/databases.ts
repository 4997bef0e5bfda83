import type { Environment } from '@asset-gateway/gateway';
import { describe, type TestOptions } from 'vitest';
import type { MoneyIn } from './books.ts';
import { inSuite } from './in-suite.ts';
import { openPostgresDatabase, postgresSuite } from './postgres.ts';

/** Registers a suite of gateways for SQLite and for PostgreSQL. `variables` selects the database. */
export function withBothDatabases(
  title: string,
  suite: (variables: () => Environment, database: 'sqlite' | 'postgres') => void,
  options: TestOptions = {},
): void {
  describe(`${title}, with SQLite`, options, () => suite(() => ({}), 'sqlite'));
  const inPostgres = () => {
    const opened = inSuite(openPostgresDatabase);
    suite(() => ({ DATABASE_URL: opened.url }), 'postgres');
  };
  postgresSuite(`${title}, with PostgreSQL`, inPostgres, options);
}

const databases = new Map<string, ReturnType<typeof openPostgresDatabase>>();

/** With `MONEY=postgres`, a gateway that sells keeps its money in PostgreSQL. Every suite can run that way. */
export async function moneyVariables(folder: string, { DATABASE_URL, REDIS_URL }: Environment): Promise<Environment> {
  if (process.env.MONEY !== 'postgres' || DATABASE_URL !== undefined || REDIS_URL !== undefined) return {};
  const database = databases.get(folder) ?? openPostgresDatabase();
  databases.set(folder, database);
  return { DATABASE_URL: (await database).url };
}

/** The database for money of a gateway with these variables. */
export const moneyOf = ({ DATABASE_URL: url }: Environment, folder: string): MoneyIn =>
  url === undefined ? { folder } : { url };
