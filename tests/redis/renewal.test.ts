import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { Payments } from '../../packages/gateway/src/payments/payments.ts';
import type { Commit, Committed } from '../../packages/gateway/src/payments/store/port.ts';
import { LEASE_MS, RedisDocuments } from '../../packages/gateway/src/payments/store/redis.ts';
import { WatchedDocuments } from '../../packages/gateway/src/sales/watched-documents.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { newPayment } from '../payments/forge-records.ts';

/** Documents whose next two commits can be disturbed: the first is held up, the second lost. */
class Disturbed extends WatchedDocuments {
  #isDisturbed = false;
  /** Ends the hold, once there is one. */
  letGo: (() => void) | undefined;
  commits = 0;

  disturb(): void {
    this.#isDisturbed = true;
  }

  override async commit(commit: Commit): Promise<Committed> {
    this.commits += 1;
    if (this.letGo && this.#isDisturbed) {
      this.#isDisturbed = false;
      throw new Error('no reply in time');
    }
    if (this.#isDisturbed) await new Promise<void>((resolve) => Object.assign(this, { letGo: resolve }));
    return super.commit(commit);
  }
}

redisSuite('a sign of life of a payment that is given back meanwhile', () => {
  let redis: RedisServer;
  let nowMs: number;
  let closing: (() => void)[];

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  beforeEach(() => {
    nowMs = 1_000_000;
    closing = [];
  });
  afterEach(() => {
    for (const close of closing) close();
  });

  async function openNode(): Promise<{ payments: Payments; documents: Disturbed }> {
    const connection = await RedisConnection.load(redis.url);
    await connection.connect(() => undefined);
    const documents = new Disturbed(new RedisDocuments(connection, { clock: () => nowMs }));
    const payments = new Payments(documents);
    closing.push(
      () => payments.close(),
      () => connection.close(),
    );
    return { payments, documents };
  }

  it('is the last one, though Redis has not heard that it was given back: another node has it after its lease', async () => {
    const [{ payments, documents }, other] = [await openNode(), await openNode()];
    const payment = newPayment();
    expect(await payments.reserve(payment)).toBe('reserved');
    documents.disturb();
    await expect.poll(() => documents.letGo, { timeout: LEASE_MS }).toBeDefined();
    await payments.release(payment.key, payment.owner);
    documents.letGo?.();
    const before = documents.commits;
    await expect
      .poll(() => other.payments.reserve({ ...payment, owner: 'another' }).finally(() => (nowMs += LEASE_MS / 4)), {
        timeout: 2 * LEASE_MS,
        interval: LEASE_MS / 4,
      })
      .toBe('reserved');
    expect(documents.commits).toBe(before);
  });
});
