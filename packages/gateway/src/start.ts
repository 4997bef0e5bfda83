import { accessSync, constants, mkdirSync } from 'node:fs';
import { compose, type Surroundings } from './compose/compose.ts';
import { secretsIn } from './compose/lanes.ts';
import { type Config, ConfigError } from './config/config.ts';
import { trustedProxies } from './http/client-address.ts';
import { createHttpServer } from './http/server.ts';
import { createLog, type Log, type LogDestination } from './log.ts';
import { type Embedded, openEmbedded } from './stores/embedded.ts';
import { type FolderLock, lockFolder } from './stores/lock.ts';

/** A gateway that is serving. */
export interface RunningGateway {
  readonly url: string;
  readonly log: Log;
  /** Answers what has arrived, then lets go of everything. */
  stop(): Promise<void>;
}

/** What a start may be given beside the configuration. */
export interface StartOptions extends Pick<Surroundings, 'windowMs' | 'breaker' | 'onStep'> {
  /** Where the log goes instead of standard output. */
  readonly logTo?: LogDestination;
}

const MAX_CONNECTIONS = 2_000;
const DRAIN_MS = 55_000;

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

function listenFault(error: NodeJS.ErrnoException, { host, port }: Config): Error {
  if (error.code === 'EADDRINUSE')
    return new ConfigError([`PORT: ${port} on ${host} is in use; stop the other program or set PORT.`]);
  if (error.code === 'EACCES')
    return new ConfigError([`PORT: ${port} may not be used by this user; set PORT above 1023.`]);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new ConfigError([`HOST: ${host} is no address of this machine.`]);
  }
  return error;
}

/** What must never show up in the log. */
function upstreamSecrets({ tokens, paid }: Config): string[] {
  const urls = paid
    ? [paid.rpcUrls.alchemy, paid.rpcUrls.helius, paid.solanaRpcUrls].flatMap(Object.values<string>)
    : [];
  const { wallet, facilitator } = paid ?? {};
  const authorization = facilitator?.kind === 'remote' ? facilitator.authorization : undefined;
  const own = [tokens?.key, wallet?.key, authorization].filter((secret) => secret !== undefined);
  return [...own, ...urls.flatMap(secretsIn)];
}

async function serve(config: Config, embedded: Embedded, options: StartOptions): Promise<RunningGateway> {
  const { logTo, ...paces } = options;
  const secrets = config.secrets.length > 0 ? config.secrets : [embedded.secret];
  const log = createLog(config.logLevel, [...secrets, ...upstreamSecrets(config)], logTo);
  const { store, payments } = embedded;
  const { request, notice, failure: onFailure } = log;
  const house = await compose(config, { store, payments, secrets, log: request, notice, onFailure, ...paces });
  const server = createHttpServer({
    handle: house.gateway,
    trustedProxies: trustedProxies(config.trustedProxies),
    maxConnections: MAX_CONNECTIONS,
    onFailure: log.failure,
  });
  const port = await server.listen(config.port, config.host).catch(async (error) => {
    await house.close();
    throw listenFault(error, config);
  });
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: config.baseUrl ?? `http://${host}:${port}`,
    log,
    stop: () => server.drain(DRAIN_MS).then(() => house.close()),
  };
}

/** Starts a gateway in this process. Rejects with a ConfigError where the operator can change something. */
export async function startGateway(config: Config, options: StartOptions = {}): Promise<RunningGateway> {
  const lock = await takeFolder(config.dataDir);
  const embedded = await openEmbedded(config.dataDir).catch(async (error) => {
    await lock.close();
    throw error;
  });
  const release = async () => {
    await embedded.close();
    await lock.close();
  };
  try {
    const running = await serve(config, embedded, options);
    return { ...running, stop: () => running.stop().then(release) };
  } catch (error) {
    await release();
    throw error;
  }
}
