import { afterAll, beforeAll, describe } from 'vitest';
import type { MoneyIn } from '../kit/books.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';

type Variables = Readonly<Record<string, string>>;

/** A suite of gateways, once with SQLite and once with PostgreSQL. `variables` selects the database. */
export function onEachDatabase(
  title: string,
  suite: (variables: () => Variables, database: 'sqlite' | 'postgres') => void,
): void {
  describe.sequential(`${title} with SQLite`, () => suite(() => ({}), 'sqlite'));
  postgresSuite(`${title} with PostgreSQL`, () => {
    let database: Awaited<ReturnType<typeof openPostgresDatabase>>;
    beforeAll(async () => {
      database = await openPostgresDatabase();
    });
    afterAll(() => database.drop());
    suite(() => ({ DATABASE_URL: database.url }), 'postgres');
  });
}

/** Where a gateway with this folder and these variables keeps its money. */
export const moneyOf = (folder: string, { DATABASE_URL: url }: Variables): MoneyIn =>
  url === undefined ? { folder } : { url };
