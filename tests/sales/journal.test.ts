import { rmSync } from 'node:fs';
import { open } from 'lmdb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EmbeddedDocuments } from '../../packages/gateway/src/payments/store/embedded.ts';
import type { JournalEntry } from '../../packages/gateway/src/payments/store/journal.ts';
import type { Change, PaymentDocuments } from '../../packages/gateway/src/payments/store/port.ts';
import { RedisDocuments } from '../../packages/gateway/src/payments/store/redis.ts';
import { EmbeddedBooks } from '../../packages/gateway/src/sales/embedded-books.ts';
import type { Journal, ReadEntry } from '../../packages/gateway/src/sales/journal.ts';
import { RedisBooks } from '../../packages/gateway/src/sales/redis-books.ts';
import { FreeSpace } from '../../packages/gateway/src/stores/free-space.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';
import { makeFolder } from '../kit/folder.ts';
import { type RedisServer, redisSuite, startRedis } from '../kit/redis.ts';
import { startTcpProxy, type TcpProxy } from '../kit/tcp-proxy.ts';
import { entryOf } from './entries.ts';

const KEEP_MS = 60_000;
const NAME = 'record:one';
const idsOf = (entries: readonly ReadEntry[]): string[] => entries.map(({ id }) => id);

interface Opened {
  readonly documents: PaymentDocuments;
  readonly journal: Journal;
  /** Lets the store's clock pass. */
  pass(ms: number): void;
  close(): Promise<void>;
}

/** Sets a document, whatever it is, and appends these. */
async function append(documents: PaymentDocuments, ...journal: JournalEntry[]): Promise<void> {
  const [was] = await documents.read([NAME]);
  if (!was) throw new Error('the store has left it out');
  const value = { key: 'one', progress: 'settled', serial: Math.random() };
  const { isWritten } = await documents.commit({ changes: [{ was, value, isLasting: true }], journal });
  expect(isWritten).toBe(true);
}

/** A suite that every journal passes. */
function suite(openJournal: () => Promise<Opened>): void {
  let opened: Opened;
  beforeEach(async () => {
    opened = await openJournal();
  });
  afterEach(() => opened.close());

  const all = () => opened.journal.read({ sinceMs: 0 }, 1_000);

  it('keeps every member of an entry, and the time at the store', async () => {
    const entry = entryOf({ id: 'first', isRepair: true });
    const before = Math.floor(opened.documents.now());
    await append(opened.documents, entry);
    const [{ atMs = 0, place = '', ...kept } = {}] = await all();
    expect(kept).toEqual(entry);
    expect(atMs).toBeGreaterThanOrEqual(before);
    expect(atMs).toBeLessThanOrEqual(Math.ceil(opened.documents.now()));
    expect(place).not.toBe('');
  });

  it('gives entries in the order in which they were appended, in parts and from a time on', async () => {
    await append(opened.documents, entryOf({ id: '1' }), entryOf({ id: '2' }));
    await append(opened.documents, entryOf({ id: '3' }));
    opened.pass(1_000);
    const laterMs = opened.documents.now();
    await append(opened.documents, entryOf({ id: '4' }));
    expect(idsOf(await all())).toEqual(['1', '2', '3', '4']);
    const part = await opened.journal.read({ sinceMs: 0 }, 2);
    expect(idsOf(part)).toEqual(['1', '2']);
    expect(idsOf(await opened.journal.read({ after: part[1]?.place ?? '' }, 1_000))).toEqual(['3', '4']);
    expect(idsOf(await opened.journal.read({ sinceMs: laterMs - 500 }, 1_000))).toEqual(['4']);
  });

  it('appends nothing where a document is not as it was read', async () => {
    const [was] = await opened.documents.read([NAME]);
    await append(opened.documents, entryOf({ id: 'first' }));
    const changes = [{ was, value: { key: 'one' }, isLasting: true } as Change];
    const { isWritten } = await opened.documents.commit({ changes, journal: [entryOf({ id: 'late' })] });
    expect([isWritten, idsOf(await all())]).toEqual([false, ['first']]);
  });

  it('of many that were decided by the same document has one', async () => {
    const [was] = await opened.documents.read([NAME]);
    const attempts = Array.from({ length: 50 }, (_, index) => {
      const changes = [{ was, value: { key: 'one', index }, isLasting: true } as Change];
      return opened.documents.commit({ changes, journal: [entryOf({ id: String(index) })] });
    });
    const written = (await Promise.all(attempts)).flatMap(({ isWritten }, index) => (isWritten ? [String(index)] : []));
    expect(idsOf(await all())).toEqual(written);
    expect(written).toHaveLength(1);
  });

  it('lets go, a part at a time, of what is older than it is to be kept', async () => {
    const old = Array.from({ length: 300 }, (_, index) => entryOf({ id: `old ${index}` }));
    for (let first = 0; first < old.length; first += 50)
      await append(opened.documents, ...old.slice(first, first + 50));
    opened.pass(KEEP_MS - 1_000);
    await append(opened.documents, entryOf({ id: 'kept' }));
    expect(await all()).toHaveLength(301);
    opened.pass(31_000);
    for (let round = 0; round < 3; round++) await append(opened.documents, entryOf({ id: `new ${round}` }));
    const left = idsOf(await all());
    expect(left).toEqual(expect.arrayContaining(['kept', 'new 0', 'new 1', 'new 2']));
    // A stream is cut at the end of a block of entries.
    expect(left.length).toBeLessThan(110);
  });
}

describe('the journal in a folder', () => {
  const openFolder = async (space?: FreeSpace) => {
    const folder = makeFolder();
    const root = open({ path: `${folder}/gateway.lmdb`, maxDbs: 20 });
    let passedMs = 0;
    return {
      documents: new EmbeddedDocuments(root, () => Date.now() + passedMs, space ?? new FreeSpace(folder), {
        journalKeepMs: KEEP_MS,
      }),
      journal: new EmbeddedBooks(root),
      pass(ms: number) {
        passedMs += ms;
      },
      async close() {
        await root.close();
        rmSync(folder, { recursive: true, force: true });
      },
    };
  };
  suite(() => openFolder());

  it('has what could not be written, with its document, as soon as anything is written, and once', async () => {
    let bytes = 0;
    const space = new FreeSpace('', undefined, () => bytes);
    const { documents, journal, close } = await openFolder(space);
    await expect(append(documents, entryOf({ id: 'owed' }))).rejects.toThrow('make room');
    bytes = Number.MAX_SAFE_INTEGER;
    const [other] = await documents.read(['record:other']);
    if (!other) throw new Error('the store has left it out');
    const value = { key: 'other', progress: 'settled' };
    await documents.commit({ changes: [{ was: other, value, isLasting: true }], journal: [entryOf({ id: 'other' })] });
    expect(idsOf(await journal.read({ sinceMs: 0 }, 10)).sort()).toEqual(['other', 'owed']);
    await append(documents);
    await append(documents);
    expect(idsOf(await journal.read({ sinceMs: 0 }, 10)).sort()).toEqual(['other', 'owed']);
    await close();
  });
});

redisSuite('the journal on Redis', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis.stop());

  const openRedis = async (port = redis.port) => {
    await redis.command('FLUSHALL');
    const connection = await RedisConnection.load(`redis://127.0.0.1:${port}`);
    await connection.connect(() => undefined);
    let passedMs = 0;
    const clock = () => Date.now() + passedMs;
    const documents = new RedisDocuments(connection, { clock, journalKeepMs: KEEP_MS });
    return {
      documents,
      journal: new RedisBooks(connection, clock),
      pass(ms: number) {
        passedMs += ms;
      },
      async close() {
        documents.close();
        connection.close();
      },
    };
  };
  suite(() => openRedis());

  describe('behind a network that loses replies', () => {
    let proxy: TcpProxy;
    beforeEach(async () => {
      proxy = await startTcpProxy(redis.port);
    });
    afterEach(() => proxy.close());

    it('appends once what is sent twice', async () => {
      const { documents, journal, close } = await openRedis(proxy.port);
      await append(documents, entryOf({ id: 'first' }));
      const [was] = await documents.read([NAME]);
      let lost = 0;
      proxy.meddle = () => {
        lost++;
        proxy.meddle = undefined;
        proxy.cut();
        return undefined;
      };
      const changes = [{ was, value: { key: 'one' }, isLasting: true } as Change];
      const { isWritten } = await documents.commit({ changes, journal: [entryOf({ id: 'second' })] });
      expect([isWritten, lost]).toEqual([true, 1]);
      expect(idsOf(await journal.read({ sinceMs: 0 }, 10))).toEqual(['first', 'second']);
      await close();
    });
  });
});
