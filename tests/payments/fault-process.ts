import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { type SandboxShop, startSandboxShop } from '../../packages/sandbox/src/shop.ts';
import { makeFolder } from '../kit/folder.ts';
import { type GatewayProcess, startProcess } from '../kit/process.ts';
import { CANARY_PROVIDER_KEY } from '../kit/shop.ts';
import { ROOMY } from './fault-buyer.ts';

const SCRIPT = 'tests/payments/gateway-process.mjs';

/** A world in this process, and gateways on one folder in processes of their own, one after the other. */
export interface Street {
  readonly shop: SandboxShop;
  /** Starts the next gateway, which kills itself after this step, or may write no file beyond so many blocks. */
  open(step?: string, blocks?: number): Promise<GatewayProcess>;
  /** Waits until the gateway has killed itself. */
  fallen(gateway: GatewayProcess): Promise<void>;
  close(): Promise<void>;
}

export async function openStreet(variables: object = {}): Promise<Street> {
  const shop = await startSandboxShop({ key: CANARY_PROVIDER_KEY });
  const folder = makeFolder();
  const running = new Set<GatewayProcess>();
  return {
    shop,
    async open(step = 'none', blocks) {
      const settings = { PORT: '0', DATA_DIR: folder, ...shop.variables, ...ROOMY, ...variables };
      const gateway = await startProcess(SCRIPT, blocks ? [step, String(blocks)] : [step], settings);
      running.add(gateway);
      return gateway;
    },
    async fallen({ child }) {
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    },
    async close() {
      await Promise.all([...running].map((gateway) => gateway.end('SIGTERM')));
      await shop.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
