import { readFileSync } from 'node:fs';
import { HEADERS, NETWORKS, type Route } from '@asset-gateway/protocol';
import { canonicalize, getCanonicalBytes, verifyReceiptSignatureJWS } from '@x402/extensions/offer-receipt';
import { describe, expect, it, vi } from 'vitest';
import { buyCredit, paymentOf, spendingHeader, startCreditGateway } from '../credit/gateway.ts';
import { isFull } from '../kit/rounds.ts';
import {
  asVersion1,
  callOf,
  headerOf,
  leaves,
  paidRoutes,
  paymentFor,
  requiredFor,
  rowOf,
  send,
  sendPaid,
} from '../payments/calls.ts';
import { openWallet } from '../payments/wallets.ts';
import { didDocumentOf, partOf, receiptIn, settledIn, verified, withPart } from './kit.ts';

const gateway = await startCreditGateway({}, { RECEIPTS: 'on' });
const wallet = await openWallet(gateway.solana);
const credited = await openWallet(gateway.solana);
for (const cluster of ['mainnet', 'devnet'] as const) await buyCredit(gateway, credited, 50_000, cluster);

const call = callOf('rpc.mainnet.helius.getBalance');
const buy = ({ target, init } = call) => wallet.buy(`${gateway.url}${target}`, init);

/** One paid route of each surface; all with ROUNDS=full. */
const SURFACES = ['rpc.mainnet.helius.getBalance', 'das.devnet.helius.getAsset', 'wallet.mainnet.helius.balances'];
const ROWS = isFull ? paidRoutes : SURFACES.map(rowOf);

async function hasReceipt(row: Route): Promise<void> {
  const { target, init } = callOf(row);
  const required = await requiredFor(gateway, callOf(row));
  const sinceSeconds = Math.floor(Date.now() / 1000);
  const response = await buy({ target, init });
  expect(response.status).toBe(200);
  const { issuedAt, ...said } = await verified(response);
  expect(said).toEqual({
    version: 1,
    network: NETWORKS[row.cluster ?? 'mainnet'],
    resourceUrl: required.resource?.url,
    payer: wallet.address,
    transaction: settledIn(response).transaction,
  });
  expect(issuedAt).toBeGreaterThanOrEqual(sinceSeconds);
  expect(issuedAt).toBeLessThanOrEqual(Date.now() / 1000);
}

describe("x402's own package verifies the receipt of", () => {
  it.each(ROWS.map((row) => [row.id, row] as const))('%s', (_, row) => hasReceipt(row));

  it('an answer that was paid for and not delivered, and that another payment fetches: it names the one that paid', async () => {
    const route = callOf('wallet.mainnet.helius.balances');
    const head = { ...route, init: { ...route.init, method: 'HEAD' } };
    const [first, second] = [await paymentFor(gateway, route, wallet), await paymentFor(gateway, route, wallet)];
    await leaves(gateway, { transfers: 1, arrivals: 1 }, async () => {
      const { transaction } = settledIn(await sendPaid(gateway, head, first));
      expect(await verified(await sendPaid(gateway, route, second))).toMatchObject({ transaction });
    });
  });

  it('a payment in the header of version 1, with the same receipt in both headers', async () => {
    const payment = asVersion1(await paymentFor(gateway, call, wallet));
    const response = await send(gateway, call, { [HEADERS.version1Payment]: headerOf(payment) });
    expect(await verified(response)).toMatchObject({ network: NETWORKS.mainnet, payer: wallet.address });
    const [now, old] = [HEADERS.paymentResponse, HEADERS.version1PaymentResponse].map((name) =>
      settledIn(response, name),
    );
    expect([now?.network, old?.network]).toEqual([NETWORKS.mainnet, 'solana']);
    expect(old?.extensions).toEqual(now?.extensions);
  });
});

describe('a receipt', async () => {
  const bought = await buy();
  const receipt = receiptIn(bought);

  it('is compact JSON in the order of RFC 8785, and its extension has the members of one', async () => {
    const payload = Buffer.from(receipt.signature.split('.')[1] ?? '', 'base64url');
    expect(payload).toEqual(Buffer.from(getCanonicalBytes(partOf(receipt, 1))));
    expect(payload.toString()).toBe(canonicalize(partOf(receipt, 1)));
    const extension = settledIn(bought).extensions?.['offer-receipt'];
    expect(extension).toEqual({ info: { receipt }, schema: expect.objectContaining({ required: ['receipt'] }) });
  });

  it('names a key of the DID document of the origin that was paid', async () => {
    const { alg, kid, ...others } = partOf(receipt, 0);
    const { id, verificationMethod, assertionMethod } = await didDocumentOf(gateway);
    expect([alg, others]).toEqual(['EdDSA', {}]);
    expect(id).toBe(`did:web:127.0.0.1%3A${gateway.port}`);
    expect(verificationMethod.map((method) => method.id)).toEqual([kid]);
    expect(assertionMethod).toEqual([kid]);
  });

  it('names the loopback name that was dialled', async () => {
    const url = gateway.url.replace('127.0.0.1', 'localhost');
    const response = await wallet.buy(url + call.target, call.init);
    expect(partOf(receiptIn(response), 0).kid).toMatch(new RegExp(`^did:web:localhost%3A${gateway.port}#`));
    expect(await verified(response)).toMatchObject({ resourceUrl: url + call.target });
  });

  it('names the URL without its query if it is too long for a challenge', async () => {
    const long = callOf('wallet.mainnet.helius.transfers', { query: { cursor: 'x'.repeat(200) } });
    expect(gateway.url.length + long.target.length).toBeGreaterThan(256);
    const { resourceUrl } = await verified(await buy(long));
    expect(resourceUrl).toBe(gateway.url + long.target.split('?')[0]);
    expect(resourceUrl).toBe((await requiredFor(gateway, long)).resource?.url);
  });

  it('with another payer is not verified', async () => {
    const tampered = withPart(receipt, 1, { ...partOf(receipt, 1), payer: '1'.repeat(32) });
    await expect(verifyReceiptSignatureJWS(tampered)).rejects.toThrow('signature verification failed');
  });

  it('that names a key which is not published is not verified', async () => {
    const kid = `did:web:127.0.0.1%3A${gateway.port}#another`;
    const forged = withPart(receipt, 0, { alg: 'EdDSA', kid });
    await expect(verifyReceiptSignatureJWS(forged)).rejects.toThrow('No verification method found');
  });

  it('is missing while the settlement is unknown, and given when the chain shows it', async () => {
    const { faults } = gateway.solana.mainnet;
    const payment = await paymentFor(gateway, call, wallet);
    Object.assign(faults, { dropAfterBroadcast: true, lie: { statusMissing: true } });
    const open = await sendPaid(gateway, call, payment).finally(() => faults.reset());
    expect([open.status, settledIn(open)]).toEqual([
      503,
      expect.not.objectContaining({ extensions: expect.anything() }),
    ]);
    expect(settledIn(open).success).toBe(false);
    const { transaction } = settledIn(open);
    await vi.waitFor(async () => {
      const answer = await sendPaid(gateway, call, payment);
      expect(answer.status).toBe(200);
      expect(await verified(answer)).toMatchObject({ transaction });
    }, 10_000);
  });
});

it('a header with a receipt is at most as long as docs/receipts.md says', async () => {
  const [, most = ''] = /At most ([\d,]+) characters/.exec(readFileSync('docs/receipts.md', 'utf8')) ?? [];
  const { target } = callOf('wallet.mainnet.helius.transfers', { query: { cursor: 'x' } });
  const room = 256 - gateway.url.length - target.length;
  const longest = callOf('wallet.mainnet.helius.transfers', { query: { cursor: 'x'.repeat(1 + room) } });
  const length = (await buy(longest)).headers.get(HEADERS.paymentResponse)?.length ?? 0;
  expect(length).toBeLessThanOrEqual(Number(most.replace(',', '')));
  expect(length).toBeGreaterThan(Number(most.replace(',', '')) * 0.8);
});

it.each(['rpc.mainnet.helius.getBalance', 'das.devnet.helius.getAsset'])(
  "x402's own package verifies the receipt of a debit by signature, and when that comes again: %s",
  async (id) => {
    await leaves(gateway, { transfers: 0, arrivals: 1 }, async () => {
      const headers = { [HEADERS.signIn]: await spendingHeader(gateway, callOf(id), credited.signIn) };
      const network = NETWORKS[id.includes('devnet') ? 'devnet' : 'mainnet'];
      for (const isAgain of [false, true]) {
        const response = await send(gateway, callOf(id), headers);
        expect([response.status, response.headers.get(HEADERS.replayed)]).toEqual([200, isAgain ? 'true' : null]);
        const { issuedAt: _issuedAt, ...said } = await verified(response);
        const resourceUrl = gateway.url + callOf(id).target;
        expect(said).toEqual({ version: 1, network, resourceUrl, payer: credited.address });
        const settled = { success: true, transaction: '', network, payer: credited.address, amount: '0' };
        expect(settledIn(response)).toMatchObject(settled);
      }
    });
  },
);

it("x402's own package verifies the receipt of a payment that was not needed", async () => {
  const payment = await paymentFor(gateway, call, credited);
  const covered = await leaves(gateway, { transfers: 0, arrivals: 1 }, () => sendPaid(gateway, call, payment));
  expect(settledIn(covered)).toMatchObject({ success: true, transaction: '', amount: '0' });
  const said = await verified(covered);
  expect(said).toMatchObject({ payer: credited.address, network: NETWORKS.mainnet });
  expect(said).not.toHaveProperty('transaction');
});

it("x402's own package verifies the receipt of a call that is bought with credit", async () => {
  const bought = await sendPaid(gateway, call, await paymentOf(gateway, call, wallet, 50_000));
  expect([bought.status, bought.headers.get('credit')]).toEqual([200, expect.stringMatching(/^balance=\d+$/)]);
  expect((await verified(bought)).transaction).toBe(settledIn(bought).transaction);
});
