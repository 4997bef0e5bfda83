import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedBooks } from '../../packages/gateway/src/sales/embedded-books.ts';
import { type Books, entriesFrom, type ReadEntry } from '../../packages/gateway/src/sales/journal.ts';
import { RedisBooks } from '../../packages/gateway/src/sales/redis-books.ts';
import { readDatabase } from '../../packages/gateway/src/stores/database.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { makeFolder } from '../kit/folder.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { isFull, rounds } from '../kit/rounds.ts';
import { openStreet, type Street } from '../payments/fault-process.ts';
import { expectServedOnce, killedAfter } from '../payments/fault-story.ts';
import { compileGateway } from '../process/program.ts';

/** Around the two where money has moved and its entry is written; the others as well with ROUNDS=full. */
const STEPS = isFull ? ['reserve', 'verify', 'upstream', 'store', 'settle', 'record', 'respond'] : ['settle', 'record'];

async function allOf(books: Books): Promise<ReadEntry[]> {
  const all: ReadEntry[] = [];
  for await (const entries of entriesFrom(books, { sinceMs: 0 })) all.push(...entries);
  return all;
}

/** As it is read, beside the gateway that writes it, after each kill. */
async function expectOnePerTransfer(books: Books, { solana }: Street): Promise<void> {
  const entries = await allOf(books);
  const transfers = solana.mainnet.transfers.filter(({ to }) => to === solana.payTo);
  expect(entries.map(({ kind, transaction, wallet, micros }) => [kind, transaction, wallet, micros])).toEqual(
    transfers.map(({ signature, from, amount }) => ['settlement', signature, from, Number(amount)]),
  );
  const sum = entries.reduce((total, { micros }) => total + micros, 0);
  expect(BigInt(sum)).toBe(await solana.mainnet.usdcBalance(solana.payTo));
}

/** A suite that every store passes. */
function suite(open: () => Promise<{ street: Street; books: () => Promise<Books>; close(): Promise<void> }>): void {
  let street: Street;
  let books: () => Promise<Books>;
  let close: () => Promise<void>;
  beforeAll(async () => {
    await compileGateway();
    ({ street, books, close } = await open());
  }, 120_000);
  afterAll(() => close());

  it.each(STEPS)('killed after %s: one transfer, one entry', { timeout: 600_000 }, async (step) => {
    for (let round = 0; round < rounds(20); round++) {
      expectServedOnce(await killedAfter(step, street));
      await expectOnePerTransfer(await books(), street);
    }
  });
}

describe.sequential('a gateway with a folder that is killed around a purchase', () => {
  suite(async () => {
    const folder = makeFolder();
    const street = await openStreet({ DATA_DIR: folder });
    let root: ReturnType<typeof readDatabase> | undefined;
    return {
      street,
      async books() {
        root ??= readDatabase(folder);
        return new EmbeddedBooks(root);
      },
      async close() {
        await street.close();
        await root?.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  });
});

redisSuite('a gateway on Redis that is killed around a purchase', () => {
  let redis: RedisServer;
  suite(async () => {
    redis = await startRedis();
    const street = await openStreet({ REDIS_URL: redis.url, GATEWAY_SECRET: 'a-secret-of-these-nodes-that-is-long' });
    const connection = await RedisConnection.load(redis.url);
    await connection.connect(() => undefined);
    return {
      street,
      books: async () => new RedisBooks(connection),
      async close() {
        await street.close();
        connection.close();
        await redis.stop();
      },
    };
  });
});
