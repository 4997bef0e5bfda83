import { accessSync, constants, mkdirSync } from 'node:fs';
import { compose, type Surroundings } from './compose/compose.ts';
import { secretsIn } from './compose/lanes.ts';
import { type Config, ConfigError } from './config/config.ts';
import { trustedProxies } from './http/client-address.ts';
import { createHttpServer } from './http/server.ts';
import { createLog, type Log, type LogDestination } from './log.ts';
import { type ServedMetrics, serveMetrics } from './metrics/server.ts';
import type { LogLine } from './stages/trail.ts';
import { type Embedded, openEmbedded } from './stores/embedded.ts';
import { type FolderLock, lockFolder } from './stores/lock.ts';

/** A gateway that is serving. */
export interface RunningGateway {
  readonly url: string;
  /** Where its metrics are, when they are kept. */
  readonly metricsUrl?: string;
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

/** What to change when nothing can listen there; the variables may have a prefix. */
function listenFault(error: NodeJS.ErrnoException, { host, port }: Place, prefix = ''): Error {
  const name = `${prefix}PORT`;
  if (error.code === 'EADDRINUSE')
    return new ConfigError([`${name}: ${port} on ${host} is in use; stop the other program or set ${name}.`]);
  if (error.code === 'EACCES')
    return new ConfigError([`${name}: ${port} may not be used by this user; set ${name} above 1023.`]);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new ConfigError([`${prefix}HOST: ${host} is no address of this machine.`]);
  }
  return error;
}

interface Place {
  readonly host: string;
  readonly port: number;
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

/** Keeps metrics and gives them out, where they are asked for. */
async function openMetrics({ metrics: place }: Config): Promise<ServedMetrics | undefined> {
  return place && serveMetrics(place).catch((error) => Promise.reject(listenFault(error, place, 'METRICS_')));
}

interface Foundations {
  readonly embedded: Embedded;
  readonly served: ServedMetrics | undefined;
}

async function serve(config: Config, foundations: Foundations, options: StartOptions): Promise<RunningGateway> {
  const { logTo, ...paces } = options;
  const { store, payments, secret } = foundations.embedded;
  const { metrics, url: metricsUrl } = foundations.served ?? {};
  const secrets = config.secrets.length > 0 ? config.secrets : [secret];
  const log = createLog(config.logLevel, [...secrets, ...upstreamSecrets(config)], logTo);
  const { request, notice, failure: onFailure } = log;
  const observe = (line: LogLine) => {
    request(line);
    metrics?.finished(line);
  };
  let stopping = false;
  const observers = { log: observe, notice, onFailure, onSettlement: (outcome: string) => metrics?.settled(outcome) };
  const state = { store, payments, secrets, isStopping: () => stopping };
  const house = await compose(config, { ...state, ...observers, ...paces });
  const server = createHttpServer({
    handle: house.gateway,
    trustedProxies: trustedProxies(config.trustedProxies),
    maxConnections: MAX_CONNECTIONS,
    onFailure,
  });
  const port = await server.listen(config.port, config.host).catch(async (error) => {
    await house.close();
    throw listenFault(error, config);
  });
  metrics?.watch(house.readings);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: config.baseUrl ?? `http://${host}:${port}`,
    ...(metricsUrl !== undefined && { metricsUrl }),
    log,
    async stop() {
      stopping = true;
      await server.drain(DRAIN_MS);
      await house.close();
    },
  };
}

/** Starts a gateway in this process. Rejects with a ConfigError where the operator can change something. */
export async function startGateway(config: Config, options: StartOptions = {}): Promise<RunningGateway> {
  const held: { close(): Promise<void> }[] = [];
  const hold = <T extends { close(): Promise<void> }>(opened: T): T => {
    held.unshift(opened);
    return opened;
  };
  const release = async () => {
    for (const each of held) await each.close();
  };
  try {
    hold(await takeFolder(config.dataDir));
    const embedded = hold(await openEmbedded(config.dataDir));
    const served = await openMetrics(config);
    if (served) hold(served);
    const running = await serve(config, { embedded, served }, options);
    return { ...running, stop: () => running.stop().then(release) };
  } catch (error) {
    await release();
    throw error;
  }
}
