import type { ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Environment } from '@asset-gateway/gateway';
import { NETWORKS } from '@asset-gateway/protocol';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { SettlementCache, toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import bs58 from 'bs58';
import { vi } from 'vitest';
import { type Answerer, json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { startChains, startSellingGateway } from '../kit/test-gateway.ts';
import { ROOMY } from './fault-buyer.ts';
import { newSale } from './sale.ts';

/** How the facilitator treats one kind of call. */
interface Orders {
  /** Whether it does the work. */
  readonly does?: boolean;
  readonly hang?: boolean;
  readonly status?: number | 'reset';
  /** Said instead of the truth. */
  readonly answer?: unknown;
}

/** How the facilitator treats all calls. */
export interface RemoteOrders {
  readonly verify?: Orders;
  readonly settle?: Orders;
}

const CONFIRM_MS = 400;

/** x402's own facilitator, with less patience for confirmations. */
async function newScheme(feePayerKeypair: string, defaultRpcUrl: string) {
  const signer = await createKeyPairSignerFromBytes(bs58.decode(feePayerKeypair));
  const svm = toFacilitatorSvmSigner(signer, { defaultRpcUrl });
  const confirmTransaction: typeof svm.confirmTransaction = (...words) => {
    const tooLate = pause(CONFIRM_MS).then(() => Promise.reject(new Error('confirmation timed out')));
    return Promise.race([svm.confirmTransaction(...words), tooLate]);
  };
  return {
    feePayer: signer.address,
    scheme: new ExactSvmScheme({ ...svm, confirmTransaction }, new SettlementCache()),
  };
}

/** Does the work and returns its result, unless the orders differ. */
async function work(response: ServerResponse, orders: Orders = {}, task: () => Promise<object>): Promise<void> {
  const { does = true, hang, status = 200, answer } = orders;
  const truth = does ? await task() : {};
  if (hang) return;
  if (status === 'reset') response.socket?.resetAndDestroy();
  else if (typeof answer === 'string') response.writeHead(status).end(answer);
  else json(response, status, answer ?? truth);
}

/** A payment at a gateway whose facilitator settles with x402's own packages. By default the gateway reads the chain. */
export async function openRemoteFixture(orders: RemoteOrders = {}, variables: Environment = {}) {
  // The official packages print errors that they also return.
  vi.spyOn(console, 'error').mockImplementation(() => {});
  const solana = await startChains();
  const { feePayer, scheme } = await newScheme(solana.variables.FEE_PAYER_KEYPAIR ?? '', solana.mainnet.url);
  const kind = { x402Version: 2, scheme: 'exact', network: NETWORKS.mainnet, extra: { feePayer } };
  const answer: Answerer = ({ path, body }, response) => {
    if (path === '/supported') return json(response, 200, { kinds: [kind], extensions: [], signers: {} });
    const { paymentPayload, paymentRequirements } = JSON.parse(body);
    const name = path === '/verify' ? 'verify' : 'settle';
    const done = work(response, fixture.orders[name], () => scheme[name](paymentPayload, paymentRequirements));
    done.catch(() => response.destroy());
  };
  const facilitator = await startStrangeGateway();
  facilitator.answer(answer);
  const { url } = facilitator;
  const remote = { FACILITATOR_URL: url, FACILITATOR_AUTHORIZATION: 'Bearer facilitator', FEE_PAYER_KEYPAIR: '' };
  const gateway = await startSellingGateway({ ...ROOMY, ...remote, ...variables }, { solana });
  const fixture = {
    ...(await newSale(gateway)),
    solana,
    facilitatorUrl: url,
    orders,
    /** The payments that the facilitator was asked to judge. */
    judged: () => facilitator.arrivals.filter(({ method }) => method === 'POST'),
    crash: facilitator.stop,
  };
  return fixture;
}
