import { recordName } from '../payments/documents.ts';
import type { PaymentRecord } from '../payments/record.ts';
import { isOpen } from '../payments/state.ts';
import type { JournalEntry } from '../payments/store/journal.ts';
import { ALL_OPEN, JOURNAL, READ } from '../payments/store/redis-scripts.ts';
import type { Clock } from '../stores/clock.ts';
import { BACKGROUND_TIMEOUT, type RedisConnection } from '../stores/redis/connection.ts';
import { Keyspace, type Step } from '../stores/redis/keyspace.ts';
import type { Books, From, ReadEntry } from './journal.ts';

const MOST_OPEN = 10_000;
const DOCUMENTS_AT_ONCE = 500;

/** The books of all nodes. */
export class RedisBooks implements Books {
  readonly #space: Keyspace;

  /** `clock` is one instead of Redis's own, for tests that turn it. */
  constructor(connection: RedisConnection, clock?: Clock) {
    this.#space = new Keyspace(connection, 'purchases', clock);
  }

  async read(from: From, limit: number): Promise<readonly ReadEntry[]> {
    const first = 'after' in from ? `(${from.after}` : String(Math.max(0, Math.ceil(from.sinceMs)));
    const flat = await this.#ask({ script: JOURNAL, keys: ['journal'], args: [first, limit] });
    return Array.from({ length: flat.length / 2 }, (_, index) => {
      const [place = '', text = ''] = flat.slice(2 * index, 2 * index + 2);
      return { ...(JSON.parse(text) as JournalEntry), atMs: Number(place.split('-', 1)), place };
    });
  }

  async openPayments(): Promise<readonly PaymentRecord[]> {
    const keys = await this.#ask({ script: ALL_OPEN, keys: ['open'], args: [MOST_OPEN] });
    const records = (await this.documents(keys.map(recordName))) as (PaymentRecord | undefined)[];
    return records.filter(isOpen);
  }

  async documents(names: readonly string[]): Promise<readonly unknown[]> {
    const found: unknown[] = [];
    for (let first = 0; first < names.length; first += DOCUMENTS_AT_ONCE) {
      const flat = await this.#ask({ script: READ, keys: names.slice(first, first + DOCUMENTS_AT_ONCE) });
      const texts = flat.filter((_, index) => index % 2 === 1);
      found.push(...texts.map((text) => (text === '' ? undefined : JSON.parse(text))));
    }
    return found;
  }

  async #ask(step: Step): Promise<string[]> {
    return (await this.#space.run({ ...step, timeout: BACKGROUND_TIMEOUT })) as string[];
  }
}
