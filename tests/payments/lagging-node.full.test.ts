import { describe, expect, it } from 'vitest';
import { sqliteIn } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { readSqlite } from '../../packages/gateway/src/stores/sql/sqlite-connection.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { makeFolder } from '../kit/folder.ts';
import { startChains, startSellingGateway } from '../kit/test-gateway.ts';
import { runSales } from '../sales/kit.ts';
import { ask, PENDING, ROOMY, receiptIn, until } from './fault-buyer.ts';
import { openRemoteFixture } from './fault-facilitator.ts';
import { newSale, type Sale } from './sale.ts';

/** Longer than any blockhash lives, and than the gateway waits for one. */
const EXPIRED_BLOCKS = 300;
const REFUSED = /^402 \w+ refused$/;

/** A sale on chains and in a folder that outlive its gateway. */
async function openSale() {
  const [solana, dataDir] = [await startChains(), makeFolder()];
  const gateway = await startSellingGateway(ROOMY, { solana, dataDir });
  const variables = { PORT: '0', ...solana.variables, DATA_DIR: dataDir };
  const again = () => startSellingGateway(ROOMY, { solana, dataDir });
  return { ...(await newSale(gateway)), dataDir, variables, again };
}

const lookUps = ({ chain }: Sale): number[] =>
  chain.calls.flatMap(({ method, at }) => (method === 'getSignatureStatuses' ? [at] : []));

/** Lands a payment whose reply is lost while the node shows nothing, and lets its blockhash expire. */
async function landUnseen(sale: Sale, lie: Sale['faults']['lie']): Promise<void> {
  Object.assign(sale.faults, { dropAfterBroadcast: true, lie });
  expect((await sale.ask()).outcome).toBe(PENDING);
  expect(sale.moved()).toEqual([1, 1]);
  sale.chain.advanceBlocks(EXPIRED_BLOCKS);
}

/** A payment that has landed, and that a node with a recent slot did not show twice. */
async function openRefused() {
  const sale = await openSale();
  await landUnseen(sale, { statusMissing: true });
  expect((await sale.decided()).outcome).toMatch(REFUSED);
  sale.faults.reset();
  return sale;
}

const kindsIn = async (dataDir: string): Promise<unknown[]> => {
  const rows = await readSqlite(sqliteIn(dataDir)).report({ sql: 'select kind, route from journal order by id' });
  return rows.map(({ kind, route }) => [kind, route]);
};

describe.concurrent('X6 a payment that has landed, and that a node of the RPC does not show,', () => {
  it('X6 is not refused as long as that node is behind the expiry of its blockhash', async () => {
    const sale = await openSale();
    await landUnseen(sale, { slotsBehind: 2 * EXPIRED_BLOCKS });
    const from = lookUps(sale).length;
    await until(() => lookUps(sale).length > from + 4);
    expect((await sale.ask()).outcome).toBe(PENDING);
    sale.faults.reset();
    expect((await sale.decided()).outcome).toBe('200 again');
    expect(sale.moved()).toEqual([1, 1]);
  });

  it('X6 is not refused as long as the node that searches for its memo is behind, where another one settles', async () => {
    const sale = await openRemoteFixture({ settle: { hang: true } });
    sale.faults.lie = { slotsBehind: 2 * EXPIRED_BLOCKS };
    expect((await sale.ask()).outcome).toBe(PENDING);
    expect(sale.moved()[0]).toBe(1);
    sale.chain.advanceBlocks(EXPIRED_BLOCKS);
    const searches = () => sale.chain.calls.filter(({ method }) => method === 'getSignaturesForAddress').length;
    const from = searches();
    await until(() => searches() > from + 4);
    expect((await sale.ask()).outcome).toBe(PENDING);
    sale.faults.reset();
    expect((await sale.decided()).outcome).toBe('200 again');
    expect(sale.moved()).toEqual([1, 1]);
  });

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

it('X6 a payment whose blockhash the sending node does not know is not refused, and is sent again', async () => {
  const sale = await openSale();
  const data = { err: 'BlockhashNotFound' };
  sale.faults.refuse = { sendTransaction: { code: -32_002, message: 'Transaction simulation failed', data } };
  expect((await sale.ask()).outcome).toBe(PENDING);
  expect(sale.moved()).toEqual([0, 1]);
  sale.faults.reset();
  expect((await sale.decided()).outcome).toBe('200 again');
  expect(sale.moved()).toEqual([1, 1]);
});

describe.concurrent('X6 a payment that has not landed', () => {
  it('X6 is refused by the second answer of a node that has reached its expiry, seconds after the first', async () => {
    const sale = await openSale();
    Object.assign(sale.faults, { loseBroadcast: true, dropAfterBroadcast: true });
    expect((await sale.ask()).outcome).toBe(PENDING);
    sale.chain.advanceBlocks(EXPIRED_BLOCKS);
    const expiredAt = performance.now();
    expect((await sale.decided()).outcome).toMatch(REFUSED);
    const seen = lookUps(sale).filter((at) => at > expiredAt);
    expect(seen.length).toBeGreaterThan(1);
    expect((seen.at(-1) ?? 0) - (seen[0] ?? 0)).toBeGreaterThanOrEqual(2_000);
    const sent = () => sale.chain.calls.filter(({ method }) => method === 'sendTransaction').length;
    const before = sent();
    sale.faults.reset();
    // It is looked up again, and never sent again: its payer may have made another payment.
    expect((await sale.ask()).outcome).toMatch(REFUSED);
    expect([sent(), sale.moved()[0]]).toEqual([before, 0]);
    expect((await sale.ask(await sale.renew())).outcome).toBe('200');
    expect(sale.moved()[0]).toBe(1);
  });
});
