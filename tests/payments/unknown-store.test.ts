import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { PostgresDatabase } from '../../packages/gateway/src/stores/sql/postgres.ts';
import { SqliteDatabase } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { withBothDatabases } from '../kit/databases.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, askUntilDecided, newBuyer, newPath, ROOMY, receiptIn } from './fault-buyer.ts';

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
  afterEach(() => {
    vi.restoreAllMocks();
  });
  afterAll(() => gateway.stop());

  it.each([
    ['is written and then fails', true],
    ['fails', false],
  ])('P7 the step after the transfer %s: the answer is served, and served again', async (_, isWritten) => {
    const { mainnet } = gateway.solana;
    const url = gateway.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    const before = mainnet.transfers.length;
    failOnce('settled', isWritten);
    const first = await ask(url, payment);
    expect([first.status, first.isReplayed]).toEqual([200, false]);
    expect(receiptIn(first)).toMatchObject({ success: true, transaction: mainnet.transfers.at(-1)?.signature });
    const again = await askUntilDecided(url, payment);
    expect([again.status, again.isReplayed, again.text]).toEqual([200, true, first.text]);
    expect(mainnet.transfers.length - before).toBe(1);
    expect(gateway.logLines.join('')).toContain('ENOSPC');
  });

  it('P20 an answer that is lost: fetched anew one at a time and at most 3 times in all, and nothing is paid again', async () => {
    const { mainnet, provider } = gateway.solana;
    const url = gateway.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    expect((await ask(url, payment)).status).toBe(200);
    const [paid, asked] = [mainnet.transfers.length, provider.arrivals.length];
    vi.spyOn(Payments.prototype, 'answer').mockResolvedValue(undefined);
    const replies = await Promise.all(Array.from({ length: 30 }, () => ask(url, payment)));
    const statuses = replies.map(({ status, code }) => `${status} ${code}`.trim());
    expect(statuses).toContain('200');
    expect(statuses.filter((each) => each !== '200' && !each.startsWith('409 '))).toEqual([]);
    let last = await ask(url, payment);
    for (let more = 0; more < 3; more++) last = await ask(url, payment);
    expect([last.status, last.code]).toEqual([409, 'payment_already_used']);
    expect(last.text).toContain('"state":"settled"');
    expect(provider.arrivals.length - asked).toBe(2);
    expect(mainnet.transfers).toHaveLength(paid);
  });

  it('P7 the step before the transfer fails: 503, nothing moves, and no byte of the result', async () => {
    const { mainnet, provider } = gateway.solana;
    const url = gateway.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    const before = mainnet.transfers.length;
    provider.faults.body = '{"canary":"CANARY_result"}';
    failOnce('settling', false);
    const reply = await ask(url, payment);
    provider.faults.reset();
    expect([reply.status, reply.code]).toEqual([503, 'state_unavailable']);
    expect(reply.text).toContain('"state":"unused"');
    expect(reply.text).not.toContain('CANARY_result');
    expect(mainnet.transfers).toHaveLength(before);
    const later = await ask(url, payment);
    expect([later.status, later.isReplayed, mainnet.transfers.length - before]).toEqual([200, false, 1]);
  });

  it('P7 the step before the transfer is written and then fails: pending, and nothing moves', async () => {
    const { mainnet, provider } = gateway.solana;
    const url = gateway.url + newPath();
    const payment = await (await newBuyer(mainnet)).pay(url);
    const before = mainnet.transfers.length;
    provider.faults.body = '{"canary":"CANARY_result"}';
    failOnce('settling', true);
    const reply = await ask(url, payment);
    provider.faults.reset();
    expect([reply.status, reply.code]).toEqual([503, 'settlement_pending']);
    expect(reply.text).toContain('"state":"pending"');
    expect(reply.text).not.toContain('CANARY_result');
    mainnet.faults.expireBlockhashes();
    mainnet.advanceBlocks(300);
    const later = await askUntilDecided(url, payment);
    expect([later.status, mainnet.transfers.length - before]).toEqual([402, 0]);
  });
});
