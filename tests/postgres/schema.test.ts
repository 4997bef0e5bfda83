import { expect, it } from 'vitest';
import { inSuite } from '../kit/in-suite.ts';
import { askPostgres, openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { rounds } from '../kit/rounds.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';

postgresSuite('the schema in PostgreSQL', () => {
  const database = inSuite(openPostgresDatabase);

  const start = (url: string): Promise<SellingGateway> => startSellingGateway({ DATABASE_URL: url });
  const noteChange = (number: number, worksWith: number) =>
    askPostgres(database.url, 'insert into schema_changes (number, works_with) values ($1, $2)', [number, worksWith]);

  it('is made once by two nodes that start at the same time', { timeout: 60_000 }, async () => {
    for (let round = 0; round < rounds(20); round++) {
      const empty = await openPostgresDatabase();
      const nodes = await Promise.all([start(empty.url), start(empty.url)]);
      expect(await askPostgres(empty.url, 'select number from schema_changes')).toEqual([{ number: 1 }]);
      for (const { logLines } of nodes) expect(logLines.join('')).not.toContain('PostgreSQL');
      await Promise.all(nodes.map((node) => node.stop()));
      await empty.drop();
    }
  });

  it('of a later version is used if it works with this one, by a node that runs and by one that starts', async () => {
    const running = await start(database.url);
    await noteChange(2, 1);
    const starting = await start(database.url);
    for (const { url } of [running, starting]) {
      expect((await fetch(`${url}/v1/x402/helius/wallet/balances/${'1'.repeat(32)}`)).status).toBe(402);
    }
    await Promise.all([running.stop(), starting.stop()]);
  });

  it('of a later version that does not work with this one is refused, in one sentence', async () => {
    await noteChange(3, 2);
    await expect(start(database.url)).rejects.toThrow(
      'DATABASE_URL: the database was made by a later version (the schema has number 3, and this version knows 1): start that version.',
    );
  });
});
