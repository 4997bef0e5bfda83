import { HEADERS, NETWORKS, USDC } from '@asset-gateway/protocol';
import type { PaymentPayload } from '@x402/core/types';
import { describe, expect, it } from 'vitest';
import type { Example } from '../http/targets.ts';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import {
  answersWith,
  asVersion1,
  bodyOf,
  buys,
  callOf,
  leavesNoTrace,
  paymentFor,
  ROOMY,
  refusedWith,
  sendPaid,
} from './calls.ts';
import { openWallet } from './wallets.ts';

const gateway = await stopAfterTests(startSellingGateway(ROOMY));
const wallet = await openWallet(gateway.solana);
const call = callOf('rpc.mainnet.helius.getBalance');
const elsewhere = callOf('rpc.devnet.helius.getBalance');

const MISMATCH = 'no_matching_requirements';
const post = (body: string): Example => ({
  target: call.target,
  init: { method: 'POST', body, headers: { 'Content-Type': 'application/json' } },
});
const balances = (query: string): Example => {
  const { target, init } = callOf('wallet.mainnet.helius.balances');
  return { target: `${target}${query}`, init };
};
const A = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';
const B = 'So11111111111111111111111111111111111111112';
const identity = (wallet: string) => callOf('wallet.mainnet.helius.identity', { path: { wallet } });

/** Requests of mainnet, and others that a payment for each must not buy. */
const OTHERS: readonly (readonly [string, Example, readonly Example[]])[] = [
  [
    'another route',
    call,
    ['rpc.mainnet.alchemy.getBalance', 'das.mainnet.helius.getAsset', 'wallet.mainnet.helius.identity'].map((id) =>
      callOf(id),
    ),
  ],
  [
    'another body, be it only in its spaces',
    post(`{"params":["${A}"]}`),
    [`{"params":["${B}"]}`, `{"params":["${A}"]}\n`, `{"params":["\\u0038${A.slice(1)}"]}`, ''].map(post),
  ],
  ['another path parameter', identity(A), [B, 'toly.sol', A.toLowerCase()].map(identity)],
  [
    'another query',
    balances('?page=1&limit=10'),
    ['', '?page=10&limit=1', '?page=1&limit=10&showNfts=true'].map(balances),
  ],
  ['a query where there was none', balances(''), ['?page=1', '?x'].map(balances)],
];

describe('P3 a payment buys nothing that it was not made for', () => {
  it.each(OTHERS)('P3 %s, neither before it has settled nor after', async (_, call, others) => {
    const payment = await paymentFor(gateway, call, wallet);
    await leavesNoTrace(gateway, async () => {
      for (const other of others) await refusedWith(MISMATCH, sendPaid(gateway, other, payment));
    });
    await buys(gateway, call, payment);
    await leavesNoTrace(gateway, async () => {
      for (const other of others) {
        await answersWith(409, 'payment_already_used', 'settled', sendPaid(gateway, other, payment));
      }
    });
  });
});

type Accepted = Readonly<Record<string, unknown>>;
type Change = (accepted: Accepted) => unknown;
const set =
  (name: string, value: unknown): Change =>
  (accepted) => ({ ...accepted, [name]: value });
const extra =
  (name: string, value: unknown): Change =>
  (accepted) => ({ ...accepted, extra: { ...(accepted.extra as object), [name]: value } });

const CHANGES: readonly (readonly [string, Change])[] = [
  ['a lower amount', set('amount', '1')],
  ['an amount that is a number', set('amount', 5)],
  ['another payee', set('payTo', A)],
  ['another asset', set('asset', USDC.devnet)],
  ['another scheme', set('scheme', 'upto')],
  ['another network', set('network', NETWORKS.devnet)],
  ['a longer time-out', set('maxTimeoutSeconds', 3600)],
  ['another fee payer', extra('feePayer', A)],
  ['another memo', extra('memo', 'A'.repeat(32))],
  ['no memo', extra('memo', undefined)],
  ['a member that was not offered', set('paymentFlow', 'upfront')],
  ['a member named __proto__', (accepted) => JSON.parse(`{"__proto__":{},${JSON.stringify(accepted).slice(1)}`)],
  ...['network', 'amount', 'extra'].map((name) => [`no ${name}`, set(name, undefined)] as const),
  ['extra that is null', set('extra', null)],
  ['extra that is a list', (accepted) => ({ ...accepted, extra: [accepted.extra] })],
  ['a member of version 1', set('maxAmountRequired', '5')],
  ['nothing', () => undefined],
  ['null', () => null],
  ['a list', (accepted) => [accepted]],
  ['an empty object', () => ({})],
];

const withAccepted = (payment: PaymentPayload, change: Change): unknown => ({
  ...payment,
  accepted: change(payment.accepted as unknown as Accepted),
});

describe('P15 a payment with an altered copy of the requirement', () => {
  it('P15 buys nothing before it settles; afterwards it gets the stored answer', async () => {
    const payment = await paymentFor(gateway, call, wallet);
    await leavesNoTrace(gateway, async () => {
      for (const [name, change] of CHANGES) {
        const {
          ok,
          error,
          payment: state,
        } = await bodyOf(await sendPaid(gateway, call, withAccepted(payment, change)));
        expect([name, ok, error, state]).toEqual([name, false, MISMATCH, { state: 'refused' }]);
      }
    });
    await buys(gateway, call, payment);
    await leavesNoTrace(gateway, async () => {
      for (const [name, change] of CHANGES) {
        const response = await sendPaid(gateway, call, withAccepted(payment, change));
        expect([response.status, response.headers.get(HEADERS.replayed)], name).toEqual([200, 'true']);
        await response.arrayBuffer();
      }
    });
  });
});

describe('P16 a payment on one cluster buys nothing on the other', () => {
  it.each([
    ['devnet', elsewhere, call],
    ['mainnet', call, elsewhere],
  ] as const)('made on %s', async (_, made, sent) => {
    const payment = await paymentFor(gateway, made, wallet);
    const { accepted: wanted } = await paymentFor(gateway, sent, wallet);
    const dressed = { ...payment, accepted: wanted };
    const short = wanted.network === NETWORKS.mainnet ? 'solana' : 'solana-devnet';
    await leavesNoTrace(gateway, async () => {
      await refusedWith(MISMATCH, sendPaid(gateway, sent, payment));
      await refusedWith(MISMATCH, sendPaid(gateway, sent, asVersion1(payment)));
      for (const disguised of [dressed, { ...(asVersion1(payment) as object), network: short }]) {
        await refusedWith('invalid_exact_svm_payload_mint_mismatch', sendPaid(gateway, sent, disguised));
      }
    });
    await buys(gateway, made, payment);
  });
});
