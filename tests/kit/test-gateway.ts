import { setImmediate } from 'node:timers/promises';
import {
  type Environment,
  type RunningGateway,
  readConfig,
  type StartOptions,
  startGateway,
} from '@asset-gateway/gateway';
import { TIMES } from '../../packages/gateway/src/times.ts';
import {
  faucetOf,
  type SolanaSandbox,
  type SolanaSandboxOptions,
  startSolanaSandbox,
} from '../../packages/sandbox/src/solana-sandbox.ts';
import { startTokensApi, type TokensApi, type TokensApiOptions } from '../../packages/sandbox/src/tokens/api.ts';
import { moneyVariables } from './databases.ts';
import { endsAfterTests } from './ends.ts';
import { makeFolder } from './folder.ts';

/** Secrets that must not appear in an answer or a log line. */
export const CANARY_KEY = 'CANARY_0123456789_upstream_key';
export const CANARY_PROVIDER_KEY = 'CANARY_0123456789_provider_key';
export const CANARY_SECRET = 'CANARY_gateway_secret_0123456789abcdef';

/** Without a breaker, for tests of other parts. */
export const WITHOUT_BREAKER = { breaker: { failures: Number.POSITIVE_INFINITY } } as const;

/** A gateway that sells everything, in this process, on its own sandbox chains. */
export interface SellingGateway {
  readonly url: string;
  readonly port: number;
  /** Its variables. */
  readonly variables: Environment;
  readonly solana: SolanaSandbox;
  readonly logLines: string[];
  readonly gateway: RunningGateway;
  stop(): Promise<void>;
}

/** A gateway that sells and has asset-data routes, against its own sandbox. */
export type PaidGateway = SellingGateway & { readonly upstream: TokensApi };

/** A gateway with asset-data routes, in this process, against its own sandbox upstream. */
export type TestGateway = Omit<PaidGateway, 'solana'> & { readonly solana: SolanaSandbox | undefined };

/** Options of a gateway that sells, besides variables. */
export interface SellingGatewayOptions extends Omit<StartOptions, 'ownRoutes'> {
  /** A folder to start from; default: a new one. */
  readonly dataDir?: string;
  /** Chains that outlive the gateway; default: new ones. */
  readonly solana?: SolanaSandbox;
}

/** Options of a gateway besides variables. */
export interface TestGatewayOptions extends SellingGatewayOptions {
  /** Whether paid routes are on, with new sandbox chains. */
  readonly paid?: boolean;
  /** The clock of its asset data, to get the same answers every time. */
  readonly marketNow?: () => number;
  /** A Tokens API that outlives the gateway; default: a new one. */
  readonly upstream?: TokensApi;
}

/** Starts the sandbox of chains and providers. Ends it after the file's tests. */
export async function startChains(options: Partial<SolanaSandboxOptions> = {}): Promise<SolanaSandbox> {
  const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY, ...options });
  return Object.assign(solana, { close: endsAfterTests(solana.close) });
}

/** Starts the sandbox of the Tokens API. Ends it after the file's tests. */
export async function startUpstream(options: Partial<TokensApiOptions> = {}): Promise<TokensApi> {
  const upstream = await startTokensApi({ key: CANARY_KEY, ...options });
  return Object.assign(upstream, { close: endsAfterTests(upstream.close) });
}

/** Calls cost their list price, because tests about money count in small numbers. Tests of the settlement fee set it. */
export const LIST_PRICES = { SETTLEMENT_FEE_USD_MICROS: '0' } as const;

/** The settlement fee of a gateway without settings. */
export const DEFAULT_PRICES = { SETTLEMENT_FEE_USD_MICROS: '4000' } as const;

/** On a busy machine, an upstream in this process answers late. Tests of these limits set their own. */
const PATIENT = { UPSTREAM_TIMEOUT_MS: '60000', PAID_UPSTREAM_TIMEOUT_MS: String(TIMES.longestUpstreamMs) };

/** Starts a gateway on a free port. */
async function open(
  variables: Environment,
  { dataDir = makeFolder(), ...options }: SellingGatewayOptions & StartOptions,
) {
  const logLines: string[] = [];
  const money = await moneyVariables(dataDir, variables);
  const all = { PORT: '0', DATA_DIR: dataDir, ...PATIENT, ...LIST_PRICES, ...money, ...variables };
  const config = readConfig(all);
  const logTo = { write: (line: string) => void logLines.push(line) };
  const gateway = await startGateway(config, { graceMs: 0, logTo, ...options });
  return { url: gateway.url, port: Number(new URL(gateway.url).port), variables: all, logLines, gateway };
}

/** Stops a gateway and everything that only it uses, once, at the latest after the file's tests. */
const stopOf = (gateway: RunningGateway, ...own: readonly ({ close(): Promise<void> } | undefined)[]) =>
  endsAfterTests(async () => {
    await gateway.stop();
    // A client in this process notices a closed connection in the next turn of the event loop, and drops it in the turn after.
    await setImmediate();
    await setImmediate();
    for (const each of own) await each?.close();
  });

/** Starts a gateway with all paid routes but no asset-data routes. Stops it after the file's tests. */
export async function startSellingGateway(
  variables: Environment = {},
  { solana: given, ...options }: SellingGatewayOptions = {},
): Promise<SellingGateway> {
  const solana = given ?? (await startChains());
  const opened = await open({ ...solana.variables, ...variables }, options);
  return { ...opened, solana, stop: stopOf(opened.gateway, given ? undefined : solana) };
}

/** Starts a gateway with asset-data routes and a large budget. Stops it after the file's tests. */
export function startTestGateway(
  variables: Environment,
  options: TestGatewayOptions & { readonly paid: true },
): Promise<PaidGateway>;
export function startTestGateway(variables?: Environment, options?: TestGatewayOptions): Promise<TestGateway>;
export async function startTestGateway(
  variables: Environment = {},
  { solana: given, paid = false, marketNow: now, upstream: shared, ...options }: TestGatewayOptions = {},
): Promise<TestGateway> {
  const upstream = shared ?? (await startUpstream({ ...(now && { now }) }));
  const own = paid ? await startChains({ ...(now && { marketNow: now }) }) : undefined;
  const solana = given ?? own;
  const usual = {
    GATEWAY_SECRET: CANARY_SECRET,
    TOKENS_API_BASE_URL: upstream.url,
    TOKENS_API_KEY: CANARY_KEY,
    TOKENS_RATE_LIMIT_PER_MINUTE: '100000',
    ...solana?.variables,
  };
  const faucet = solana && { ownRoutes: [faucetOf(solana)] };
  const opened = await open({ ...usual, ...variables }, { ...options, ...faucet });
  return { ...opened, upstream, solana, stop: stopOf(opened.gateway, shared ? undefined : upstream, own) };
}
