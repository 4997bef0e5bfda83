import { RedisStore } from '../budget/redis-store.ts';
import { RedisEntries } from '../cache/redis-entries.ts';
import type { OpenShared } from '../cache/shared-entries.ts';
import { Payments } from '../payments/payments.ts';
import { RedisDocuments } from '../payments/store/redis.ts';
import { RedisFees } from '../payments/store/redis-fees.ts';
import { RedisConnection } from '../stores/redis/connection.ts';

/** State that nodes share in Redis. */
export interface RedisState {
  readonly store: RedisStore;
  readonly payments: Payments;
  readonly fees: RedisFees;
  /** What nodes share of answers that are kept. */
  readonly openShared: OpenShared;
  connect(notice: (message: string) => void): Promise<void>;
  close(): Promise<void>;
}

const EVICTS = 'Redis drops keys when its memory is full, and promises with them: set maxmemory-policy to noeviction';

/** Opens it; nothing is asked of Redis before `connect`. */
export async function openRedis(url: string): Promise<RedisState> {
  const connection = await RedisConnection.load(url);
  const store = new RedisStore(connection);
  const payments = new Payments(new RedisDocuments(connection));
  return {
    store,
    payments,
    fees: new RedisFees(connection),
    openShared: (options) => new RedisEntries(connection, options),
    async connect(notice) {
      await connection.connect(notice);
      await store.readEpoch();
      if (await store.mayEvict().catch(() => false)) notice(EVICTS);
    },
    async close() {
      store.close();
      payments.close();
      connection.close();
    },
  };
}
