import {
  startChains,
  startTestGateway,
  startUpstream,
  type TestGateway,
  WITHOUT_BREAKER,
} from '../kit/test-gateway.ts';
import { ROOMY } from '../payments/fault-buyer.ts';

/** Options of a fleet. */
export interface FleetOptions {
  readonly redisUrl: string;
  /** Where they keep money: without one they sell nothing. */
  readonly databaseUrl?: string;
  readonly windowMs?: number;
  readonly onStep?: (step: string) => void;
}

/** Gateways in this process that share a Redis, a database and a sandbox. */
export type Fleet = Awaited<ReturnType<typeof openFleet>>;

export async function openFleet({ redisUrl, databaseUrl, ...options }: FleetOptions) {
  const upstream = await startUpstream();
  const solana = databaseUrl === undefined ? undefined : await startChains();
  const logLines: string[] = [];
  const shared = { upstream, logTo: { write: (line: string) => void logLines.push(line) }, ...(solana && { solana }) };
  const common = { REDIS_URL: redisUrl, ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl, ...ROOMY }) };
  const nodes: TestGateway[] = [];
  return {
    upstream,
    /** The sandbox of paid routes; undefined without a database. */
    solana,
    logLines,
    /** Starts one more, with these variables as well. */
    async start(variables = {}) {
      const usual = { windowMs: 60_000, graceMs: 1_000, ...WITHOUT_BREAKER };
      const node = await startTestGateway({ ...common, ...variables }, { ...usual, ...options, ...shared });
      nodes.push(node);
      return node;
    },
    async close() {
      await Promise.all(nodes.map((node) => node.stop()));
      await upstream.close();
      await solana?.close();
    },
  };
}
