import { type RunningGateway, readConfig, startGateway } from '@asset-gateway/gateway';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { startTokensApi, type TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { CANARY_PROVIDER_KEY } from '../kit/selling-gateway.ts';
import { CANARY_KEY, CANARY_SECRET, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { ROOMY } from '../payments/fault-buyer.ts';

/** Gateways in this process that share a Redis and a world. */
export interface Fleet {
  readonly upstream: TokensApi;
  /** What is for sale; nothing unless asked for. */
  readonly solana: SolanaSandbox | undefined;
  readonly logLines: string[];
  /** Starts one more, with these variables besides. */
  start(variables?: object): Promise<RunningGateway>;
  close(): Promise<void>;
}

/** What a fleet is opened with. */
export interface FleetOptions {
  readonly redisUrl: string;
  readonly windowMs?: number;
  readonly paid?: boolean;
  readonly onStep?: (step: string) => void;
}

export async function openFleet({ redisUrl, windowMs = 60_000, paid = false, onStep }: FleetOptions): Promise<Fleet> {
  const upstream = await startTokensApi({ key: CANARY_KEY });
  const solana = paid ? await startSolanaSandbox({ key: CANARY_PROVIDER_KEY }) : undefined;
  const logLines: string[] = [];
  const running = new Set<RunningGateway>();
  const common = {
    PORT: '0',
    REDIS_URL: redisUrl,
    GATEWAY_SECRET: CANARY_SECRET,
    TOKENS_API_BASE_URL: upstream.url,
    TOKENS_API_KEY: CANARY_KEY,
    TOKENS_RATE_LIMIT_PER_MINUTE: '100000',
    ...(solana && { ...ROOMY, ...solana.variables }),
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
