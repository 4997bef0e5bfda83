import { HEADERS, NETWORKS, USDC } from '@asset-gateway/protocol';
import type { PaymentPayload } from '@x402/core/types';
import { describe, expect, it } from 'vitest';
import type { Example } from '../http/targets.ts';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { CANARY_SECRET } from '../kit/test-gateway.ts';
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

/** With a secret that other gateways can share. */
const VARIABLES = { ...ROOMY, GATEWAY_SECRET: CANARY_SECRET };
const gateway = await stopAfterTests(startSellingGateway(VARIABLES));
const wallet = await openWallet(gateway.solana);
const call = callOf('rpc.mainnet.helius.getBalance');
const elsewhere = callOf('rpc.devnet.helius.getBalance');

const MISMATCH = 'no_matching_requirements';
/** Rows of mainnet: both providers, all surfaces, two with the same price. */
const ROWS = [
  'rpc.mainnet.helius.getBalance',
  'rpc.mainnet.alchemy.getBalance',
  'das.mainnet.helius.getAsset',
  'wallet.mainnet.helius.identity',
  'wallet.mainnet.helius.balances',
];

/** Shows that a payment made for one request buys none of the others, neither before it has settled nor after. */
async function buysNothingElse(call: Example, others: readonly Example[]): Promise<void> {
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
}

describe('P3 a payment buys nothing on another route', () => {
  it.each(ROWS)('when it was made for %s', async (id) => {
    await buysNothingElse(
      callOf(id),
      ROWS.filter((other) => other !== id).map((other) => callOf(other)),
    );
  });

  it('of the same provider, method, price and body on the other cluster', async () => {
    const payment = await paymentFor(gateway, call, wallet);
    await leavesNoTrace(gateway, () => refusedWith(MISMATCH, sendPaid(gateway, elsewhere, payment)));
    await buys(gateway, call, payment);
    await leavesNoTrace(gateway, () => refusedWith(MISMATCH, sendPaid(gateway, elsewhere, payment)));
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

describe('a payment is good for more than one gateway', () => {
  const { solana } = gateway;

  it('for another node with the same secret as well, at the price that was quoted', async () => {
    const dearer = await startSellingGateway({ ...VARIABLES, PRICE_SURCHARGE_USD_MICROS: '600' }, { solana });
    await buys(dearer, call, await paymentFor(gateway, call, wallet));
    expect(solana.mainnet.transfers.at(-1)?.amount).toBe(5n);
    await dearer.stop();
  });

  it('for one whose secret was rotated as well, and no payment of that one for the old one', async () => {
    const GATEWAY_SECRET = `the next secret of 32 characters or more,${CANARY_SECRET}`;
    const rotated = await startSellingGateway({ ...ROOMY, GATEWAY_SECRET }, { solana });
    await buys(rotated, call, await paymentFor(gateway, call, wallet));
    const fresh = await paymentFor(rotated, call, wallet);
    await leavesNoTrace(gateway, () => refusedWith(MISMATCH, sendPaid(gateway, call, fresh)));
    await buys(rotated, call, fresh);
    await rotated.stop();
  });
});

const SOMEBODY = '86xCnPeV69n6t3DnyGvkKobf9FdN2H9oiVDdaMpo2MMY';

type Accepted = Readonly<Record<string, unknown>>;
type Change = (accepted: Accepted) => unknown;
const set =
  (name: string, value: unknown): Change =>
  (accepted) => ({ ...accepted, [name]: value });
const without =
  (name: string): Change =>
  ({ [name]: _, ...rest }) =>
    rest;
const extra =
  (name: string, value: unknown): Change =>
  (accepted) => ({ ...accepted, extra: { ...(accepted.extra as object), [name]: value } });

const CHANGES: readonly (readonly [string, Change])[] = [
  ['a lower amount', set('amount', '1')],
  ['a higher amount', set('amount', '5000')],
  ['an amount that is a number', set('amount', 5)],
  ['an amount written in another way', set('amount', '05')],
  ['another payee', set('payTo', SOMEBODY)],
  ['another asset', set('asset', USDC.devnet)],
  ['another scheme', set('scheme', 'upto')],
  ['another network', set('network', NETWORKS.devnet)],
  ['the short name of the network', set('network', 'solana')],
  ['a longer time-out', set('maxTimeoutSeconds', 3600)],
  ['a time-out that is text', set('maxTimeoutSeconds', '60')],
  ['another fee payer', extra('feePayer', SOMEBODY)],
  ['another memo', extra('memo', 'A'.repeat(32))],
  ['no memo', extra('memo', undefined)],
  ['a member that was not offered', set('paymentFlow', 'upfront')],
  ['a member named __proto__', (accepted) => JSON.parse(`{"__proto__":{},${JSON.stringify(accepted).slice(1)}`)],
  ...['scheme', 'network', 'amount', 'asset', 'payTo', 'maxTimeoutSeconds', 'extra'].map(
    (name) => [`no ${name}`, without(name)] as const,
  ),
  ['extra that is null', set('extra', null)],
  ['extra that is text', set('extra', 'x')],
  ['extra that is a list', (accepted) => ({ ...accepted, extra: [accepted.extra] })],
  ['a member of version 1', set('maxAmountRequired', '5')],
  ['nothing', () => undefined],
  ['null', () => null],
  ['a list', (accepted) => [accepted]],
  ['text', () => 'exact'],
  ['an empty object', () => ({})],
];

const withAccepted = (payment: PaymentPayload, change: Change): unknown => ({
  ...payment,
  accepted: change(payment.accepted as unknown as Accepted),
});

describe('P15 a payment buys nothing whose copy of the requirement is altered to have', () => {
  it.each(CHANGES)('%s', async (_, change) => {
    const payment = await paymentFor(gateway, call, wallet);
    const altered = withAccepted(payment, change);
    await leavesNoTrace(gateway, () => refusedWith(MISMATCH, sendPaid(gateway, call, altered)));
    await buys(gateway, call, payment);
  });

  it('any of these before it settles; afterwards each gets the stored answer', async () => {
    const payment = await paymentFor(gateway, call, wallet);
    await (await sendPaid(gateway, call, payment)).arrayBuffer();
    await leavesNoTrace(gateway, async () => {
      for (const [name, change] of CHANGES) {
        const response = await sendPaid(gateway, call, withAccepted(payment, change));
        expect([response.status, response.headers.get(HEADERS.replayed)], name).toEqual([200, 'true']);
        await response.arrayBuffer();
      }
    });
  });
});

describe('P15 a payment buys nothing that was made for other requirements', () => {
  it.each<[string, Change]>([
    ['a lower amount', set('amount', '4')],
    ['a higher amount', set('amount', '6')],
    ['nothing', set('amount', '0')],
    ['another payee', set('payTo', SOMEBODY)],
    ['another memo', extra('memo', 'A'.repeat(32))],
    ['the hex memo of a client that got none', extra('memo', undefined)],
    ['another fee payer', extra('feePayer', SOMEBODY)],
  ])('%s', async (_, change) => {
    const { accepted: required } = await paymentFor(gateway, call, wallet);
    const altered = change(required as unknown as Accepted) as typeof required;
    const payment = await wallet.pay({ x402Version: 2, resource: { url: gateway.url }, accepts: [altered] });
    await leavesNoTrace(gateway, async () => {
      for (const accepted of [altered, required]) {
        const response = await sendPaid(gateway, call, { ...payment, accepted });
        const { ok, error, payment: state } = await bodyOf(response);
        expect([response.status, ok, state]).toEqual([402, false, { state: 'refused' }]);
        expect(error).toMatch(/^(?:no_matching_requirements|invalid_exact_svm_\w+)$/);
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
