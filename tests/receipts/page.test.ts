import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { HEADERS } from '@asset-gateway/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../kit/page.ts';
import { type SellingGateway, startSellingGateway } from '../kit/test-gateway.ts';
import { callOf, headerOf } from '../payments/calls.ts';
import { openWallet, type Wallet } from '../payments/wallets.ts';
import { partOf, receiptIn, settledIn, withPart } from './kit.ts';

type ReceiptOf = (response: Response, wallet: string) => Promise<{ readonly resourceUrl: string }>;

const blocks = blocksOf('docs/receipts.md', 'js');
const call = callOf('rpc.mainnet.helius.getBalance');
// A folder from which the page's imports resolve.
const folder = mkdtempSync(join('node_modules', '.receipts-page-'));

let gateway: SellingGateway;
let wallet: Wallet;
let receiptOf: ReceiptOf;
let bought: Response;
beforeAll(async () => {
  const path = resolve(folder, 'page.mjs');
  writeFileSync(path, blocks.join('\n'));
  ({ receiptOf } = (await import(pathToFileURL(path).href)) as { receiptOf: ReceiptOf });
  gateway = await startSellingGateway({ RECEIPTS: 'on' });
  wallet = await openWallet(gateway.solana);
  bought = await wallet.buy(gateway.url + call.target, call.init);
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await gateway.stop();
});

/** The same response as another host would give it, or with another receipt. */
function copyOf(response: Response, url: string, receipt = receiptIn(response)): Response {
  const settled = { ...settledIn(response), extensions: { 'offer-receipt': { info: { receipt } } } };
  const copy = new Response('', { headers: { [HEADERS.paymentResponse]: headerOf(settled) } });
  return Object.defineProperty(copy, 'url', { value: url });
}

describe('the code on the page of receipts', () => {
  it('is one block', () => expect(blocks).toHaveLength(1));

  it('believes the receipt of a purchase', async () => {
    expect((await receiptOf(bought, wallet.address)).resourceUrl).toBe(gateway.url + call.target);
    expect(await receiptOf(copyOf(bought, bought.url), wallet.address)).toBeDefined();
  });

  it('believes none that is for another wallet, or of another host', async () => {
    await expect(receiptOf(bought, '1'.repeat(32))).rejects.toThrow('another gateway');
    const elsewhere = copyOf(bought, 'https://gateway.example/');
    await expect(receiptOf(elsewhere, wallet.address)).rejects.toThrow('another gateway');
  });

  it('believes none that was changed, and says when there is none', async () => {
    const receipt = receiptIn(bought);
    const changed = withPart(receipt, 1, { ...partOf(receipt, 1), issuedAt: 1 });
    await expect(receiptOf(copyOf(bought, bought.url, changed), wallet.address)).rejects.toThrow('signature');
    await expect(receiptOf(new Response(''), wallet.address)).rejects.toThrow('no receipt');
  });
});
