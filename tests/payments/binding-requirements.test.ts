import { HEADERS, NETWORKS, USDC } from '@asset-gateway/protocol';
import type { PaymentPayload } from '@x402/core/types';
import { afterAll, describe, expect, it } from 'vitest';
import { startSellingGateway } from '../kit/selling-gateway.ts';
import { asVersion1, callOf, leaves, leavesNoTrace, paymentFor, ROOMY, refusedWith, sendPaid } from './calls.ts';
import { openWallet } from './wallets.ts';

const gateway = await startSellingGateway(ROOMY);
const wallet = await openWallet(gateway.solana);
afterAll(() => gateway.stop());

const MISMATCH = 'no_matching_requirements';
const call = callOf('rpc.mainnet.helius.getBalance');
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
    const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => sendPaid(gateway, call, payment));
    expect(response.status).toBe(200);
    await response.arrayBuffer();
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
  it.each([
    ['a lower amount', { amount: '4' }],
    ['a higher amount', { amount: '6' }],
    ['nothing', { amount: '0' }],
    ['another payee', { payTo: SOMEBODY }],
    ['another memo', { memo: 'A'.repeat(32) }],
    ['the hex memo of a client that got none', { memo: undefined }],
    ['another fee payer', { feePayer: SOMEBODY }],
  ])('%s', async (_, { memo, feePayer, ...changes }: Readonly<Record<string, string | undefined>>) => {
    const required = await paymentFor(gateway, call, wallet).then(({ accepted }) => accepted);
    const altered = { ...required, ...changes, extra: { ...required.extra, ...(feePayer && { feePayer }) } };
    if (changes.amount === undefined && changes.payTo === undefined && !feePayer)
      Object.assign(altered.extra, { memo });
    const resource = { url: gateway.url };
    const payment = await wallet.pay({ x402Version: 2, resource, accepts: [altered as typeof required] });
    await leavesNoTrace(gateway, async () => {
      for (const accepted of [altered, required]) {
        const { status, body } = await refusal({ ...payment, accepted });
        expect([status, body.ok, body.payment]).toEqual([402, false, { state: 'refused' }]);
        expect(body.error).toMatch(/^(?:no_matching_requirements|invalid_exact_svm_\w+)$/);
      }
    });
  });

  const refusal = async (payment: unknown) => {
    const response = await sendPaid(gateway, call, payment);
    const body = (await response.json()) as { ok: boolean; error: string; payment: unknown };
    return { status: response.status, body };
  };
});

describe('P16 a payment on one cluster buys nothing on the other', () => {
  const other = callOf('rpc.devnet.helius.getBalance');
  it.each([
    ['devnet', other, call],
    ['mainnet', call, other],
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
    const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => sendPaid(gateway, made, payment));
    expect(response.status).toBe(200);
    await response.arrayBuffer();
  });
});
