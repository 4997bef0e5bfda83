import { afterAll, beforeAll, expect, it } from 'vitest';
import { withBothDatabases } from '../kit/databases.ts';
import { compileGateway } from '../process/program.ts';
import { ask, askUntilDecided, type Buyer, newBuyer, newPath, receiptIn, until } from './fault-buyer.ts';
import { type GatewaySeries, openGatewaySeries } from './fault-process.ts';

const LONG = { timeout: 90_000 };

withBothDatabases('P19 SIGTERM during a purchase', (variables) => {
  let series: GatewaySeries;
  let buyer: Buyer;

  beforeAll(async () => {
    await compileGateway();
    series = await openGatewaySeries(variables());
    buyer = await newBuyer(series.solana.mainnet);
  });
  afterAll(() => series.close());

  async function bought(signal?: AbortSignal) {
    const { mainnet, provider } = series.solana;
    const gateway = await series.current();
    const path = newPath();
    const payment = await buyer.pay(gateway.url + path);
    const before = { transfers: mainnet.transfers.length, arrivals: provider.arrivals.length };
    provider.faults.delayMs = 1_500;
    mainnet.faults.confirmAfterMs = 1_000;
    const asked = ask(gateway.url + path, payment, signal ? { signal } : {}).catch(() => undefined);
    await until(() => provider.arrivals.length > before.arrivals);
    return { gateway, path, payment, before, asked };
  }

  it('P19 between upstream and settle: it is served before the gateway ends, one transfer', LONG, async () => {
    const { mainnet, provider } = series.solana;
    const { gateway, path, payment, before, asked } = await bought();
    const ended = gateway.end('SIGTERM');
    const reply = await asked;
    expect([reply?.status, reply?.isReplayed]).toEqual([200, false]);
    expect(await ended).toBe(0);
    mainnet.faults.reset();
    provider.faults.reset();
    const next = await series.current();
    const again = await askUntilDecided(next.url + path, payment);
    expect([again.status, again.isReplayed, again.text]).toEqual([200, true, reply?.text]);
    expect(mainnet.transfers.length - before.transfers).toBe(1);
    expect(provider.arrivals.length - before.arrivals).toBe(1);
    await series.expectBooksInOrder();
  });

  it(
    'P19 and the client leaves as well: the purchase is finished, and the next gateway serves its answer',
    LONG,
    async () => {
      const { mainnet, provider } = series.solana;
      const leaving = new AbortController();
      const { gateway, path, payment, before, asked } = await bought(leaving.signal);
      leaving.abort();
      await asked;
      expect(await gateway.end('SIGTERM')).toBe(0);
      expect(mainnet.transfers.length - before.transfers).toBe(1);
      mainnet.faults.reset();
      provider.faults.reset();
      const next = await series.current();
      const reply = await askUntilDecided(next.url + path, payment);
      expect([reply.status, reply.isReplayed]).toEqual([200, true]);
      expect(receiptIn(reply)).toMatchObject({ success: true });
      expect(mainnet.transfers.length - before.transfers).toBe(1);
      expect(provider.arrivals.length - before.arrivals).toBe(1);
      await series.expectBooksInOrder();
    },
  );
});
