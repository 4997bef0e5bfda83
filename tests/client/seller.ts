import type { ServerResponse } from 'node:http';
import { type ClientOptions, createClient, type GatewayClient } from '@asset-gateway/client';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { type PayerOptions, payWith } from '@asset-gateway/client/pay';
import { HEADERS } from '@asset-gateway/protocol';
import { expect } from 'vitest';
import { startChain } from '../../packages/sandbox/src/chain/chain.ts';
import { endsAfterTests } from '../kit/ends.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';
import { asking, catalogWith, requirement } from './offers.ts';

export const ACCOUNT = 'So11111111111111111111111111111111111111112';

/** Answers one request. */
export type Reply = (response: ServerResponse) => void;

export const reply =
  (status: number, body: unknown, headers = {}): Reply =>
  (response) =>
    json(response, status, body, headers);

/** The 402 with these requirements. */
export const asks = (...accepts: unknown[]): Reply => reply(402, asking(accepts));

const PAYMENT = HEADERS.payment.toLowerCase();

interface Answers {
  readonly asked?: Reply;
  readonly catalog?: Reply;
  readonly paid?: Reply;
}

type Options = Partial<PayerOptions> & { readonly client?: Partial<ClientOptions> };

/** Starts a gateway whose answers a test writes, and funds the wallet of a client. */
export async function openSeller() {
  const gateway = await startStrangeGateway();
  const chain = await startChain({ cluster: 'mainnet' });
  endsAfterTests(chain.close);
  const keypair = newKeypair();
  const wallet = signerFromBytes(keypair);
  await chain.fundUsdc(wallet.address, 1_000_000n);

  /** A client that pays from the wallet. */
  function open({ client, ...options }: Options = {}): GatewayClient {
    const pay = payWith({ wallet: keypair, rpcUrl: chain.url, ...options });
    return createClient({ baseUrl: gateway.url, signer: wallet, pay, ...client });
  }

  return {
    gateway,
    chain,
    keypair,
    wallet,
    open,
    getBalance: (options: Options = {}) => open(options).rpc.getBalance(ACCOUNT),
    /** The received payments. */
    payments: (): unknown[] => gateway.arrivals.flatMap(({ headers }) => headers[PAYMENT] ?? []),
    /** Answers like a gateway that sells at 5 millionths, except for these answers. */
    answerWith({ asked, catalog, paid }: Answers = {}): void {
      const bought = reply(200, { ok: true, result: { context: { slot: 1 }, value: 7 } });
      gateway.answer(({ path, headers }, response) => {
        if (path.split('?')[0] === '/v1/catalog') return (catalog ?? reply(200, catalogWith('1')))(response);
        if (headers[PAYMENT] !== undefined) return (paid ?? bought)(response);
        return (asked ?? asks(requirement()))(response);
      });
    },
  };
}

/** Expects a call to fail with this code. */
export const fails = (call: PromiseLike<unknown>, code: string, more: object = {}) =>
  expect(Promise.resolve(call)).rejects.toMatchObject({ name: 'GatewayError', code, ...more });
