import { afterAll, beforeAll, expect, it } from 'vitest';
import { landed, newPayment, openPostgresLedger } from '../kit/ledger.ts';
import { openPostgresDatabase, postgresSuite } from '../kit/postgres.ts';
import { isFull } from '../kit/rounds.ts';
import { startTcpProxy, type TcpProxy } from '../kit/tcp-proxy.ts';

const MIB = 1024 * 1024;

postgresSuite('PostgreSQL behind a network of 20 MB/s', () => {
  let database: Awaited<ReturnType<typeof openPostgresDatabase>>;
  let proxy: TcpProxy;
  beforeAll(async () => {
    database = await openPostgresDatabase();
    proxy = await startTcpProxy(Number(new URL(database.url).port));
    proxy.bytesPerMs = 20_000;
  });
  afterAll(async () => {
    await proxy.close();
    await database.drop();
  });

  // A busy machine passes bytes on more slowly.
  it.skipIf(!isFull)('keeps an answer of 5 MiB before its payment is settled', async () => {
    const url = new URL(database.url);
    url.port = String(proxy.port);
    const { payments, close } = await openPostgresLedger(url.href);
    const payment = newPayment();
    const answer = JSON.stringify('x'.repeat(5 * MIB - 10));
    expect(await payments.reserve(payment)).toBe('reserved');
    expect(await payments.settling(payment.key, payment.owner, { answer })).toBe('settling');
    await payments.resolve(payment.key, landed(payment));
    expect((await payments.answer(payment.key))?.length).toBe(answer.length);
    await close();
  });
});
