import { accessSync, constants, mkdirSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { ConfigError } from '../config/settings.ts';
import { openEmbedded } from '../stores/embedded.ts';
import type { FeeStore } from '../stores/fees.ts';
import { type FolderLock, lockFolder } from '../stores/lock.ts';
import type { PaymentStore } from '../stores/payments.ts';
import type { Store } from '../stores/ports.ts';

/** Everything that the gateway remembers, and where. */
export interface State {
  readonly store: Store;
  readonly payments: PaymentStore;
  readonly fees: FeeStore;
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
async function openShared({ secrets }: Config, url: string): Promise<State> {
  const { openRedis } = await import('../stores/redis/open.ts');
  return { ...(await openRedis(url)), secrets };
}

/** State in a folder, which one process at a time may use. */
async function openFolder({ dataDir, secrets }: Config): Promise<State> {
  const lock = await takeFolder(dataDir);
  const { store, payments, fees, secret, close } = await openEmbedded(dataDir).catch(async (error) => {
    await lock.close();
    throw error;
  });
  return {
    store,
    payments,
    fees,
    secrets: secrets.length > 0 ? secrets : [secret],
    connect: async () => undefined,
    close: () => close().finally(() => lock.close()),
  };
}

async function takeFolder(folder: string): Promise<FolderLock> {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.W_OK);
  } catch {
    throw new ConfigError([`DATA_DIR: the folder ${folder} cannot be made or written.`]);
  }
  const lock = await lockFolder(folder);
  if (lock) return lock;
  throw new ConfigError([`DATA_DIR: another process serves from ${folder}; without REDIS_URL only one may.`]);
}
