import { createClient, type GatewayClient } from '@asset-gateway/client';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { type Offer, payWith } from '@asset-gateway/client/pay';
import { HEADERS, NETWORKS } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { exampleOf, rowOf } from '../http/targets.ts';

const FREE = '/v1/x402/tokens/assets/solana';
const [PRICE, BUNDLE] = [5, 15];

const gateway = await startEverything({ CREDIT: 'on', CREDIT_BUNDLE_USD: '0.000015' });

interface Customer {
  readonly client: GatewayClient;
  /** Offers that it approved, in order. */
  readonly offers: Offer[];
  /** How many requests it has sent. */
  readonly sent: () => number;
  readonly transfers: () => number;
}

/** A client with its own wallet that approves every offer. */
async function openClient(credit: boolean): Promise<Customer> {
  const { solana } = gateway;
  if (!solana) throw new Error('nothing is sold');
  const keypair = newKeypair();
  const signer = signerFromBytes(keypair);
  await solana.mainnet.fundUsdc(signer.address, 1000n);
  const offers: Offer[] = [];
  let sent = 0;
  const counting: typeof fetch = (input, init) => {
    sent++;
    return fetch(input, init);
  };
  const approve = (offer: Offer) => void offers.push(offer);
  const pay = payWith({ wallet: keypair, rpcUrl: solana.mainnet.url, approve });
  const client = createClient({ baseUrl: gateway.url, signer, credit, pay, fetch: counting });
  const transfers = () => solana.mainnet.transfers.filter(({ from }) => from === signer.address).length;
  return { client, offers, sent: () => sent, transfers };
}

const call = exampleOf(rowOf('rpc.mainnet.helius.getBalance'));

/** Asks for a balance, expects this number of requests, and returns the Credit header. */
async function asks({ client, sent }: Customer, times: number): Promise<string | null> {
  const before = sent();
  const response = await client.ask(call.target, { body: JSON.parse(call.init.body ?? '') });
  expect([response.status, sent() - before]).toEqual([200, times]);
  await response.arrayBuffer();
  return response.headers.get(HEADERS.credit);
}

describe('a client that spends credit', () => {
  it('buys a bundle, then needs one request for a call, and another bundle when too little is left', async () => {
    const customer = await openClient(true);
    // The first purchase reads the catalog too.
    expect(await asks(customer, 4)).toBe(`balance=${BUNDLE - PRICE}`);
    expect(await asks(customer, 2)).toBe(`charged=${PRICE}, balance=5`);
    expect(await asks(customer, 1)).toBe(`charged=${PRICE}, balance=0`);
    expect(await asks(customer, 2)).toBe(`balance=${BUNDLE - PRICE}`);
    expect(customer.transfers()).toBe(2);
    expect(customer.offers.map(({ amount, network }) => [amount, network])).toEqual([
      [String(BUNDLE), NETWORKS.mainnet],
      [String(BUNDLE), NETWORKS.mainnet],
    ]);
  });

  it('signs in on free routes in between', async () => {
    const customer = await openClient(true);
    for (let round = 0; round < 2; round++) {
      expect((await customer.client.ask(FREE)).status).toBe(200);
      await customer.client.ask(call.target, { body: JSON.parse(call.init.body ?? '') });
    }
    expect(customer.transfers()).toBe(1);
  });
});
