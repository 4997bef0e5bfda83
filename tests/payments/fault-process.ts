import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { makeFolder } from '../kit/folder.ts';
import { type GatewayProcess, startProcess } from '../kit/process.ts';
import { CANARY_PROVIDER_KEY } from '../kit/selling-gateway.ts';
import { ROOMY } from './fault-buyer.ts';

const SCRIPT = 'tests/payments/gateway-process.mjs';

/** A world in this process, and gateways on one folder in processes of their own, one after the other. */
export interface Street {
  readonly solana: SolanaSandbox;
  /** Where the gateways keep what they keep, unless told otherwise. */
  readonly folder: string;
  /** Starts the next gateway, which may write no file beyond so many blocks. */
  open(blocks?: number): Promise<GatewayProcess>;
  /** The gateway that stands; the next one where the last has fallen. */
  standing(): Promise<GatewayProcess>;
  /** Has a gateway kill itself after this step. */
  doom(gateway: GatewayProcess, step: string): Promise<void>;
  /** Waits until the gateway has killed itself. */
  fallen(gateway: GatewayProcess): Promise<void>;
  close(): Promise<void>;
}

export async function openStreet(variables: object = {}): Promise<Street> {
  const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
  const folder = makeFolder();
  const running: GatewayProcess[] = [];
  const isStanding = ({ child }: GatewayProcess) => child.exitCode === null && child.signalCode === null;
  async function open(blocks?: number): Promise<GatewayProcess> {
    const settings = { PORT: '0', DATA_DIR: folder, ...solana.variables, ...ROOMY, ...variables };
    const gateway = await startProcess(SCRIPT, blocks ? [String(blocks)] : [], settings);
    running.push(gateway);
    return gateway;
  }
  return {
    solana,
    folder,
    open,
    standing: async () => running.find(isStanding) ?? open(),
    async doom({ child }, step) {
      const isTold = child.stdout && once(child.stdout, 'data');
      child.stdin?.write(step);
      await isTold;
    },
    async fallen(gateway) {
      if (isStanding(gateway)) await once(gateway.child, 'exit');
    },
    async close() {
      await Promise.all(running.map((gateway) => gateway.end('SIGTERM')));
      await solana.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
