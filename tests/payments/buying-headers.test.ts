import { HEADERS, NETWORKS } from '@asset-gateway/protocol';
import { decodePaymentResponseHeader } from '@x402/fetch';
import { afterAll, describe, expect, it } from 'vitest';
import { startSolanaSandbox } from '../../packages/sandbox/src/solana-sandbox.ts';
import { CANARY_PROVIDER_KEY, startSellingGateway } from '../kit/selling-gateway.ts';
import {
  asVersion1,
  bodyOf,
  callOf,
  headerOf,
  leaves,
  leavesNoTrace,
  paymentFor,
  ROOMY,
  requiredFor,
  send,
  sendPaid,
  transactionOf,
} from './calls.ts';
import { openWallet } from './wallets.ts';

/** One blockhash for all payments. */
const solana = await startSolanaSandbox({ key: CANARY_PROVIDER_KEY, blockMs: Number.POSITIVE_INFINITY });
const gateway = await startSellingGateway(ROOMY, { solana });
const wallet = await openWallet(gateway.solana);
afterAll(() => gateway.stop().then(solana.close));

const ROWS = [
  ['mainnet', 'rpc.mainnet.helius.getBalance', 'solana'],
  ['mainnet', 'wallet.mainnet.helius.balances', 'solana'],
  ['devnet', 'rpc.devnet.alchemy.getBalance', 'solana-devnet'],
  ['devnet', 'das.devnet.helius.getAsset', 'solana-devnet'],
] as const;

const receiptIn = (response: Response, header: string) =>
  decodePaymentResponseHeader(response.headers.get(header) ?? headerOf(null));

describe('X-PAYMENT buys as well', () => {
  describe.each([
    ['version 1', asVersion1],
    ['version 2', (payment: unknown) => payment],
  ] as const)('with a payment of %s', (_, wrapped) => {
    it.each(ROWS)('on %s: %s', async (cluster, id, short) => {
      const call = callOf(id);
      const payment = wrapped(await paymentFor(gateway, call, wallet));
      const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () =>
        send(gateway, call, { [HEADERS.version1Payment]: headerOf(payment) }),
      );
      expect([response.status, (await bodyOf(response)).ok]).toEqual([200, true]);
      const transaction = gateway.solana[cluster].transfers.at(-1)?.signature;
      const receipt = { success: true, transaction, payer: wallet.address };
      expect(receiptIn(response, HEADERS.paymentResponse)).toEqual({ ...receipt, network: NETWORKS[cluster] });
      expect(receiptIn(response, HEADERS.version1PaymentResponse)).toEqual({ ...receipt, network: short });
    });
  });

  it('when both headers hold the same payment', async () => {
    const call = callOf('rpc.mainnet.helius.getBalance');
    const header = headerOf(await paymentFor(gateway, call, wallet));
    const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () =>
      send(gateway, call, { [HEADERS.version1Payment]: header, [HEADERS.payment]: header }),
    );
    expect(response.status).toBe(200);
    expect(response.headers.get(HEADERS.version1PaymentResponse)).not.toBeNull();
  });
});

describe('a payment buys, with any additional members', () => {
  const call = callOf('rpc.mainnet.helius.getBalance');
  it.each([
    ['another resource and unknown extensions', { resource: { url: 'https://evil.test' }, extensions: { x: 1 } }],
    ['no resource and no extensions', { resource: undefined, extensions: undefined }],
    ['unknown members', { note: 'x', toString: 1 }],
  ])('%s', async (_, others) => {
    const payment = await paymentFor(gateway, call, wallet);
    const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () =>
      sendPaid(gateway, call, { ...payment, ...others }),
    );
    expect(response.status).toBe(200);
  });

  it('members that the client added to extra', async () => {
    const payment = await paymentFor(gateway, call, wallet);
    const extra = { ...payment.accepted.extra, recentBlockhash: 'x', lastValidBlockHeight: 1 };
    const looked = { ...payment, accepted: { ...payment.accepted, extra } };
    const response = await leaves(gateway, { transfers: 1, arrivals: 1 }, () => sendPaid(gateway, call, looked));
    expect(response.status).toBe(200);
  });

  it('a sign-in buys nothing on a paid route', async () => {
    const answer = leavesNoTrace(gateway, () => send(gateway, call, { [HEADERS.signIn]: headerOf({}) }));
    expect(await bodyOf(await answer)).toMatchObject({ ok: false, error: 'payment_required' });
  });
});

describe('HEAD is the same request as GET', () => {
  const call = callOf('wallet.mainnet.helius.balances');
  const head = { ...call, init: { ...call.init, method: 'HEAD' } };

  it('when it pays: the answer that it bought is the one that GET gets', async () => {
    const payment = await wallet.pay(await requiredFor(gateway, call));
    await leaves(gateway, { transfers: 1, arrivals: 1 }, async () => {
      const bought = await sendPaid(gateway, head, payment);
      expect([bought.status, await bought.text(), bought.headers.get(HEADERS.replayed)]).toEqual([200, '', null]);
      const repeated = await sendPaid(gateway, call, payment);
      expect([repeated.status, repeated.headers.get(HEADERS.replayed)]).toEqual([200, 'true']);
      expect((await bodyOf(repeated)).result).toBeDefined();
      expect(repeated.headers.get(HEADERS.paymentResponse)).toBe(bought.headers.get(HEADERS.paymentResponse));
      expect(repeated.headers.get('content-length')).toBe(bought.headers.get('content-length'));
    });
  });
});

it('buys twice if two payments for one request are made under the same blockhash', async () => {
  const call = callOf('rpc.mainnet.helius.getBalance');
  const first = await paymentFor(gateway, call, wallet);
  const second = await paymentFor(gateway, call, wallet);
  const { mainnet } = gateway.solana;
  const asked = mainnet.calls.filter(({ method }) => method === 'getLatestBlockhash').length;
  expect(asked).toBeGreaterThanOrEqual(2);
  expect(transactionOf(first)).not.toBe(transactionOf(second));
  await leaves(gateway, { transfers: 2, arrivals: 2 }, async () => {
    for (const payment of [first, second]) {
      const response = await sendPaid(gateway, call, payment);
      expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, null]);
      await response.arrayBuffer();
    }
  });
  const [a, b] = mainnet.transfers.slice(-2);
  expect(a?.signature).not.toBe(b?.signature);
  expect(a?.memo).not.toBe(b?.memo);
});
