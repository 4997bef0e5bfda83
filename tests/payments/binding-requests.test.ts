import { HEADERS } from '@asset-gateway/protocol';
import type { PaymentPayload } from '@x402/core/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import type { Example } from '../signin/examples.ts';
import { answersWith, callOf, leaves, leavesNoTrace, paymentFor, ROOMY, refusedWith, sendPaid } from './calls.ts';
import { openWallet, type Wallet } from './wallets.ts';

let gateway: SellingGateway;
let wallet: Wallet;
beforeAll(async () => {
  gateway = await startSellingGateway(ROOMY);
  wallet = await openWallet(gateway.solana);
});
afterAll(() => gateway.stop());

const MISMATCH = 'no_matching_requirements';

/** Nine rows of mainnet: both providers, all surfaces, three of them at the same price. */
const NINE = [
  'rpc.mainnet.helius.getBalance',
  'rpc.mainnet.helius.getAccountInfo',
  'rpc.mainnet.alchemy.getBalance',
  'rpc.mainnet.alchemy.getTransaction',
  'das.mainnet.helius.getAsset',
  'das.mainnet.alchemy.searchAssets',
  'wallet.mainnet.helius.identity',
  'wallet.mainnet.helius.balances',
  'wallet.mainnet.helius.batchIdentity',
];

/** Buys with this payment, and shows that it had not been used up before. */
async function stillBuys(call: Example, payment: PaymentPayload): Promise<void> {
  const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => sendPaid(gateway, call, payment));
  expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, null]);
  await response.arrayBuffer();
}

/** Shows that a payment made for one request buys none of the others, neither before it has settled nor after. */
async function buysNothingElse(call: Example, others: readonly Example[]): Promise<void> {
  const payment = await paymentFor(gateway, call, wallet);
  await leavesNoTrace(gateway, async () => {
    for (const other of others) await refusedWith(MISMATCH, sendPaid(gateway, other, payment));
  });
  await stillBuys(call, payment);
  await leavesNoTrace(gateway, async () => {
    for (const other of others) {
      await answersWith(409, 'payment_already_used', 'settled', sendPaid(gateway, other, payment));
    }
  });
}

describe('P3 a payment buys nothing on another route', () => {
  it.each(NINE)('when it was made for %s', async (id) => {
    await buysNothingElse(
      callOf(id),
      NINE.filter((other) => other !== id).map((other) => callOf(other)),
    );
  });

  it('of the same provider, method, price and body on the other cluster', async () => {
    const [call, other] = [callOf('rpc.mainnet.helius.getBalance'), callOf('rpc.devnet.helius.getBalance')];
    const payment = await paymentFor(gateway, call, wallet);
    await leavesNoTrace(gateway, () => refusedWith(MISMATCH, sendPaid(gateway, other, payment)));
    await stillBuys(call, payment);
    await leavesNoTrace(gateway, () => refusedWith(MISMATCH, sendPaid(gateway, other, payment)));
  });
});

const post = (body: string): Example => ({
  target: callOf('rpc.mainnet.helius.getBalance').target,
  init: { method: 'POST', body, headers: { 'Content-Type': 'application/json' } },
});
const balances = (query: string): Example => {
  const { target, init } = callOf('wallet.mainnet.helius.balances');
  return { target: `${target}${query}`, init };
};
const A = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
const B = 'So11111111111111111111111111111111111111112';

describe('P3 a payment buys nothing that it was not made for', () => {
  it('another body, be it only in its spaces', async () => {
    await buysNothingElse(post(`{"params":["${A}"]}`), [
      post(`{"params":["${B}"]}`),
      post(`{"params":["${A}",{}]}`),
      post(`{"params": ["${A}"]}`),
      post(`{"params":["${A}"]}\n`),
      post(`{"params":["\\u0038${A.slice(1)}"]}`),
      post(`{"params":["${B}"],"params":["${A}"]}`),
      post(''),
      post('not JSON'),
    ]);
  });

  it('another path parameter', async () => {
    const of = (wallet: string) => callOf('wallet.mainnet.helius.identity', { path: { wallet } });
    await buysNothingElse(of(A), [of(B), of('toly.sol'), of(`${A}1`), of(A.toLowerCase())]);
  });

  it('another query', async () => {
    await buysNothingElse(balances('?page=1&limit=10'), [
      balances(''),
      balances('?page=1'),
      balances('?page=2&limit=10'),
      balances('?page=1&limit=100'),
      balances('?page=10&limit=1'),
      balances('?page=1&limit=10&showNfts=true'),
      balances('?page=1&limit=10&limit=10'),
      balances('?page=1%26limit=10'),
    ]);
  });

  it('a query where there was none', async () => {
    await buysNothingElse(balances(''), [balances('?page=1'), balances('?x')]);
  });
});

describe('P3 the same request is the same', () => {
  it.each([
    ['with its query in another order', balances('?page=1&limit=10'), balances('?limit=10&page=1')],
    ['with an empty query', balances(''), balances('?')],
  ])('%s', async (_, call, other) => {
    const payment = await paymentFor(gateway, call, wallet);
    await stillBuys(other, payment);
    const again = await leavesNoTrace(gateway, () => sendPaid(gateway, call, payment));
    expect([again.status, again.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
    await again.arrayBuffer();
  });

  it('with other headers', async () => {
    const call = post(`{"params":["${A}"]}`);
    const typed = { ...call, init: { ...call.init, headers: { 'Content-Type': 'application/json; charset=utf-8' } } };
    await stillBuys(typed, await paymentFor(gateway, call, wallet));
  });
});
