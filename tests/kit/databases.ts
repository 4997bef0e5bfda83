import type { Environment } from '@asset-gateway/gateway';
import { afterAll, beforeAll, describe } from 'vitest';
import type { MoneyIn } from './books.ts';
import { openPostgresDatabase, postgresSuite } from './postgres.ts';

/** A suite that gateways pass with both databases: the variables say which, SQLite in DATA_DIR if they are empty. */
export function withBothDatabases(title: string, suite: (variables: () => Environment) => void): void {
  describe.sequential(`${title}, with SQLite`, () => suite(() => ({})));
  postgresSuite(`${title}, with PostgreSQL`, () => {
    let opened: Awaited<ReturnType<typeof openPostgresDatabase>>;
    beforeAll(async () => {
      opened = await openPostgresDatabase();
    });
    afterAll(() => opened.drop());
    suite(() => ({ DATABASE_URL: opened.url }));
  });
}

const databases = new Map<string, ReturnType<typeof openPostgresDatabase>>();

/** With `MONEY=postgres` a gateway that sells keeps money in PostgreSQL, so that every suite can be run on it. */
export async function moneyVariables(folder: string, { DATABASE_URL, REDIS_URL }: Environment): Promise<Environment> {
  if (process.env.MONEY !== 'postgres' || DATABASE_URL !== undefined || REDIS_URL !== undefined) return {};
  const database = databases.get(folder) ?? openPostgresDatabase();
  databases.set(folder, database);
  return { DATABASE_URL: (await database).url };
}

/** Where a gateway with these variables keeps its money. */
export const moneyOf = ({ DATABASE_URL: url }: Environment, folder: string): MoneyIn =>
  url === undefined ? { folder } : { url };
