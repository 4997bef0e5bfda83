import { NETWORKS } from '@asset-gateway/protocol';
import type { Chain } from '../../packages/sandbox/src/chain/chain.ts';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { type GatewayProcess, startProcess } from '../kit/process.ts';
import { CANARY_PROVIDER_KEY, type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { type Buyer, newBuyer, newPath, ROOMY } from './fault-buyer.ts';

const SCRIPT = 'tests/payments/hostile-facilitator.mjs';

/** What the facilitator does with one kind of call. */
export interface Orders {
  /** Do what was asked for at all. */
  readonly does?: boolean;
  readonly hang?: boolean;
  readonly status?: number | 'reset';
  /** Said instead of the truth. */
  readonly answer?: unknown;
  readonly delayMs?: number;
}

/** One call that the facilitator was asked. */
export interface FacilitatorCall {
  readonly method: string;
  readonly url: string;
  readonly idempotencyKey?: string;
  readonly authorization?: string;
  readonly text: string;
}

/** A gateway with a facilitator in another process, one buyer, and one payment for one request. */
export interface Bazaar {
  readonly gateway: SellingGateway;
  readonly solana: SolanaSandbox;
  readonly chain: Chain;
  readonly buyer: Buyer;
  readonly url: string;
  readonly payment: string;
  readonly facilitatorUrl: string;
  order(orders: { verify?: Orders; settle?: Orders; storeDown?: readonly ('get' | 'set')[] }): Promise<void>;
  calls(): Promise<FacilitatorCall[]>;
  /** Asks the facilitator once more for exactly what the gateway asked it. */
  settleAgain(): Promise<unknown>;
  /** Ends the facilitator as a crash does. */
  crash(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** What the test itself asks the facilitator. */
function deskOf(where: string): Pick<Bazaar, 'order' | 'calls' | 'settleAgain'> {
  const ask = async (path: string, init: RequestInit = {}) => (await fetch(where + path, init)).json();
  const calls = () => ask('/calls') as Promise<FacilitatorCall[]>;
  let asked: string | undefined;
  return {
    calls,
    order: async (orders) => void (await ask('/control', { method: 'POST', body: JSON.stringify(orders) })),
    async settleAgain() {
      asked ??= (await calls()).find((call) => call.url === '/settle')?.text;
      if (asked === undefined) throw new Error('nothing was settled');
      return ask('/settle', { method: 'POST', body: asked });
    },
  };
}

/** Facilitators that nobody uses any more; they end with this process. */
const idle: GatewayProcess[] = [];

/** Starts one; the gateway reads the chain unless told not to. */
export async function openBazaar(variables: Record<string, string> = {}): Promise<Bazaar> {
  const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
  const chain = solana.mainnet;
  const { FEE_PAYER_KEYPAIR } = solana.variables;
  const settings = { feePayerKeypair: FEE_PAYER_KEYPAIR, rpcUrl: chain.url, network: NETWORKS.mainnet };
  let facilitator: GatewayProcess = idle.pop() ?? (await startProcess(SCRIPT, [], {}));
  const { url: where } = facilitator;
  const begin = () => fetch(`${where}/begin`, { method: 'POST', body: JSON.stringify(settings) });
  await begin();
  const remote = { FACILITATOR_URL: where, FACILITATOR_AUTHORIZATION: 'Bearer facilitator', FEE_PAYER_KEYPAIR: '' };
  const gateway = await startSellingGateway({ ...ROOMY, ...remote, ...variables }, { solana: solana });
  const buyer = await newBuyer(chain);
  const url = gateway.url + newPath();
  return {
    ...deskOf(where),
    gateway,
    solana: solana,
    chain,
    buyer,
    url,
    payment: await buyer.pay(url),
    facilitatorUrl: where,
    crash: async () => void (await facilitator.end('SIGKILL')),
    async restart() {
      await facilitator.end('SIGKILL');
      facilitator = await startProcess(SCRIPT, [], { PORT: new URL(where).port });
      await begin();
    },
    async stop() {
      await gateway.stop();
      if (facilitator.child.exitCode === null && facilitator.child.signalCode === null) idle.push(facilitator);
      await solana.close();
    },
  };
}
