// Buys one answer of the gateway that sells, and checks its receipt, with the official x402 client.
import { generateKeyPairSigner } from '@solana/kit';
import { x402Client } from '@x402/core/client';
import { extractReceiptFromResponse, verifyReceiptSignatureJWS } from '@x402/extensions/offer-receipt';
import { wrapFetchWithPayment } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';

const [gateway, rpcUrl] = ['http://localhost:8410', 'http://localhost:8403']; // as in seller.env
const post = (body) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
});

const needs = (place, command) => (error) => {
  if (error.cause?.code !== 'ECONNREFUSED') throw error;
  console.error(`Nothing answers at ${place}. Run ${command} in another terminal first.`);
  process.exit(1);
};

const customer = await generateKeyPairSigner();
const faucet = post({ jsonrpc: '2.0', id: 1, method: 'sandbox_faucet', params: [customer.address] });
await fetch(rpcUrl, faucet).catch(needs(rpcUrl, 'npm start'));

const client = new x402Client().register('solana:*', new ExactSvmScheme(customer, { rpcUrl }));
const buy = wrapFetchWithPayment(fetch, client);
const url = `${gateway}/v1/x402/solana/mainnet/helius/rpc/getBalance`;
const start = 'env $(cat data/payee.env examples/seller/seller.env) npm run gateway';
const response = await buy(url, post({ params: [customer.address] })).catch(needs(gateway, start));
console.log(response.status, await response.text());

const receipt = await verifyReceiptSignatureJWS(extractReceiptFromResponse(response));
console.log('receipt:', receipt.resourceUrl, receipt.payer === customer.address ? 'for this wallet' : 'for another');
