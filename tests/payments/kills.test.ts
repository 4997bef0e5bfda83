import { afterAll, beforeAll, expect, it } from 'vitest';
import { withBothDatabases } from '../kit/databases.ts';
import { rounds } from '../kit/rounds.ts';
import { compileGateway } from '../process/program.ts';
import { ask, askUntilDecided, newBuyer, newPath, receiptIn, until } from './fault-buyer.ts';
import {
  expectServedOnce,
  type GatewaySeries,
  type Killed,
  killAfter,
  openGatewaySeries,
  type Story,
} from './fault-process.ts';

/** Upstream calls before and after the kill, by the step that the gateway has just taken. */
const CALLS: Readonly<Record<string, Story['calls']>> = {
  reserve: [0, 1],
  verify: [0, 1],
  upstream: [1, 1],
  store: [1, 0],
  settle: [1, 0],
  record: [1, 0],
  respond: [1, 0],
};

withBothDatabases('a gateway that ends during a purchase', (variables) => {
  let series: GatewaySeries;
  beforeAll(async () => {
    await compileGateway();
    series = await openGatewaySeries(variables());
  });
  afterAll(() => series.close());

  it.each(Object.entries(CALLS))(
    'P7 killed after %s: one transfer, one journal entry and one answer when the payment is sent again',
    { timeout: 600_000 },
    async (step, calls) => {
      const killed: Killed[] = [];
      for (let round = 0; round < rounds(20); round++) killed.push(await killAfter(step, series));
      for (const { resend } of killed) {
        const story = await resend();
        expectServedOnce(story);
        expect(story.calls).toEqual(calls);
      }
      await series.expectBooksInOrder();
    },
  );

  it.each([
    ['between upstream and settle: it is served before the gateway ends', true],
    ['and the client leaves as well: the next gateway serves the answer', false],
  ])('P19 SIGTERM %s, one transfer', { timeout: 90_000 }, async (_, isWaiting) => {
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
});
