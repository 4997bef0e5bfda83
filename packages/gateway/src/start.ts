import { compose } from './compose/compose.ts';
import { secretsIn } from './compose/lanes.ts';
import { openState, type State } from './compose/state.ts';
import { type Config, ConfigError } from './config/config.ts';
import { trustedProxies } from './http/client-address.ts';
import { createHttpServer } from './http/server.ts';
import { createLog, type Log, type LogDestination } from './log.ts';

/** A gateway that is serving. */
export interface RunningGateway {
  readonly url: string;
  readonly log: Log;
  /** Answers what has arrived, then lets go of everything. */
  stop(): Promise<void>;
}

/** What a start may be given beside the configuration. */
export interface StartOptions {
  /** The span that budgets count in, in milliseconds; a minute unless told. */
  readonly windowMs?: number;
  /** Told at each step of a purchase. */
  readonly onStep?: (step: string) => void;
  /** Where the log goes instead of standard output. */
  readonly logTo?: LogDestination;
}

const MAX_CONNECTIONS = 2_000;
const DRAIN_MS = 55_000;

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
function secretsOf({ tokens, paid, redisUrl }: Config): string[] {
  const urls = paid
    ? [paid.rpcUrls.alchemy, paid.rpcUrls.helius, paid.solanaRpcUrls].flatMap(Object.values<string>)
    : [];
  const { wallet, facilitator } = paid ?? {};
  const authorization = facilitator?.kind === 'remote' ? facilitator.authorization : undefined;
  const redisPassword = redisUrl === undefined ? undefined : decodeURIComponent(new URL(redisUrl).password);
  const own = [tokens?.key, wallet?.key, authorization, redisPassword].filter((secret) => secret !== undefined);
  return [...own, ...urls.flatMap(secretsIn)];
}

async function serve(config: Config, state: State, options: StartOptions): Promise<RunningGateway> {
  const { windowMs, logTo, onStep } = options;
  const { store, payments, secrets } = state;
  const log = createLog(config.logLevel, [...secrets, ...secretsOf(config)], logTo);
  await state.connect(log.notice);
  const { request, notice, failure: onFailure } = log;
  const optional = { ...(windowMs && { windowMs }), ...(onStep && { onStep }) };
  const house = await compose(config, { store, payments, secrets, log: request, notice, onFailure, ...optional });
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
  const state = await openState(config);
  try {
    const running = await serve(config, state, options);
    return { ...running, stop: () => running.stop().then(() => state.close()) };
  } catch (error) {
    await state.close();
    throw error;
  }
}
