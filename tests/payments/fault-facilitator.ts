import { NETWORKS } from '@asset-gateway/protocol';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { type GatewayProcess, startProcess } from '../kit/process.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/selling-gateway.ts';
import { ROOMY } from './fault-buyer.ts';
import { newSale } from './sale.ts';

const SCRIPT = 'tests/payments/hostile-facilitator.mjs';

/** How the facilitator treats one kind of call. */
export interface Orders {
  /** Whether it does the work. */
  readonly does?: boolean;
  readonly hang?: boolean;
  readonly status?: number | 'reset';
  /** Said instead of the truth. */
  readonly answer?: unknown;
  readonly delayMs?: number;
}

/** How the facilitator treats all calls. */
export interface RemoteOrders {
  readonly verify?: Orders;
  readonly settle?: Orders;
}

/** One call that the facilitator was asked. */
interface FacilitatorCall {
  readonly method: string;
  readonly url: string;
  readonly idempotencyKey?: string;
  readonly authorization?: string;
}

const post = async (url: string, body: unknown): Promise<unknown> =>
  (await fetch(url, { method: 'POST', body: JSON.stringify(body) })).json();

const startHost = (): Promise<GatewayProcess> => startProcess(SCRIPT, [], {});
const beginAt = async (host: GatewayProcess, settings: object): Promise<string> =>
  ((await post(host.url, settings)) as { url: string }).url;

/** The process of all facilitators that do not crash; it ends with this one. */
let shared: Promise<GatewayProcess> | undefined;

/** Where a facilitator runs. One that crashes needs its own process. */
export type Home = 'shared process' | 'own process';

/** A facilitator that knows nothing of those before it. */
async function openFacilitator(settings: object, home: Home) {
  const isShared = home === 'shared process';
  if (isShared) shared ??= startHost();
  let host = await (isShared && shared ? shared : startHost());
  const url = await beginAt(host, settings);
  async function crash(): Promise<void> {
    if (isShared) throw new Error('a facilitator that crashes needs its own process');
    await host.end('SIGKILL');
  }
  return {
    url,
    crash,
    close: () => (isShared ? post(`${url}/end`, {}) : crash()),
    async restart() {
      await crash();
      host = await startHost();
      await beginAt(host, { ...settings, port: Number(new URL(url).port) });
    },
  };
}

/** A payment at a gateway with a facilitator in another process. By default the gateway reads the chain. */
export async function openRemoteFixture(variables: Record<string, string> = {}, home: Home = 'shared process') {
  const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
  const { FEE_PAYER_KEYPAIR } = solana.variables;
  const settings = { feePayerKeypair: FEE_PAYER_KEYPAIR, rpcUrl: solana.mainnet.url, network: NETWORKS.mainnet };
  const { close, crash, restart, url } = await openFacilitator(settings, home);
  const remote = { FACILITATOR_URL: url, FACILITATOR_AUTHORIZATION: 'Bearer facilitator', FEE_PAYER_KEYPAIR: '' };
  const gateway = await startSellingGateway({ ...ROOMY, ...remote, ...variables }, { solana });
  return {
    ...(await newSale(gateway)),
    solana,
    facilitatorUrl: url,
    order: async (orders: RemoteOrders) => void (await post(`${url}/control`, orders)),
    calls: async () => (await fetch(`${url}/calls`)).json() as Promise<FacilitatorCall[]>,
    /** Ends a facilitator that has its own process. */
    crash,
    restart,
    async stop() {
      await gateway.stop();
      await close();
      await solana.close();
    },
  };
}
