import { accessSync, constants, mkdirSync } from 'node:fs';
import type { Store } from '../budget/store.ts';
import type { OpenShared } from '../cache/shared-entries.ts';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import type { Accounts } from '../credit/accounts.ts';
import type { Payments } from '../payments/payments.ts';
import type { FeeStore } from '../payments/store/fees.ts';
import type { Books } from '../sales/journal.ts';
import type { WatchedDocuments } from '../sales/watched-documents.ts';
import { Damage, SlotDamage } from '../stores/damage.ts';
import { type FolderLock, lockFolder } from '../stores/lock.ts';
import { openEmbedded } from './embedded.ts';

/** Everything that the gateway remembers, and where. */
export interface State {
  readonly store: Store;
  /** Everything that is written about money goes through it. */
  readonly documents: WatchedDocuments;
  /** What is read about money. */
  readonly books: Books;
  readonly payments: Payments;
  readonly accounts: Accounts;
  readonly fees: FeeStore;
  /** Where there is a place that nodes share. */
  readonly openShared?: OpenShared;
  /** The first signs, all verify. */
  readonly secrets: readonly string[];
  /** Begins to reach for what is shared, and says when it is lost and found. */
  connect(notice: (message: string) => void): Promise<void>;
  close(): Promise<void>;
}

/** Opens what nodes share where there is such a place, else the folder of this one process. */
export const openState = (config: Config): Promise<State> =>
  config.redisUrl === undefined ? openFolder(config) : openShared(config, config.redisUrl);

/** State in Redis. Nothing is asked of it yet: a gateway starts without it as well. */
async function openShared({ secrets, credit, journalKeepMs }: Config, url: string): Promise<State> {
  const { openRedis } = await import('./redis.ts');
  return { ...(await openRedis(url, { hasCredit: credit !== undefined, journalKeepMs })), secrets };
}

/** State in a folder, which one process at a time may use. */
async function openFolder({ dataDir, secrets, journalKeepMs }: Config): Promise<State> {
  const lock = await takeFolder(dataDir);
  const { secret, close, ...opened } = await openEmbedded(dataDir, { journalKeepMs }).catch(async (error) => {
    await lock.close();
    throw storeFault(error, dataDir);
  });
  return {
    ...opened,
    secrets: secrets.length > 0 ? secrets : [secret],
    connect: async () => undefined,
    close: () => close().finally(() => lock.close()),
  };
}

/** What the operator can do about a store that does not open. */
function storeFault(error: unknown, folder: string): unknown {
  const { message, code } = error as NodeJS.ErrnoException;
  if (error instanceof Damage) {
    return new ConfigError([
      `DATA_DIR: gateway.lmdb in ${folder} is damaged (${message}): restore a backup of it, or move it away and start with an ` +
        'empty one, which loses the secret that was made there, what is known of payments, and answers that are owed.',
    ]);
  }
  if (error instanceof SlotDamage) {
    return new ConfigError([
      `DATA_DIR: slots.jsonl in ${folder} is damaged (${message}): move it away, and start the gateway 75 s after its last call, ` +
        'when no slot of the budget can be held any more.',
    ]);
  }
  if (code === undefined) return error;
  return new ConfigError([`DATA_DIR: a file in ${folder} cannot be opened (${message}).`]);
}

async function takeFolder(folder: string): Promise<FolderLock> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch {
    throw new ConfigError([`DATA_DIR: the folder ${folder} cannot be made or written.`]);
  }
  const locking = await lockFolder(folder).catch(({ code, message }: NodeJS.ErrnoException) => {
    const why = code ?? message;
    throw new ConfigError([
      `DATA_DIR: the folder ${folder} cannot hold a lock (${why}): it needs room, and a local disk.`,
    ]);
  });
  if ('lock' in locking) return locking.lock;
  throw new ConfigError([`DATA_DIR: ${locking.holder} serves from ${folder}; without REDIS_URL only one may.`]);
}
