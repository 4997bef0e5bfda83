import { HEADERS, USDC } from '@asset-gateway/protocol';
import type { PaymentPayload } from '@x402/core/types';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Call } from '../../packages/gateway/src/call.ts';
import { nodeCrypto } from '../../packages/gateway/src/gates/crypto.ts';
import { Memos } from '../../packages/gateway/src/payments/read/memo.ts';
import { requestHashOf } from '../../packages/gateway/src/payments/read/request-hash.ts';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { CANARY_SECRET } from '../kit/test-gateway.ts';
import {
  callOf,
  leaves,
  leavesNoTrace,
  paymentFor,
  ROOMY,
  refusedWith,
  requiredFor,
  rowOf,
  sendPaid,
} from './calls.ts';
import { openWallet, type Wallet } from './wallets.ts';

const ID = 'rpc.mainnet.helius.getBalance';
const MISMATCH = 'no_matching_requirements';
const VARIABLES = { ...ROOMY, GATEWAY_SECRET: CANARY_SECRET };
const call = callOf(ID);

let gateway: SellingGateway;
let wallet: Wallet;
beforeAll(async () => {
  gateway = await startSellingGateway(VARIABLES);
  wallet = await openWallet(gateway.solana);
});
afterAll(() => gateway.stop());

const requestHash = () =>
  requestHashOf({
    route: rowOf(ID),
    parameters: {},
    query: undefined,
    inbound: { body: Buffer.from(call.init.body ?? '') },
  } as unknown as Call);

interface Quote {
  readonly seconds?: number;
  readonly secret?: string;
  readonly amount?: string;
  readonly hash?: string;
}

/** A payment whose memo was issued so many seconds ago, by this secret, for this price and request. */
async function quoted(quote: Quote): Promise<PaymentPayload> {
  const { seconds = 0, secret = CANARY_SECRET, hash = requestHash() } = quote;
  const required = await requiredFor(gateway, call);
  const [offer] = required.accepts;
  if (!offer) throw new Error('no offer');
  const amount = quote.amount ?? offer.amount;
  const { network, payTo, extra } = offer;
  const requirement = {
    network,
    payTo,
    amount,
    asset: USDC.mainnet,
    destination: '',
    feePayer: String(extra.feePayer),
  };
  const memos = new Memos(nodeCrypto, [secret]);
  const memo = memos.issue(requirement, hash, Date.now() - seconds * 1000);
  const ticket = memos.ticketOf(memo);
  return wallet.pay({ ...required, accepts: [{ ...offer, amount, extra: { ...extra, memo, ticket } }] });
}

const buys = async (payment: PaymentPayload, at = gateway): Promise<void> => {
  const response = await leaves(at, { transfers: 1, arrivals: 1 }, () => sendPaid(at, call, payment));
  expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, null]);
  await response.arrayBuffer();
};

describe('P3 a memo buys nothing', () => {
  it.each([
    ['302 seconds old', { seconds: 302 }],
    ['a day old', { seconds: 86_400 }],
    ['40 seconds ahead', { seconds: -40 }],
    ['of another secret', { secret: 'another secret of 32 characters or more' }],
    ['of another request', { hash: '0'.repeat(64) }],
  ] as const)('that is %s', async (_, quote) => {
    const payment = await quoted(quote);
    await leavesNoTrace(gateway, () => refusedWith(MISMATCH, sendPaid(gateway, call, payment)));
  });

  it('of which any one character is another', async () => {
    const required = await requiredFor(gateway, call);
    const [offer] = required.accepts;
    const memo = String(offer?.extra.memo);
    for (const [index, character] of [...memo].entries()) {
      const other = `${memo.slice(0, index)}${character === 'A' ? 'B' : 'A'}${memo.slice(index + 1)}`;
      const altered = { ...required, accepts: [{ ...offer, extra: { ...offer?.extra, memo: other } }] };
      const payment = await wallet.pay(altered as typeof required);
      await leavesNoTrace(gateway, () => refusedWith(MISMATCH, sendPaid(gateway, call, payment)));
    }
  });
});

describe('a memo buys', () => {
  it.each([
    ['290 seconds old', { seconds: 290 }],
    ['20 seconds ahead', { seconds: -20 }],
    ['of another price that we quoted', { amount: '17' }],
  ] as const)('that is %s', async (_, quote) => {
    await buys(await quoted(quote));
  });
});

describe('a payment is good for more than one gateway', () => {
  it('for another node with the same secret as well, at the price that was quoted', async () => {
    const dearer = await startSellingGateway(
      { ...VARIABLES, PRICE_SURCHARGE_USD_MICROS: '600' },
      { solana: gateway.solana },
    );
    const payment = await paymentFor(gateway, call, wallet);
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
    await buys(await paymentFor(gateway, call, wallet), rotated);
    const fresh = await paymentFor(rotated, call, wallet);
    await leavesNoTrace(gateway, () => refusedWith(MISMATCH, sendPaid(gateway, call, fresh)));
    await buys(fresh, rotated);
    await rotated.stop();
  });
});

describe('PAYMENT_MEMO=off', () => {
  it('asks for no memo, and sells all the same', async () => {
    const plain = await startSellingGateway({ ...VARIABLES, PAYMENT_MEMO: 'off' }, { solana: gateway.solana });
    const required = await requiredFor(plain, call);
    expect(Object.keys(required.accepts[0]?.extra ?? {})).toEqual(['feePayer']);
    const payment = await wallet.pay(required);
    await buys(payment, plain);
    const again = await leavesNoTrace(gateway, () => sendPaid(plain, call, payment));
    expect([again.status, again.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
    await again.arrayBuffer();
    await plain.stop();
  });
});
