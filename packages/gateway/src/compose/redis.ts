import { RedisStore } from '../budget/redis-store.ts';
import { RedisEntries } from '../cache/redis-entries.ts';
import type { OpenShared } from '../cache/shared-entries.ts';
import { ConfigError } from '../config/settings.ts';
import { Accounts } from '../credit/accounts.ts';
import { creditGrants } from '../credit/grants.ts';
import { Payments } from '../payments/payments.ts';
import { RedisDocuments } from '../payments/store/redis.ts';
import { RedisFees } from '../payments/store/redis-fees.ts';
import type { Books } from '../sales/journal.ts';
import { paymentEntries } from '../sales/payment-entries.ts';
import { RedisBooks } from '../sales/redis-books.ts';
import { WatchedDocuments } from '../sales/watched-documents.ts';
import { RedisConnection } from '../stores/redis/connection.ts';

/** State that nodes share in Redis. */
export interface RedisState {
  readonly store: RedisStore;
  readonly documents: WatchedDocuments;
  readonly books: Books;
  readonly payments: Payments;
  readonly accounts: Accounts;
  readonly fees: RedisFees;
  /** What nodes share of answers that are kept. */
  readonly openShared: OpenShared;
  connect(notice: (message: string) => void): Promise<void>;
  close(): Promise<void>;
}

const FORGETS =
  'CREDIT=on needs a Redis that keeps what it holds: set appendonly yes there, or credit that was paid for is lost with it.';
const MAY_FORGET = 'Redis does not say whether it keeps what it holds: with CREDIT=on it needs appendonly yes';
const EVICTS = 'Redis drops keys when its memory is full, and promises with them: set maxmemory-policy to noeviction';

/** What Redis has to keep, beside what can be found out again. */
export interface Promises {
  readonly hasCredit: boolean;
  /** How long entries of the journal are kept, in milliseconds. */
  readonly journalKeepMs?: number;
}

/** Credit that was paid for must not be lost with a restart of Redis. */
async function assertAppendOnly(documents: RedisDocuments, notice: (message: string) => void): Promise<void> {
  const isKept = await documents.isAppendOnly().catch(() => undefined);
  if (isKept === false) throw new ConfigError([FORGETS]);
  if (isKept === undefined) notice(MAY_FORGET);
}

/** Opens it; nothing is asked of Redis before `connect`. */
export async function openRedis(
  url: string,
  { hasCredit, journalKeepMs }: Promises = { hasCredit: false },
): Promise<RedisState> {
  const connection = await RedisConnection.load(url);
  const store = new RedisStore(connection);
  const stored = new RedisDocuments(connection, { journalKeepMs });
  const documents = new WatchedDocuments(stored);
  const accounts = new Accounts(documents);
  const payments = new Payments(documents, [creditGrants(() => documents.now()), paymentEntries]);
  return {
    store,
    documents,
    books: new RedisBooks(connection),
    payments,
    accounts,
    fees: new RedisFees(connection),
    openShared: (options) => new RedisEntries(connection, options),
    async connect(notice) {
      await connection.connect(notice);
      await store.readEpoch();
      if (hasCredit) await assertAppendOnly(stored, notice);
      if (await store.mayEvict().catch(() => false)) notice(EVICTS);
    },
    async close() {
      store.close();
      payments.close();
      connection.close();
    },
  };
}
