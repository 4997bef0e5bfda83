import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { NETWORKS } from '@asset-gateway/protocol';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { SettlementCache, toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import bs58 from 'bs58';
import { type SolanaSandbox, startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/selling-gateway.ts';
import { ROOMY } from './fault-buyer.ts';
import { newSale } from './sale.ts';
// Lets x402's RPC client run in the process of the gateway.
import './wallets.ts';

const CONFIRM_MS = 400;

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
  readonly method: string | undefined;
  readonly url: string;
  readonly idempotencyKey: string;
  readonly authorization: string | undefined;
  readonly text: string;
}

type Operation = 'get' | 'set' | 'delete';

/** x402's scheme, without patience. Its store of unconfirmed payments fails for the operations that are down. */
async function newScheme(feePayerKeypair: string, rpcUrl: string, isDown: (operation: Operation) => boolean) {
  const kept = new Map();
  async function inStore<T>(operation: Operation, task: () => T): Promise<T> {
    if (isDown(operation)) throw new Error('the store is down');
    return task();
  }
  const pendingSettlementStore = {
    get: (key: string) => inStore('get', () => kept.get(key)),
    set: (key: string, value: unknown) => inStore('set', () => void kept.set(key, value)),
    delete: (key: string) => inStore('delete', () => void kept.delete(key)),
  };
  const signer = await createKeyPairSignerFromBytes(bs58.decode(feePayerKeypair));
  const svm = toFacilitatorSvmSigner(signer, { defaultRpcUrl: rpcUrl });
  const inTime = () => pause(CONFIRM_MS).then(() => Promise.reject(new Error('confirmation timed out')));
  const impatient: typeof svm = {
    ...svm,
    confirmTransaction: (...words) => Promise.race([svm.confirmTransaction(...words), inTime()]),
  };
  const scheme = new ExactSvmScheme(impatient, new SettlementCache(), { pendingSettlementStore });
  return { scheme, feePayer: signer.address };
}

/** Does the work and returns its result, unless the orders differ. */
async function respond(response: ServerResponse, orders: Orders | undefined, task: () => Promise<unknown>) {
  const { does = true, hang, status = 200, answer, delayMs = 0 } = orders ?? {};
  const truth = does ? await task() : {};
  await pause(delayMs);
  if (hang) return;
  if (status === 'reset') response.socket?.resetAndDestroy();
  else
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? truth));
}

/** A facilitator on a port of its own. */
async function openFacilitator(solana: SolanaSandbox) {
  const calls: FacilitatorCall[] = [];
  let orders: RemoteOrders = {};
  let server: Server;
  let work: (path: string, body: string) => Promise<unknown>;
  async function start(port = 0): Promise<number> {
    const isDown = (operation: Operation) => orders.storeDown?.some((each) => each === operation) === true;
    const { FEE_PAYER_KEYPAIR = '' } = solana.variables;
    const { scheme, feePayer } = await newScheme(FEE_PAYER_KEYPAIR, solana.mainnet.url, isDown);
    const kinds = [{ x402Version: 2, scheme: 'exact', network: NETWORKS.mainnet, extra: { feePayer } }];
    work = async (path, body) => {
      if (path === '/supported') return { kinds };
      const { paymentPayload, paymentRequirements } = JSON.parse(body);
      const act = path === '/verify' ? 'verify' : 'settle';
      return scheme[act](paymentPayload, paymentRequirements);
    };
    server = createServer((request, response) => {
      serve(request, response).catch(() => response.socket?.destroy());
    });
    await once(server.listen(port, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }
  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '', headers } = request;
    const body = await text(request);
    const { authorization } = headers;
    calls.push({ method, url, idempotencyKey: String(headers['idempotency-key']), authorization, text: body });
    const asked = { '/verify': orders.verify, '/settle': orders.settle }[url];
    await respond(response, asked, () => work(url, body));
  }
  const port = await start();
  const end = async () => void server.close().closeAllConnections();
  return {
    facilitatorUrl: `http://127.0.0.1:${port}`,
    async order(next: RemoteOrders) {
      orders = next;
    },
    calls: async () => [...calls],
    /** Has it settle the gateway's payment again. */
    async settleAgain() {
      const asked = calls.find(({ url }) => url === '/settle');
      if (!asked) throw new Error('nothing was settled');
      return work('/settle', asked.text);
    },
    /** Ends it, with all that it knew. */
    end,
    async restart() {
      await end();
      await start(port);
    },
  };
}

/** A payment at a gateway with a facilitator elsewhere, which settles with x402's own packages. By default the gateway reads the chain. */
export async function openRemoteFixture(variables: Record<string, string> = {}) {
  const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY });
  const facilitator = await openFacilitator(solana);
  const settings = {
    FACILITATOR_URL: facilitator.facilitatorUrl,
    FACILITATOR_AUTHORIZATION: 'Bearer facilitator',
    FEE_PAYER_KEYPAIR: '',
  };
  const gateway = await startSellingGateway({ ...ROOMY, ...settings, ...variables }, { solana });
  return {
    ...(await newSale(gateway)),
    ...facilitator,
    solana,
    async stop() {
      await gateway.stop();
      await facilitator.end();
      await solana.close();
    },
  };
}

export type RemoteFixture = Awaited<ReturnType<typeof openRemoteFixture>>;
