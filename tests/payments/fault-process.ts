import { once } from 'node:events';
import { rmSync } from 'node:fs';
import type { Environment } from '@asset-gateway/gateway';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { expectBooksInOrder } from '../kit/books.ts';
import { moneyOf } from '../kit/databases.ts';
import { makeFolder } from '../kit/folder.ts';
import { type GatewayProcess, startProcess } from '../kit/process.ts';
import { CANARY_PROVIDER_KEY } from '../kit/selling-gateway.ts';
import { ROOMY } from './fault-buyer.ts';

const SCRIPT = 'tests/kit/gateway-process.mjs';

/** A sandbox in this process, and gateways in their own processes, one after the other, with the same money. */
export interface GatewaySeries {
  readonly solana: SolanaSandbox;
  /** DATA_DIR of the gateways. */
  readonly folder: string;
  /** Starts the next gateway. */
  open(): Promise<GatewayProcess>;
  /** The gateway that runs, or a new one if the last has ended. */
  current(): Promise<GatewayProcess>;
  /** Has a gateway kill itself after this step. */
  armKill(gateway: GatewayProcess, step: string): Promise<void>;
  /** Waits until the gateway has killed itself. */
  untilKilled(gateway: GatewayProcess): Promise<void>;
  /** The books of these gateways are in order, with one settlement for each transfer to the payee. */
  expectBooksInOrder(): Promise<void>;
  close(): Promise<void>;
}

export async function openGatewaySeries(variables: Environment = {}): Promise<GatewaySeries> {
  const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
  const folder = makeFolder();
  const running: GatewayProcess[] = [];
  const isRunning = ({ child }: GatewayProcess) => child.exitCode === null && child.signalCode === null;
  async function open(): Promise<GatewayProcess> {
    const settings = { PORT: '0', DATA_DIR: folder, ...solana.variables, ...ROOMY, ...variables };
    const gateway = await startProcess(SCRIPT, [], settings);
    running.push(gateway);
    return gateway;
  }
  return {
    solana,
    folder,
    open,
    current: async () => running.find(isRunning) ?? open(),
    async armKill({ child }, step) {
      const isHeard = child.stdout && once(child.stdout, 'data');
      child.stdin?.write(step);
      await isHeard;
    },
    async untilKilled(gateway) {
      if (isRunning(gateway)) await once(gateway.child, 'exit');
    },
    expectBooksInOrder: () =>
      expectBooksInOrder(
        moneyOf(variables, folder),
        solana.mainnet.transfers.filter(({ to }) => to === solana.payTo),
      ),
    async close() {
      await Promise.all(running.map((gateway) => gateway.end('SIGTERM')));
      await solana.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
