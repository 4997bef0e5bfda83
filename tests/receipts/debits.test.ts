import { HEADERS, NETWORKS } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { buyCredit, paymentOf, spendingHeader, startCreditGateway } from '../credit/gateway.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { callOf, leaves, paymentFor, send, sendPaid } from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { settledIn, verified } from './kit.ts';

const call = callOf('rpc.mainnet.helius.getBalance');
const on = await stopAfterTests(startCreditGateway({}, { RECEIPTS: 'on' }));
const off = await stopAfterTests(startCreditGateway({ solana: on.solana }));
const wallet = await openWallet(on.solana);
for (const cluster of ['mainnet', 'devnet'] as const) await buyCredit(on, wallet, 50_000, cluster);
await buyCredit(off, wallet);

it.each(['rpc.mainnet.helius.getBalance', 'das.devnet.helius.getAsset'])(
  "x402's own package verifies the receipt of a debit by signature, and when that comes again: %s",
  async (id) => {
    await leaves(on, { transfers: 0, arrivals: 1 }, async () => {
      const headers = { [HEADERS.signIn]: await spendingHeader(on, callOf(id), wallet.signIn) };
      const network = NETWORKS[id.includes('devnet') ? 'devnet' : 'mainnet'];
      for (const isAgain of [false, true]) {
        const response = await send(on, callOf(id), headers);
        expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, isAgain ? 'true' : null]);
        const { issuedAt: _issuedAt, ...said } = await verified(response);
        const resourceUrl = on.url + callOf(id).target;
        expect(said).toEqual({ version: 1, network, resourceUrl, payer: wallet.address });
        const settled = { success: true, transaction: '', network, payer: wallet.address, amount: '0' };
        expect(settledIn(response)).toMatchObject(settled);
      }
    });
  },
);

it("x402's own package verifies the receipt of a payment that was not needed", async () => {
  const payment = await paymentFor(on, call, wallet);
  const covered = await leaves(on, { transfers: 0, arrivals: 1 }, () => sendPaid(on, call, payment));
  expect(settledIn(covered)).toMatchObject({ success: true, transaction: '', amount: '0' });
  const said = await verified(covered);
  expect(said).toMatchObject({ payer: wallet.address, network: NETWORKS.mainnet });
  expect(said).not.toHaveProperty('transaction');
});

it("x402's own package verifies the receipt of a call that is bought with credit", async () => {
  const buyer = await openWallet(on.solana);
  const bought = await sendPaid(on, call, await paymentOf(on, call, buyer, 50_000));
  expect([bought.status, bought.headers.get('credit')]).toEqual([200, expect.stringMatching(/^balance=\d+$/)]);
  expect((await verified(bought)).transaction).toBe(settledIn(bought).transaction);
});

it('RECEIPTS=off: a debit by signature has no PAYMENT-RESPONSE, and a covered payment no extension', async () => {
  const headers = { [HEADERS.signIn]: await spendingHeader(off, call, wallet.signIn) };
  for (let time = 0; time < 2; time++) {
    const response = await send(off, call, headers);
    expect([response.status, response.headers.get(HEADERS.paymentResponse)]).toEqual([200, null]);
  }
  const covered = await sendPaid(off, call, await paymentFor(off, call, wallet));
  expect(Object.keys(settledIn(covered))).toEqual(['success', 'transaction', 'network', 'payer', 'amount']);
});
