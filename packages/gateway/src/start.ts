import { Background } from './background.ts';
import { type CloseLater, closeInTime, openTogether } from './closing.ts';
import { compose } from './compose/compose.ts';
import type { Dependencies, Observers } from './compose/dependencies.ts';
import { openState, type State } from './compose/state.ts';
import { longestMs, rowsOf } from './config/apis.ts';
import type { Config } from './config/config.ts';
import { listenFault } from './config/settings.ts';
import { openConsoleFiles } from './console/files.ts';
import { MAX_CONNECTIONS } from './http/connections.ts';
import { HttpServer } from './http/server.ts';
import { trustedProxies } from './ip-address.ts';
import { createLog, inFormat, type Log, type LogDestination, standardOutput } from './log.ts';
import type { ServedMetrics } from './metrics/server.ts';
import { useProxies } from './proxies.ts';
import { createSalesAnswer } from './sales/report.ts';
import { passwordsIn, secretsIn } from './secrets.ts';
import { drainMs } from './times.ts';
import { type Tracing, untraced } from './traces/tracing.ts';
import { version } from './version.ts';

/** A running gateway. */
export interface RunningGateway {
  readonly url: string;
  /** The host and port that it listens on. */
  readonly address: string;
  /** The URL of the metrics, if they are on. */
  readonly metricsUrl?: string;
  readonly log: Log;
  /** Answers the requests that have arrived, then closes everything. */
  stop(): Promise<void>;
}

/** Options of a start besides the configuration. */
export interface StartOptions
  extends Pick<
    Dependencies,
    'windowMs' | 'breaker' | 'refusedKeys' | 'watchEveryMs' | 'onStep' | 'ownRoutes' | 'isPlayMoney'
  > {
  /** Where the log goes; default: standard output. */
  readonly logTo?: LogDestination;
  /** How long `stop` waits for requests in transit on open connections, in milliseconds; default: one second. */
  readonly graceMs?: number;
}

const GRACE_MS = 1_000;

/** Returns the secrets to redact from the log. */
function secretsToRedact({ apis, tokens, paid, redisUrl, databaseUrl, metrics, traces, proxies }: Config): string[] {
  const urls = paid ? [...Object.values(paid.rpcUrls), paid.solanaRpcUrls].flatMap(Object.values<string>) : [];
  const { wallet, facilitator } = paid ?? {};
  const authorization = facilitator?.kind === 'remote' ? facilitator.authorization : undefined;
  const withPasswords = [redisUrl, databaseUrl, proxies?.http, proxies?.https].filter((url) => url !== undefined);
  const ofTraces = traces ? [...Object.values(traces.headers), ...secretsIn(traces.url)] : [];
  const ofApis = apis.flatMap(({ urls: ofApi }) => ofApi.flatMap(({ keys, secrets = keys }) => secrets));
  const single = [wallet?.key, authorization, metrics?.token].filter((secret) => secret !== undefined);
  const passwords = withPasswords.flatMap(passwordsIn);
  return [...(tokens?.keys ?? []), ...ofApis, ...ofTraces, ...single, ...passwords, ...urls.flatMap(secretsIn)];
}

/** Opens the log and writes the configuration's notices. */
function openLog(config: Config, secrets: readonly string[], logTo: LogDestination = standardOutput()): Log {
  const destination = inFormat(config.logFormat, logTo);
  const log = createLog(config.logLevel, [...secrets, ...secretsToRedact(config)], destination);
  for (const each of config.notices) log.notice(each);
  return log;
}

/** Serves metrics if they are configured. */
async function openMetrics(config: Config, state: State, background: Background): Promise<ServedMetrics | undefined> {
  const { metrics: metricsAt, paid, console } = config;
  if (!metricsAt) return undefined;
  const { serveMetrics } = await import('./metrics/server.ts');
  const { money, store } = state;
  const sales = createSalesAnswer({ books: money?.books, solPriceUsd: paid?.solPriceUsd, now: () => store.wallNow() });
  const files = console ? openConsoleFiles() : undefined;
  const { host, port, token } = metricsAt;
  const rows = rowsOf(config.apis);
  const hasTraces = config.traces !== undefined;
  const resources = { token, sales, files, version: version(), rows, hasTraces, background };
  const served = await serveMetrics(host, port, resources).catch((error) => {
    throw listenFault(error, metricsAt, 'METRICS_');
  });
  money?.events.on('written', ({ entries }) => served.metrics.appended(entries));
  money?.events.on('committed', (ms) => served.metrics.committed(ms));
  return served;
}

/** Opens traces if they are configured. Otherwise no OpenTelemetry module is loaded. */
async function openTraces(config: Config): Promise<Tracing> {
  const { traces } = config;
  if (!traces) return untraced;
  const { openTracing } = await import('./traces/open.ts');
  return openTracing(traces, rowsOf(config.apis));
}

/** Passes a gateway's reports to the log and the metrics. */
const observersOf = (log: Log, metrics: ServedMetrics['metrics'] | undefined, tracing: Tracing) =>
  ({
    log: tracing.logging((line) => {
      log.request(line);
      metrics?.finished(line);
    }),
    notice: log.notice,
    onFailure: log.failure,
    onSettlement: (outcome) => metrics?.countSettlement(outcome),
    onSlot: (kind) => metrics?.slotTaken(kind),
  }) satisfies Observers & Pick<Dependencies, 'log'>;

function drainTime(config: Config): number {
  const { free, paid } = longestMs(config);
  return drainMs(free, paid);
}

/** Opens everything and listens. `closeLater` registers each part for closing. */
async function serve(config: Config, { logTo, graceMs = GRACE_MS, ...paces }: StartOptions, closeLater: CloseLater) {
  const background = new Background();
  const tracing = closeLater(await openTraces(config));
  const state = closeLater(await openState(config, tracing, background));
  const served = await openMetrics(config, state, background);
  if (served) closeLater(served);
  const { connect, close: _, ...remembered } = state;
  const { metrics, url: metricsUrl } = served ?? {};
  const log = openLog(config, remembered.secrets, logTo);
  background.listen(log.background);
  await connect(log.notice);
  tracing.connect(log.notice);
  let isStopping = false;
  const shared = { ...remembered, tracing, background, isStopping: () => isStopping };
  const composed = closeLater(await compose(config, { ...shared, ...observersOf(log, metrics, tracing), ...paces }));
  const server = new HttpServer({
    handle: tracing.handling(composed.gateway),
    trustedProxies: trustedProxies(config.trustedProxies),
    maxConnections: MAX_CONNECTIONS,
    graceMs,
    onFailure: log.failure,
    notice: log.notice,
  });
  const port = await server.listen(config.port, config.host).catch((error) => {
    throw listenFault(error, config);
  });
  if (metrics) composed.watch(metrics, log.isLost);
  const host = config.host.includes(':') ? `[${config.host}]` : config.host;
  return {
    url: config.baseUrl ?? `http://${host}:${port}`,
    address: `${host}:${port}`,
    ...(metricsUrl !== undefined && { metricsUrl }),
    log,
    async drain() {
      isStopping = true;
      await server.drain(drainTime(config));
    },
  };
}

/** Starts a gateway in this process. Rejects with a ConfigError for a fault that the operator can fix. */
export async function startGateway(config: Config, options: StartOptions = {}): Promise<RunningGateway> {
  useProxies(config.proxies);
  const { drain, close, ...running } = await openTogether((closeLater) => serve(config, options, closeLater));
  return { ...running, stop: () => drain().finally(() => closeInTime({ close })) };
}
