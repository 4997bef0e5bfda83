import { HEADERS } from '@asset-gateway/protocol';
import type { PaymentPayload } from '@x402/core/types';
import { afterAll, describe, expect, it } from 'vitest';
import type { Example } from '../http/targets.ts';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { CANARY_SECRET } from '../kit/test-gateway.ts';
import { answersWith, callOf, leaves, leavesNoTrace, paymentFor, ROOMY, refusedWith, sendPaid } from './calls.ts';
import { openWallet } from './wallets.ts';

/** With a secret that other gateways can share. */
const VARIABLES = { ...ROOMY, GATEWAY_SECRET: CANARY_SECRET };

const gateway = await startSellingGateway(VARIABLES);
const wallet = await openWallet(gateway.solana);
afterAll(() => gateway.stop());

const MISMATCH = 'no_matching_requirements';

/** Rows of mainnet: both providers, all surfaces, two with the same price. */
const ROWS = [
  'rpc.mainnet.helius.getBalance',
  'rpc.mainnet.alchemy.getBalance',
  'das.mainnet.helius.getAsset',
  'wallet.mainnet.helius.identity',
  'wallet.mainnet.helius.balances',
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
  it.each(ROWS)('when it was made for %s', async (id) => {
    await buysNothingElse(
      callOf(id),
      ROWS.filter((other) => other !== id).map((other) => callOf(other)),
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
      post(`{"params":["${A}"]}\n`),
      post(`{"params":["\\u0038${A.slice(1)}"]}`),
      post(''),
    ]);
  });

  it('another path parameter', async () => {
    const of = (wallet: string) => callOf('wallet.mainnet.helius.identity', { path: { wallet } });
    await buysNothingElse(of(A), [of(B), of('toly.sol'), of(`${A}1`), of(A.toLowerCase())]);
  });

  it('another query', async () => {
    await buysNothingElse(balances('?page=1&limit=10'), [
      balances(''),
      balances('?page=2&limit=10'),
      balances('?page=10&limit=1'),
      balances('?page=1&limit=10&showNfts=true'),
    ]);
  });

  it('a query where there was none', async () => {
    await buysNothingElse(balances(''), [balances('?page=1'), balances('?x')]);
  });
});

const BALANCE = callOf('rpc.mainnet.helius.getBalance');

const buys = async (payment: PaymentPayload, at = gateway): Promise<void> => {
  const response = await leaves(at, { transfers: 1, arrivals: 1 }, () => sendPaid(at, BALANCE, payment));
  expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, null]);
  await response.arrayBuffer();
};

describe('a payment is good for more than one gateway', () => {
  it('for another node with the same secret as well, at the price that was quoted', async () => {
    const dearer = await startSellingGateway(
      { ...VARIABLES, PRICE_SURCHARGE_USD_MICROS: '600' },
      { solana: gateway.solana },
    );
    const payment = await paymentFor(gateway, BALANCE, wallet);
    await buys(payment, dearer);
    expect(gateway.solana.mainnet.transfers.at(-1)?.amount).toBe(5n);
    await dearer.stop();
  });

  it('for one whose secret was rotated as well, and no payment of that one for the old one', async () => {
    const next = 'the next secret of 32 characters or more';
    const rotated = await startSellingGateway(
      { ...ROOMY, GATEWAY_SECRET: `${next},${CANARY_SECRET}` },
      { solana: gateway.solana },
    );
    await buys(await paymentFor(gateway, BALANCE, wallet), rotated);
    const fresh = await paymentFor(rotated, BALANCE, wallet);
    await leavesNoTrace(gateway, () => refusedWith(MISMATCH, sendPaid(gateway, BALANCE, fresh)));
    await buys(fresh, rotated);
    await rotated.stop();
  });
});
