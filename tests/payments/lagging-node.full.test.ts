import { describe, expect, it } from 'vitest';
import { sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { readSqlite } from '../../packages/gateway/src/stores/sql/sqlite-connection.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { makeFolder } from '../kit/folder.ts';
import { startChains, startSellingGateway } from '../kit/test-gateway.ts';
import { runSales } from '../sales/kit.ts';
import { ask, PENDING, ROOMY, receiptIn } from './fault-buyer.ts';
import { newSale } from './sale.ts';

/** Longer than any blockhash lives, and than the gateway waits for one. */
const EXPIRED_BLOCKS = 300;

/** A payment that has landed, and that a node with a recent slot did not show twice. Its chains and folder outlive its gateway. */
async function openRefused() {
  const [solana, dataDir] = [await startChains(), makeFolder()];
  const again = () => startSellingGateway(ROOMY, { solana, dataDir });
  const sale = await newSale(await again());
  Object.assign(sale.faults, { dropAfterBroadcast: true, lie: { statusMissing: true } });
  expect((await sale.ask()).outcome).toBe(PENDING);
  expect(sale.moved()).toEqual([1, 1]);
  sale.chain.advanceBlocks(EXPIRED_BLOCKS);
  expect((await sale.decided()).outcome).toMatch(/^402 \w+ refused$/);
  sale.faults.reset();
  return { ...sale, dataDir, variables: { PORT: '0', ...solana.variables, DATA_DIR: dataDir }, again };
}

const kindsIn = async (dataDir: string): Promise<unknown[]> => {
  const rows = await readSqlite(sqliteIn(dataDir)).report({ sql: 'select kind, route from journal order by id' });
  return rows.map(({ kind, route }) => [kind, route]);
};

describe.concurrent('X6 a payment that has landed, and that a node of the RPC does not show,', () => {
  it('X6 is settled when it is sent again after it was refused: charged once, answered, and in the books', async () => {
    const sale = await openRefused();
    const reply = await sale.ask();
    expect(reply.outcome).toBe('200 again');
    expect(receiptIn(reply)).toMatchObject({ success: true, transaction: sale.chain.transfers[0]?.signature });
    expect(sale.moved()[0]).toBe(1);
    expect((await kindsIn(sale.dataDir)).map((entry) => (entry as string[])[0])).toEqual(['refusal', 'settlement']);
    await expectBooksInOrder({ folder: sale.dataDir }, sale.chain.transfers);
    const { code } = await runSales(sale.variables, 'verify', '--json');
    expect(code).toBe(0);
  });

  it('X6 is settled by sales verify --repair, for the same route, and is answered afterwards', async () => {
    const sale = await openRefused();
    const found = await runSales(sale.variables, 'verify', '--json');
    expect(JSON.parse(found.stdout)).toMatchObject([
      { fault: 'refused but paid', command: 'asset-gateway sales verify --repair' },
    ]);
    await sale.gateway.stop();
    for (const appended of [1, 0]) {
      const { code, stderr } = await runSales(sale.variables, 'verify', '--repair');
      expect([code, stderr]).toEqual([0, expect.stringContaining(`${appended} entries appended`)]);
    }
    const [refusal, settlement] = (await kindsIn(sale.dataDir)) as [string[], string[]];
    expect([refusal[0], settlement]).toEqual(['refusal', ['settlement', refusal[1]]]);
    const { url } = await sale.again();
    expect((await ask(url + new URL(sale.url).pathname, sale.payment)).outcome).toBe('200 again');
    expect(await kindsIn(sale.dataDir)).toHaveLength(2);
    expect(sale.moved()[0]).toBe(1);
  });
});
