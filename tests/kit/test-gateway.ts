import { rmSync } from 'node:fs';
import {
  type Environment,
  type RunningGateway,
  readConfig,
  type StartOptions,
  startGateway,
} from '@asset-gateway/gateway';
import { faucetOf, type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { startTokensApi, type TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { moneyVariables } from './databases.ts';
import { makeFolder } from './folder.ts';
import { CANARY_PROVIDER_KEY, connectionsClosed } from './selling-gateway.ts';

/** A secret that must never show up in an answer or a log line. */
export const CANARY_KEY = 'CANARY_0123456789_upstream_key';
export const CANARY_SECRET = 'CANARY_gateway_secret_0123456789abcdef';

/** A gateway over HTTP, in this process, against its own sandbox upstream. */
export interface TestGateway {
  readonly url: string;
  readonly port: number;
  readonly upstream: TokensApi;
  readonly solana: SolanaSandbox | undefined;
  readonly logLines: string[];
  readonly gateway: RunningGateway;
  stop(): Promise<void>;
}

/** One that sells. */
export type PaidGateway = TestGateway & { readonly solana: SolanaSandbox };

/** No breaker, for tests of other things. */
export const WITHOUT_BREAKER = { breaker: { failures: Number.POSITIVE_INFINITY } } as const;

/** Options of a gateway besides variables. */
export interface TestGatewayOptions extends Pick<StartOptions, 'windowMs' | 'breaker' | 'refusedKeys'> {
  /** A folder to start from; removed at the end only when it was made here. */
  readonly dataDir?: string;
  /** Stops as in operation; else without waiting for requests that were on their way. */
  readonly isGraceful?: boolean;
  /** Whether paid routes are on, with new sandbox chains. */
  readonly paid?: boolean;
  /** Sells them on these chains, which outlive the gateway. */
  readonly solana?: SolanaSandbox;
  /** The clock of its asset data, for answers that are always the same. */
  readonly marketNow?: () => number;
  /** Takes the log in place of `logLines`. */
  readonly logTo?: StartOptions['logTo'];
}

/** Starts one on free ports, with a large budget by default. */
export function startTestGateway(
  variables: Environment,
  options: TestGatewayOptions & { readonly paid: true },
): Promise<PaidGateway>;
export function startTestGateway(variables?: Environment, options?: TestGatewayOptions): Promise<TestGateway>;
export async function startTestGateway(
  variables: Environment = {},
  options: TestGatewayOptions = {},
): Promise<TestGateway> {
  const upstream = await startTokensApi({ key: CANARY_KEY, ...(options.marketNow && { now: options.marketNow }) });
  const ownSolana = options.paid ? await startSolanaSandbox({ key: CANARY_PROVIDER_KEY }) : undefined;
  const solana = options.solana ?? ownSolana;
  const dataDir = options.dataDir ?? makeFolder();
  const logLines: string[] = [];
  const config = readConfig({
    PORT: '0',
    DATA_DIR: dataDir,
    GATEWAY_SECRET: CANARY_SECRET,
    TOKENS_API_BASE_URL: upstream.url,
    TOKENS_API_KEY: CANARY_KEY,
    TOKENS_RATE_LIMIT_PER_MINUTE: '100000',
    ...solana?.variables,
    ...(await moneyVariables(dataDir, variables)),
    ...variables,
  });
  const gateway = await startGateway(config, {
    ...(!options.isGraceful && { graceMs: 0 }),
    ...(options.windowMs && { windowMs: options.windowMs }),
    ...(solana && { ownRoutes: [faucetOf(solana)] }),
    ...(options.breaker && { breaker: options.breaker }),
    ...(options.refusedKeys && { refusedKeys: options.refusedKeys }),
    logTo: options.logTo ?? { write: (line) => void logLines.push(line) },
  });
  return {
    url: gateway.url,
    port: Number(new URL(gateway.url).port),
    upstream,
    solana: solana,
    logLines,
    gateway,
    async stop() {
      await gateway.stop();
      await connectionsClosed();
      await upstream.close();
      await ownSolana?.close();
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
