import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { PostgresDatabase } from '../../packages/gateway/src/stores/sql/postgres.ts';
import { SqliteDatabase } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { withBothDatabases } from '../kit/databases.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { PENDING, ROOMY, receiptIn } from './fault-buyer.ts';
import { expectStored, newSale } from './sale.ts';

/** The next write that takes a payment to this state fails: it is not written, or it is, as over a connection that is lost. */
function failOnce(state: 'settling' | 'settled', isWritten: boolean): void {
  let isOver = false;
  for (const { prototype } of [SqliteDatabase, PostgresDatabase]) {
    const write = prototype.write;
    vi.spyOn(prototype, 'write').mockImplementation(async function (this: never, step) {
      if (isOver || !step.changes?.some(({ values }) => values?.includes(state))) return write.call(this, step);
      isOver = true;
      if (isWritten) await write.call(this, step);
      throw new Error('ENOSPC: no space left on device');
    });
  }
}

withBothDatabases('a database that fails in the middle of a purchase', (variables) => {
  let gateway: SellingGateway;
  beforeAll(async () => {
    gateway = await startSellingGateway({ ...ROOMY, ...variables() });
  });
  afterEach(() => void vi.restoreAllMocks());
  afterAll(() => gateway.stop());

  it.each([
    ['is written and then fails', true],
    ['fails', false],
  ])('P7 the step after the transfer %s: the answer is served, and served again', async (_, isWritten) => {
    const sale = await newSale(gateway);
    failOnce('settled', isWritten);
    const first = await sale.ask();
    expect(first.outcome).toBe('200');
    expect(receiptIn(first)).toMatchObject({ success: true, transaction: sale.chain.transfers.at(-1)?.signature });
    await expectStored(sale);
    expect((await sale.ask()).text).toBe(first.text);
    expect(gateway.logLines.join('')).toContain('ENOSPC');
  });

  it.each([
    ['fails', false, '503 state_unavailable unused', '200'],
    ['is written and then fails', true, PENDING, '402'],
  ])('P7 the step before the transfer %s: nothing moves, and no byte of the result', async (...row) => {
    const [, isWritten, outcome, later] = row;
    const sale = await newSale(gateway);
    sale.provider.faults.body = '{"canary":"CANARY_result"}';
    failOnce('settling', isWritten);
    const reply = await sale.ask();
    sale.provider.faults.reset();
    expect(reply.outcome).toBe(outcome);
    expect(reply.text).not.toContain('CANARY_result');
    expect(sale.moved()[0]).toBe(0);
    if (isWritten) {
      sale.faults.expireBlockhashes();
      sale.chain.advanceBlocks(300);
    }
    expect((await sale.decided()).outcome.split(' ')[0]).toBe(later);
    expect(sale.moved()[0]).toBe(isWritten ? 0 : 1);
  });

  it('P20 an answer that is lost: fetched anew one at a time and at most 3 times in all, and nothing is paid again', async () => {
    const sale = await newSale(gateway);
    expect((await sale.ask()).outcome).toBe('200');
    vi.spyOn(Payments.prototype, 'answer').mockResolvedValue(undefined);
    const replies = await Promise.all(Array.from({ length: 30 }, () => sale.ask()));
    const statuses = new Set(replies.map(({ status }) => status));
    expect(statuses).toContain(200);
    expect([...statuses].filter((status) => status !== 200 && status !== 409)).toEqual([]);
    for (let more = 0; more < 3; more++) await sale.ask();
    expect((await sale.ask()).outcome).toBe('409 payment_already_used settled');
    expect(sale.moved()).toEqual([1, 3]);
  });
});
