import { challengeIn, signIn } from '@asset-gateway/client';
import { HEADERS, NETWORKS } from '@asset-gateway/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SellingGateway, startSellingGateway } from '../kit/selling-gateway.ts';
import { callOf, leaves, paymentFor, ROOMY, requiredFor, sampledRoutes, sendPaid } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { settledIn, verified } from './kit.ts';

const PREFER = { Prefer: 'credit' };

/** A gateway with credit, and a wallet that has bought some on both clusters. */
async function openSelling(RECEIPTS: string): Promise<{ gateway: SellingGateway; wallet: Wallet }> {
  const gateway = await startSellingGateway({ ...ROOMY, CREDIT: 'on', RECEIPTS });
  const wallet = await openWallet(gateway.solana);
  for (const id of ['rpc.mainnet.helius.getBalance', 'rpc.devnet.helius.getBalance']) {
    const required = await requiredFor(gateway, callOf(id));
    const payment = await wallet.pay({ ...required, accepts: required.accepts.slice(1) });
    const bought = await sendPaid(gateway, callOf(id), payment);
    expect([bought.status, bought.headers.get('credit')]).toEqual([200, expect.stringMatching(/^balance=\d+$/)]);
    if (RECEIPTS === 'on') expect((await verified(bought)).transaction).toBe(settledIn(bought).transaction);
  }
  return { gateway, wallet };
}

/** Asks for a route with a signature that spends credit. */
async function spend(
  { url }: SellingGateway,
  wallet: Wallet,
  { target, init } = callOf('rpc.mainnet.helius.getBalance'),
) {
  const headers = { ...init.headers, ...PREFER };
  const challenge = challengeIn(await (await fetch(url + target, { ...init, headers })).json());
  if (!challenge) throw new Error(`nothing to sign for ${target}`);
  const header = await signIn(challenge, wallet.signIn, new URL(url + target));
  const send = () => fetch(url + target, { ...init, headers: { ...headers, [HEADERS.signIn]: header } });
  return { first: await send(), again: await send() };
}

let selling: { gateway: SellingGateway; wallet: Wallet };
beforeAll(async () => {
  selling = await openSelling('on');
});
afterAll(() => selling.gateway.stop());

describe("x402's own package verifies the receipt of a debit", () => {
  it.each(sampledRoutes.map((row) => [row.id, row] as const))(
    'by signature, and when that comes again: %s',
    async (_, row) => {
      const { gateway, wallet } = selling;
      await leaves(gateway, { transfers: 0, arrivals: 1 }, async () => {
        const { first, again } = await spend(gateway, wallet, callOf(row));
        const network = NETWORKS[row.cluster ?? 'mainnet'];
        const settled = { success: true, transaction: '', network, payer: wallet.address, amount: '0' };
        for (const response of [first, again]) {
          expect(response.status).toBe(200);
          const { issuedAt: _issuedAt, ...said } = await verified(response);
          const resourceUrl = gateway.url + callOf(row).target;
          expect(said).toEqual({ version: 1, network, resourceUrl, payer: wallet.address });
          expect(settledIn(response)).toMatchObject(settled);
        }
        expect(again.headers.get(HEADERS.replayed)).toBe('true');
      });
    },
  );

  it('by a payment that was not needed', async () => {
    const { gateway, wallet } = selling;
    const call = callOf('rpc.mainnet.helius.getBalance');
    const payment = await paymentFor(gateway, call, wallet);
    await leaves(gateway, { transfers: 0, arrivals: 1 }, async () => {
      const covered = await sendPaid(gateway, call, payment);
      expect(settledIn(covered)).toMatchObject({ success: true, transaction: '', amount: '0' });
      const said = await verified(covered);
      expect(said).toMatchObject({ payer: wallet.address, network: NETWORKS.mainnet });
      expect(said).not.toHaveProperty('transaction');
    });
  });
});

it('RECEIPTS=off: a debit by signature has no PAYMENT-RESPONSE, and a covered payment no extension', async () => {
  const { gateway, wallet } = await openSelling('off');
  const { first, again } = await spend(gateway, wallet);
  for (const response of [first, again])
    expect([response.status, response.headers.get(HEADERS.paymentResponse)]).toEqual([200, null]);
  const call = callOf('rpc.mainnet.helius.getBalance');
  const covered = await sendPaid(gateway, call, await paymentFor(gateway, call, wallet));
  expect(Object.keys(settledIn(covered))).toEqual(['success', 'transaction', 'network', 'payer', 'amount']);
  await gateway.stop();
});
