import { rmSync } from 'node:fs';
import { open } from 'lmdb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedDocuments } from '../../packages/gateway/src/payments/store/embedded.ts';
import type { Change, PaymentDocuments, Stored } from '../../packages/gateway/src/payments/store/port.ts';
import { RedisDocuments } from '../../packages/gateway/src/payments/store/redis.ts';
import { FreeSpace } from '../../packages/gateway/src/stores/free-space.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { makeFolder } from '../kit/folder.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';

const [ONE, OTHER] = ['due:one', 'due:other'];

/** A suite that every store of documents passes. */
function suite(openDocuments: () => Promise<{ documents: PaymentDocuments; close(): Promise<void> }>): void {
  let documents: PaymentDocuments;
  let close: () => Promise<void>;
  beforeEach(async () => {
    ({ documents, close } = await openDocuments());
  });
  afterEach(() => close());

  const read = async (...names: string[]): Promise<Stored[]> => [...(await documents.read(names))];
  const valuesOf = async (...names: string[]) => (await read(...names)).map(({ value }) => value);
  const set = (was: Stored | undefined, value: unknown): Change => {
    if (!was) throw new Error('it was not read');
    return { was, value, isLasting: false };
  };

  it('writes all documents where each is as it was read, and says how they are then', async () => {
    const [one, other] = await read(ONE, OTHER);
    const { isWritten, now } = await documents.commit({ changes: [set(one, [1]), set(other, [2])] });
    expect([isWritten, now]).toEqual([true, await read(ONE, OTHER)]);
    expect(await valuesOf(ONE, OTHER)).toEqual([[1], [2]]);
  });

  it('writes nothing where one is not, and says how they are', async () => {
    const [one, other] = await read(ONE, OTHER);
    await documents.commit({ changes: [set(other, ['came before'])] });
    const late = await documents.commit({
      changes: [set(one, [1]), set(other, [2])],
      answer: { key: 'k', text: 'kept' },
    });
    expect([late.isWritten, late.now]).toEqual([false, await read(ONE, OTHER)]);
    expect(await valuesOf(ONE, OTHER)).toEqual([undefined, ['came before']]);
    expect(await documents.answer('k')).toBeUndefined();
  });

  it('writes nothing where one that it was decided by has changed, though that one is to stay as it is', async () => {
    await documents.commit({ changes: (await read(OTHER)).map((was) => set(was, ['read'])) });
    const [one, other] = await read(ONE, OTHER);
    await documents.commit({ changes: [set(other, ['changed'])] });
    expect((await documents.commit({ changes: [set(one, [1]), set(other, other?.value)] })).isWritten).toBe(false);
    const [, again] = await read(ONE, OTHER);
    expect((await documents.commit({ changes: [set(one, [1]), set(again, again?.value)] })).isWritten).toBe(true);
    expect(await valuesOf(ONE, OTHER)).toEqual([[1], ['changed']]);
  });

  it('of many that were decided by the same one lets one be written', async () => {
    const [one] = await read(ONE);
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, index) => documents.commit({ changes: [set(one, [index])] })),
    );
    const [winner, ...others] = all.flatMap(({ isWritten }, index) => (isWritten ? [index] : []));
    expect(others).toEqual([]);
    expect(await valuesOf(ONE)).toEqual([[winner]]);
  });

  it('removes one, which can then be written as if it had never been', async () => {
    const [never] = await read(ONE);
    await documents.commit({ changes: [set(never, [1])] });
    const [there] = await read(ONE);
    await documents.commit({ changes: [set(there, undefined)] });
    expect(await valuesOf(ONE)).toEqual([undefined]);
    expect((await documents.commit({ changes: [set(there, [2])] })).isWritten).toBe(false);
    expect((await documents.commit({ changes: [set(never, [3])] })).isWritten).toBe(true);
  });
}

describe('documents of payments in a folder', () => {
  suite(async () => {
    const folder = makeFolder();
    const root = open({ path: `${folder}/gateway.lmdb`, maxDbs: 20 });
    return {
      documents: new EmbeddedDocuments(root, Date.now, new FreeSpace(folder)),
      async close() {
        await root.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  });
});

redisSuite('documents of payments on Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());
  suite(async () => {
    await redis.command('FLUSHALL');
    const connection = await RedisConnection.load(redis.url);
    await connection.connect(() => undefined);
    const documents = new RedisDocuments(connection);
    return {
      documents,
      async close() {
        documents.close();
        connection.close();
      },
    };
  });
});
