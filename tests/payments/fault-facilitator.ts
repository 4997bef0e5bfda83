import { NETWORKS } from '@asset-gateway/protocol';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { type GatewayProcess, startProcess } from '../kit/process.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/selling-gateway.ts';
import { ROOMY } from './fault-buyer.ts';
import { newSale, type Sale } from './sale.ts';

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
  readonly storeDown?: readonly ('get' | 'set')[];
}

/** One call that the facilitator was asked. */
export interface FacilitatorCall {
  readonly method: string;
  readonly url: string;
  readonly idempotencyKey?: string;
  readonly authorization?: string;
  readonly text: string;
}

/** A payment at a gateway with a facilitator in another process. */
export interface RemoteFixture extends Sale {
  readonly solana: SolanaSandbox;
  readonly facilitatorUrl: string;
  order(orders: RemoteOrders): Promise<void>;
  calls(): Promise<FacilitatorCall[]>;
  /** Sends the gateway's settle call to the facilitator again. */
  settleAgain(): Promise<unknown>;
  /** Ends a facilitator that has its own process. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

const post = async (url: string, body: unknown): Promise<unknown> =>
  (await fetch(url, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) })).json();

/** The facilitator's controls for tests. */
function controlsOf(where: string): Pick<RemoteFixture, 'order' | 'calls' | 'settleAgain'> {
  const calls = async () => (await fetch(`${where}/calls`)).json() as Promise<FacilitatorCall[]>;
  let asked: string | undefined;
  return {
    calls,
    order: async (orders) => void (await post(`${where}/control`, orders)),
    async settleAgain() {
      asked ??= (await calls()).find((call) => call.url === '/settle')?.text;
      if (asked === undefined) throw new Error('nothing was settled');
      return post(`${where}/settle`, asked);
    },
  };
}

/** A facilitator that knows nothing of those before it. */
interface Facilitator extends Pick<RemoteFixture, 'crash' | 'restart'> {
  readonly url: string;
  close(): Promise<void>;
}

const startHost = (): Promise<GatewayProcess> => startProcess(SCRIPT, [], {});
const beginAt = async (host: GatewayProcess, settings: object): Promise<string> =>
  ((await post(host.url, settings)) as { url: string }).url;

/** The process of all facilitators that do not crash; it ends with this one. */
let shared: Promise<GatewayProcess> | undefined;

async function openShared(settings: object): Promise<Facilitator> {
  shared ??= startHost();
  const url = await beginAt(await shared, settings);
  const refuse = () => Promise.reject(new Error('a facilitator that crashes needs its own process'));
  return { url, crash: refuse, restart: refuse, close: async () => void (await post(`${url}/end`, {})) };
}

async function openAlone(settings: object): Promise<Facilitator> {
  let host = await startHost();
  const url = await beginAt(host, settings);
  const crash = async () => void (await host.end('SIGKILL'));
  return {
    url,
    crash,
    close: crash,
    async restart() {
      await crash();
      host = await startHost();
      await beginAt(host, { ...settings, port: Number(new URL(url).port) });
    },
  };
}

/** Where a facilitator runs. One that crashes needs its own process. */
export type Home = 'shared process' | 'own process';

/** Starts one. By default the gateway reads the chain. */
export async function openRemoteFixture(
  variables: Record<string, string> = {},
  home: Home = 'shared process',
): Promise<RemoteFixture> {
  const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
  const { FEE_PAYER_KEYPAIR } = solana.variables;
  const settings = { feePayerKeypair: FEE_PAYER_KEYPAIR, rpcUrl: solana.mainnet.url, network: NETWORKS.mainnet };
  const { close, crash, restart, url: where } = await (home === 'own process' ? openAlone : openShared)(settings);
  const remote = { FACILITATOR_URL: where, FACILITATOR_AUTHORIZATION: 'Bearer facilitator', FEE_PAYER_KEYPAIR: '' };
  const gateway = await startSellingGateway({ ...ROOMY, ...remote, ...variables }, { solana });
  return {
    ...(await newSale(gateway)),
    ...controlsOf(where),
    crash,
    restart,
    solana,
    facilitatorUrl: where,
    async stop() {
      await gateway.stop();
      await close();
      await solana.close();
    },
  };
}
