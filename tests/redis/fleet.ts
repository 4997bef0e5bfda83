import { type RunningGateway, readConfig, startGateway } from '@asset-gateway/gateway';
import type { SolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { startTokensApi, type TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { CANARY_KEY, CANARY_SECRET, startChains, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { ROOMY } from '../payments/fault-buyer.ts';

/** Gateways in this process that share a Redis, a database and a sandbox. */
export interface Fleet {
  readonly upstream: TokensApi;
  /** The sandbox of paid routes; undefined without a database. */
  readonly solana: SolanaSandbox | undefined;
  readonly logLines: string[];
  /** Starts one more, with these variables as well. */
  start(variables?: object): Promise<RunningGateway>;
  close(): Promise<void>;
}

/** Options of a fleet. */
export interface FleetOptions {
  readonly redisUrl: string;
  /** Where they keep money: without one they sell nothing. */
  readonly databaseUrl?: string;
  readonly windowMs?: number;
  readonly onStep?: (step: string) => void;
}

export async function openFleet({ redisUrl, databaseUrl, windowMs = 60_000, onStep }: FleetOptions): Promise<Fleet> {
  const upstream = await startTokensApi({ key: CANARY_KEY });
  const solana = databaseUrl === undefined ? undefined : await startChains();
  const logLines: string[] = [];
  const running = new Set<RunningGateway>();
  const common = {
    PORT: '0',
    REDIS_URL: redisUrl,
    GATEWAY_SECRET: CANARY_SECRET,
    TOKENS_API_BASE_URL: upstream.url,
    TOKENS_API_KEY: CANARY_KEY,
    TOKENS_RATE_LIMIT_PER_MINUTE: '100000',
    ...(solana && { DATABASE_URL: databaseUrl, ...ROOMY, ...solana.variables }),
  };
  return {
    upstream,
    solana: solana,
    logLines,
    async start(variables = {}) {
      const options = { windowMs, ...WITHOUT_BREAKER, logTo: { write: (line: string) => void logLines.push(line) } };
      const config = readConfig({ ...common, ...variables });
      const gateway = await startGateway(config, { ...options, ...(onStep && { onStep }) });
      running.add(gateway);
      const stop = async () => {
        if (running.delete(gateway)) await gateway.stop();
      };
      return { ...gateway, stop };
    },
    async close() {
      const stopping = [...running].map((gateway) => gateway.stop());
      running.clear();
      await Promise.all(stopping);
      await upstream.close();
      await solana?.close();
    },
  };
}
