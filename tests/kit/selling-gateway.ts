import { rmSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import {
  type Environment,
  type RunningGateway,
  readConfig,
  type StartOptions,
  startGateway,
} from '@asset-gateway/gateway';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { moneyVariables } from './databases.ts';
import { makeFolder } from './folder.ts';

/** A secret that must never show up in an answer or a log line. */
export const CANARY_PROVIDER_KEY = 'CANARY_0123456789_provider_key';

/** A gateway that sells everything, in this process, on its own sandbox chains. */
export interface SellingGateway {
  readonly url: string;
  readonly port: number;
  readonly solana: SolanaSandbox;
  readonly logLines: string[];
  readonly gateway: RunningGateway;
  stop(): Promise<void>;
}

/** A client in this process hears that its connection was closed in the next turn of the event loop, and drops it in the one after. */
export async function connectionsClosed(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** Options of a gateway besides variables. */
export interface SellingGatewayOptions extends Pick<StartOptions, 'breaker' | 'watchPace' | 'onStep'> {
  readonly dataDir?: string;
  /** A sandbox that outlives the gateway; default: one that starts and stops with it. */
  readonly solana?: SolanaSandbox;
}

/** Starts one on free ports. The asset-data routes are left out. */
export async function startSellingGateway(
  variables: Environment = {},
  options: SellingGatewayOptions = {},
): Promise<SellingGateway> {
  const solana = options.solana ?? (await startSolanaSandbox({ key: CANARY_PROVIDER_KEY }));
  const dataDir = options.dataDir ?? makeFolder();
  const logLines: string[] = [];
  const money = await moneyVariables(dataDir, variables);
  const config = readConfig({ PORT: '0', DATA_DIR: dataDir, ...solana.variables, ...money, ...variables });
  const gateway = await startGateway(config, {
    graceMs: 0,
    logTo: { write: (line) => void logLines.push(line) },
    ...(options.onStep && { onStep: options.onStep }),
    ...(options.breaker && { breaker: options.breaker }),
    ...(options.watchPace && { watchPace: options.watchPace }),
  });
  return {
    url: gateway.url,
    port: Number(new URL(gateway.url).port),
    solana: solana,
    logLines,
    gateway,
    async stop() {
      await gateway.stop();
      await connectionsClosed();
      if (!options.solana) await solana.close();
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
