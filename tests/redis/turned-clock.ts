import { RedisStore } from '../../packages/gateway/src/budget/redis-store.ts';
import { RedisConnection } from '../../packages/gateway/src/stores/redis/connection.ts';

/** Stores of nodes whose scripts take the time from here instead of Redis's own clock. */
export interface TurnedNodes {
  /** Milliseconds since the Unix epoch. */
  now: number;
  open(url: string): Promise<RedisStore>;
  close(): void;
}

export function turnedNodes(): TurnedNodes {
  const closing: (() => void)[] = [];
  const nodes: TurnedNodes = {
    now: Date.parse('2026-11-20T12:00:00Z'),
    async open(url) {
      const connection = await RedisConnection.load(url);
      const store = new RedisStore(connection, () => nodes.now);
      await connection.connect(() => undefined);
      await store.readEpoch();
      closing.push(
        () => store.close(),
        () => connection.close(),
      );
      return store;
    },
    close() {
      for (const close of closing.splice(0)) close();
    },
  };
  return nodes;
}
