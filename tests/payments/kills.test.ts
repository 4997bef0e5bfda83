import { afterAll, beforeAll, expect, it } from 'vitest';
import { withBothDatabases } from '../kit/databases.ts';
import { isFull, roundsOnEach } from '../kit/rounds.ts';
import { ask, askUntilDecided, newBuyer, newPath, receiptIn, until } from './fault-buyer.ts';
import {
  expectAnsweredOnce,
  type GatewaySeries,
  type Killed,
  killedAfter,
  newPayer,
  openGatewaySeries,
  tracesOf,
} from './fault-process.ts';

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
