import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileGateway } from '../process/program.ts';
import { ask, askUntilDecided, type Buyer, newBuyer, newPath, type Reply } from './fault-buyer.ts';
import { openStreet, type Street } from './fault-process.ts';

/** One payment, and what it was answered; nothing when the gateway went away. */
interface Attempt {
  readonly path: string;
  readonly payment: string;
  readonly reply: Reply | undefined;
}

const REFUSALS = 3;
const BLOCKS = 2_000;

describe('P7 a disk that is full', { timeout: 120_000 }, () => {
  let street: Street;
  let buyer: Buyer;
  beforeAll(async () => {
    await compileGateway();
    street = await openStreet();
    buyer = await newBuyer(street.solana.mainnet);
    street.solana.provider.faults.body = JSON.stringify({ big: 'x'.repeat(50_000) });
  });
  afterAll(() => street.close());

  /** Buys until a few payments were refused, or the gateway is gone. */
  async function buyUntilFull(url: string): Promise<Attempt[]> {
    const attempts: Attempt[] = [];
    const refused = () => attempts.filter(({ reply }) => reply?.status !== 200);
    while (refused().length < REFUSALS && attempts.length < 120) {
      const path = newPath();
      const payment = await buyer.pay(url + path).catch(() => undefined);
      if (payment === undefined) break;
      const reply = await ask(url + path, payment).catch(() => undefined);
      attempts.push({ path, payment, reply });
      if (!reply) break;
    }
    return attempts;
  }

  it('P7 moves money only for what is served, and so does the next gateway, which has room', async () => {
    const { mainnet } = street.solana;
    const full = await street.open(BLOCKS);
    const attempts = await buyUntilFull(full.url);
    await full.end('SIGTERM');
    const served = attempts.filter(({ reply }) => reply?.status === 200);
    const refused = attempts.filter(({ reply }) => reply && reply.status !== 200);
    const cut = attempts.filter(({ reply }) => !reply);
    expect(served.length).toBeGreaterThan(0);
    expect(refused.length + cut.length).toBeGreaterThan(0);
    for (const { reply } of refused) {
      expect([reply?.status, reply?.code]).toEqual([503, 'state_unavailable']);
      expect(reply?.text).toContain('"state":"unused"');
    }
    expect(mainnet.transfers.length - served.length).toBeLessThanOrEqual(cut.length);
    const next = await street.open();
    for (const { path, payment } of [...served, ...cut]) {
      expect((await askUntilDecided(next.url + path, payment)).status).toBe(200);
    }
    expect(mainnet.transfers).toHaveLength(served.length + cut.length);
    for (const { path, payment } of refused) {
      expect((await askUntilDecided(next.url + path, payment)).status).toBe(200);
    }
    expect(mainnet.transfers).toHaveLength(attempts.length);
    await street.expectBooksInOrder();
    await next.end('SIGTERM');
  });
});
