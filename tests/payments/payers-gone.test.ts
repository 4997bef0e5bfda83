import { wrapFetchWithPayment, x402Client } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { describe, expect, it } from 'vitest';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { stoppedAfterTests } from '../kit/stop-after-tests.ts';
import { ask, askUntilDecided, newBuyer, newPath, ROOMY, readReply, receiptIn, until } from './fault-buyer.ts';

const STEPS = ['reserve', 'verify', 'upstream', 'store', 'settle', 'record'];
/** A client that leaves later may already have received the answer. */
const NOTICED = STEPS.slice(0, 4);

const open = stoppedAfterTests((onStep?: (step: string) => void) =>
  startSellingGateway(ROOMY, onStep ? { onStep } : {}),
);

/** A gateway that has answered a client which left at this step, and the payment that it left with. */
async function left(step: string) {
  const leaving = new AbortController();
  const gateway = await open((name) => name === step && leaving.abort());
  const { mainnet } = gateway.solana;
  const buyer = await newBuyer(mainnet);
  const url = gateway.url + newPath();
  const payment = await buyer.pay(url);
  const { signal } = leaving;
  await ask(url, payment, { signal }).catch(() => undefined);
  await until(() => mainnet.transfers.length === 1);
  return { gateway, mainnet, provider: gateway.solana.provider, buyer, url, payment };
}

describe.concurrent('P18 a client that leaves', () => {
  it.each(STEPS)('P18 after %s: the same payment later gets the stored answer', async (step) => {
    const { mainnet, provider, url, payment } = await left(step);
    const reply = await askUntilDecided(url, payment);
    expect([reply.status, reply.isReplayed]).toEqual([200, true]);
    expect(receiptIn(reply).transaction).toBe(mainnet.transfers[0]?.signature);
    expect([mainnet.transfers.length, provider.arrivals.length]).toEqual([1, 1]);
  });

  it.each(NOTICED)('P18 after %s: a new payment gets the owed answer and moves no money', async (step) => {
    const { mainnet, provider, url, buyer } = await left(step);
    const renewed = await buyer.pay(url);
    const reply = await askUntilDecided(url, renewed);
    expect([reply.status, reply.isReplayed]).toEqual([200, true]);
    expect(receiptIn(reply).transaction).toBe(mainnet.transfers[0]?.signature);
    expect([mainnet.transfers.length, provider.arrivals.length]).toEqual([1, 1]);
    const next = await ask(url, await buyer.pay(url));
    expect([next.status, next.isReplayed]).toEqual([200, false]);
    expect(mainnet.transfers).toHaveLength(2);
  });

  it('P18 an owed answer is not given to another payer', async () => {
    const { mainnet, url, gateway } = await left('store');
    const stranger = await newBuyer(gateway.solana.mainnet);
    const reply = await ask(url, await stranger.pay(url));
    expect([reply.status, reply.isReplayed]).toEqual([200, false]);
    expect(mainnet.transfers.map(({ from }) => from)).toContain(stranger.address);
    expect(mainnet.transfers).toHaveLength(2);
  });
});

describe.concurrent('P6 a stock client', () => {
  it('P6 that gets 503 and calls again is charged once', async () => {
    const gateway = await open();
    const { mainnet } = gateway.solana;
    const { signer } = await newBuyer(mainnet);
    const client = new x402Client().register('solana:*', new ExactSvmScheme(signer, { rpcUrl: mainnet.url }));
    const call = wrapFetchWithPayment(fetch, client);
    const url = gateway.url + newPath();
    mainnet.faults.dropAfterBroadcast = true;
    mainnet.faults.lie = { statusMissing: true };
    for (let round = 0; round < 3; round++) {
      const reply = await readReply(await call(url));
      expect([reply.status, reply.code]).toEqual([503, 'settlement_pending']);
    }
    mainnet.faults.reset();
    const reply = await readReply(await call(url));
    expect([reply.status, reply.isReplayed]).toEqual([200, true]);
    expect(mainnet.transfers).toHaveLength(1);
  });

  it('P6 that gives up on a slow upstream and calls again is charged once', async () => {
    const gateway = await open();
    const { mainnet, provider } = gateway.solana;
    const buyer = await newBuyer(mainnet);
    const url = gateway.url + newPath();
    const payment = await buyer.pay(url);
    provider.faults.delayMs = 1_000;
    const impatient = new AbortController();
    const given = ask(url, payment, { signal: impatient.signal }).catch(() => undefined);
    await until(() => provider.arrivals.length === 1);
    impatient.abort();
    await given;
    const reply = await askUntilDecided(url, await buyer.pay(url));
    expect(reply.status).toBe(200);
    await until(() => mainnet.transfers.length > 0);
    await askUntilDecided(url, payment);
    expect(mainnet.transfers).toHaveLength(1);
  });
});
