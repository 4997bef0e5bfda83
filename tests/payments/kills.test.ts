import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import { PostgresDatabase } from '../../packages/gateway/src/stores/sql/postgres.ts';
import { SqliteDatabase } from '../../packages/gateway/src/stores/sql/sqlite.ts';
import { withBothDatabases } from '../kit/databases.ts';
import { isFull, roundsOnEach } from '../kit/rounds.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { ask, askUntilDecided, newBuyer, newPath, PENDING, ROOMY, receiptIn, until } from './fault-buyer.ts';
import {
  expectAnsweredOnce,
  type GatewaySeries,
  type Killed,
  killedAfter,
  newPayer,
  openGatewaySeries,
  tracesOf,
} from './fault-process.ts';
import { expectStored, newSale } from './sale.ts';

/** Upstream calls before and after the kill, by the step that the gateway has just taken. */
const CALLS = {
  reserve: [0, 1],
  verify: [0, 1],
  upstream: [1, 1],
  store: [1, 0],
  settle: [1, 0],
  record: [1, 0],
  respond: [1, 0],
} as const;
type Step = keyof typeof CALLS;
/** The last first: the payments of the first ones are not settled, and expire a minute after they were signed. */
const STEPS = (Object.keys(CALLS) as Step[]).reverse();

const killing: Parameters<typeof withBothDatabases>[1] = (variables, database) => {
  let series: GatewaySeries;
  /** Every other one of these on each database; all with ROUNDS=full. */
  const onTurn = <Item>(items: readonly Item[]): Item[] =>
    items.filter((_, index) => isFull || index % 2 === (database === 'sqlite' ? 0 : 1));
  beforeAll(async () => {
    series = await openGatewaySeries(variables());
  }, 120_000);
  afterAll(() => series.close());

  it.sequential('P7 killed after any step: one transfer and one answer to all copies', {
    timeout: 1_800_000,
  }, async () => {
    for (let round = 0; round < roundsOnEach(20); round++) {
      const all: Killed[] = [];
      // Their reservations lapse together.
      for (const step of onTurn(STEPS)) all.push(await killedAfter(step, series, () => newPayer(series)));
      for (const killed of all.reverse()) {
        const [before, after] = CALLS[killed.step as Step];
        expect([killed.step, tracesOf(series, killed).calls]).toEqual([killed.step, before]);
        await expectAnsweredOnce(series, killed);
        expect([killed.step, tracesOf(series, killed).calls]).toEqual([killed.step, before + after]);
      }
      await series.expectBooksInOrder();
    }
  });

  const ENDINGS: readonly (readonly [string, boolean])[] = [
    ['between upstream and settle: it is served before the gateway ends', true],
    ['and the client leaves as well: the next gateway serves the answer', false],
  ];
  it.sequential.each(onTurn(ENDINGS))('P19 SIGTERM %s, one transfer', { timeout: 90_000 }, async (_, isWaiting) => {
    const { mainnet, provider } = series.solana;
    const gateway = await series.current();
    const path = newPath();
    const payment = await (await newBuyer(mainnet)).pay(gateway.url + path);
    const [transfers, arrivals] = [mainnet.transfers.length, provider.arrivals.length];
    provider.faults.delayMs = 1_500;
    mainnet.faults.confirmAfterMs = 1_000;
    const leaving = new AbortController();
    const asked = ask(gateway.url + path, payment, { signal: leaving.signal }).catch(() => undefined);
    await until(() => provider.arrivals.length > arrivals);
    if (!isWaiting) leaving.abort();
    const [reply, code] = await Promise.all([asked, gateway.end('SIGTERM')]);
    expect([reply?.outcome, code]).toEqual([isWaiting ? '200' : undefined, 0]);
    mainnet.faults.reset();
    provider.faults.reset();
    expect(mainnet.transfers.length - transfers).toBe(1);
    const again = await askUntilDecided((await series.current()).url + path, payment);
    expect([again.outcome, again.text]).toEqual(['200 again', reply?.text ?? again.text]);
    expect(receiptIn(again)).toMatchObject({ success: true });
    expect([mainnet.transfers.length - transfers, provider.arrivals.length - arrivals]).toEqual([1, 1]);
    await series.expectBooksInOrder();
  });
};

// At once, since they wait for leases.
withBothDatabases('a gateway that ends during a purchase', killing, { concurrent: true });

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
