import { HEADERS, NETWORKS, type PaymentRequired as OwnRequired, type Route, routes } from '@asset-gateway/protocol';
import type { PaymentPayload, PaymentRequired } from '@x402/core/types';
import { expect } from 'vitest';
import { type Example, exampleOf } from '../http/targets.ts';
import { isFull } from '../kit/rounds.ts';
import type { SellingGateway } from '../kit/test-gateway.ts';
import type { Wallet } from './wallets.ts';

/** Rate limits that no test reaches. */
export const ROOMY = {
  RPC_RATE_LIMIT_PER_SECOND: '1000',
  DAS_RATE_LIMIT_PER_SECOND: '1000',
  WALLET_RATE_LIMIT_PER_SECOND: '1000',
};

/** The paid routes. */
export const paidRoutes = routes.filter(({ access }) => access === 'exact');

const channelOf = ({ surface, provider, cluster }: Route): string => [surface, provider, cluster].join();

/** A sample of the paid routes: each method and each channel of a provider once. All with ROUNDS=full. */
export const sampledRoutes = paidRoutes.filter(
  (row, index) =>
    isFull ||
    paidRoutes.findIndex(({ method }) => method === row.method) === index ||
    paidRoutes.findIndex((other) => channelOf(other) === channelOf(row)) === index,
);

export function rowOf(id: string): Route {
  const row = paidRoutes.find((each) => each.id === id);
  if (!row) throw new Error(`no row ${id}`);
  return row;
}

/** A request of a row, with other values than those of its example where they are given. */
export const callOf = (row: Route | string, other: Route['example'] = {}): Example =>
  exampleOf(typeof row === 'string' ? rowOf(row) : row, other);

export const base64 = (content: string | Uint8Array): string => Buffer.from(content).toString('base64');

export const headerOf = (payment: unknown): string => base64(JSON.stringify(payment));

/** The transaction of a payment, in base64. */
export const transactionOf = ({ payload }: PaymentPayload): string => String(payload.transaction);

/** The same payment in the wrapper of version 1. */
export const asVersion1 = (payment: PaymentPayload): unknown => ({
  x402Version: 1,
  scheme: 'exact',
  network: payment.accepted.network === NETWORKS.mainnet ? 'solana' : 'solana-devnet',
  payload: { transaction: transactionOf(payment) },
});

type Headers = Readonly<Record<string, string>>;

/** A gateway that sells. */
type Place = Pick<SellingGateway, 'url'>;

/** Sends a request; `method` is another verb than the row's. */
export const send = (gateway: Place, { target, init }: Example, headers: Headers = {}): Promise<Response> =>
  fetch(`${gateway.url}${target}`, { ...init, headers: { ...init.headers, ...headers } });

/** Sends a request with a payment in the header of version 2. */
export const sendPaid = (gateway: Place, call: Example, payment: unknown): Promise<Response> =>
  send(gateway, call, { [HEADERS.payment]: headerOf(payment) });

/** The challenge for an unpaid request. */
export async function requiredFor(gateway: Place, call: Example): Promise<PaymentRequired & OwnRequired> {
  const response = await send(gateway, call);
  await response.arrayBuffer();
  const header = response.headers.get(HEADERS.paymentRequired);
  if (!header) throw new Error(`no challenge but ${response.status} for ${call.target}`);
  return JSON.parse(Buffer.from(header, 'base64').toString());
}

/** A payment for this request, not sent yet. */
export const paymentFor = async (gateway: Place, call: Example, wallet: Wallet): Promise<PaymentPayload> =>
  wallet.pay(await requiredFor(gateway, call));

/** The body of an answer, with the members that tests look at. */
export interface Body {
  readonly ok: boolean;
  readonly error?: string;
  readonly message?: string;
  readonly result?: unknown;
  readonly priceUsd?: string;
  readonly payment?: { readonly state: string; readonly transaction?: string };
  readonly issues?: readonly { readonly in: string; readonly name: string; readonly rule: string }[];
  readonly accepts?: readonly unknown[];
}

export const bodyOf = async (response: Response): Promise<Body> => (await response.json()) as Body;

/** What a gateway also reads by itself: balances of its fee payer, and what became of covered payments. */
const WATCHED = ['getBalance', 'getLatestBlockhash', 'getSignaturesForAddress', 'getTransaction'];

/** Transfers, upstream calls and RPC calls for requests so far. */
const tracesIn = ({ solana: { mainnet, devnet, provider } }: SellingGateway) => ({
  transfers: mainnet.transfers.length + devnet.transfers.length,
  arrivals: provider.arrivals.length,
  chainCalls: [...mainnet.calls, ...devnet.calls].filter(({ method }) => !WATCHED.includes(method)).length,
});

/** Runs requests, and expects these numbers of transfers, of upstream calls and, if they are given, of RPC calls. */
export async function leaves<T>(
  gateway: SellingGateway,
  traces: { readonly transfers: number; readonly arrivals: number; readonly chainCalls?: number },
  requests: () => Promise<T>,
): Promise<T> {
  const before = tracesIn(gateway);
  const result = await requests();
  const after = tracesIn(gateway);
  const left = (['transfers', 'arrivals', 'chainCalls'] as const).map((name) => [name, after[name] - before[name]]);
  expect(Object.fromEntries(left)).toMatchObject(traces);
  return result;
}

/** Runs requests, and expects no transfer, no upstream call and no RPC call for them. */
export const leavesNoTrace = <T>(gateway: SellingGateway, requests: () => Promise<T>): Promise<T> =>
  leaves(gateway, { transfers: 0, arrivals: 0, chainCalls: 0 }, requests);

/** Buys with this payment, and shows that it had not been used before. */
export async function buys(
  gateway: SellingGateway,
  call: Example,
  payment: unknown,
  headers?: Headers,
): Promise<Response> {
  const paid = headers ?? { [HEADERS.payment]: headerOf(payment) };
  const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => send(gateway, call, paid));
  expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, null]);
  return response;
}

/** Shows that an answer is a 402 for this reason, with a fresh challenge in header and body. */
export async function refusedWith(code: string, answer: Promise<Response>): Promise<void> {
  const response = await answer;
  const { payment, accepts } = await answersWith(402, code, 'refused', answer);
  expect(payment).toEqual({ state: 'refused' });
  const header = response.headers.get(HEADERS.paymentRequired) ?? '';
  const { accepts: offered } = JSON.parse(Buffer.from(header, 'base64').toString()) as PaymentRequired;
  expect(accepts).toEqual(offered);
  expect(offered).toHaveLength(1);
}

/** Shows that an answer is a refusal with this status, code and state of the payment. */
export async function answersWith(
  status: number,
  code: string,
  state: string,
  answer: Promise<Response>,
): Promise<Body> {
  const response = await answer;
  const body = await bodyOf(response);
  expect([response.status, body.ok, body.error, body.payment?.state]).toEqual([status, false, code, state]);
  expect(body.result).toBeUndefined();
  return body;
}
