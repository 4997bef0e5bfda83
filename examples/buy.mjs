// Buys one answer with the official x402 client, with play money of the sandbox.
import { generateKeyPairSigner } from '@solana/kit';
import { x402Client } from '@x402/core/client';
import { decodePaymentResponseHeader, wrapFetchWithPayment } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';

const { ASSET_GATEWAY_URL: gateway = 'http://localhost:8402' } = process.env;
const { ASSET_GATEWAY_RPC_URL: rpcUrl = 'http://localhost:8403' } = process.env; // the sandbox's mainnet
const signer = await generateKeyPairSigner();

// The sandbox's faucet gives 10 USDC of play money.
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_faucet', params: [signer.address] });
await fetch(rpcUrl, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }).catch(() => {
  console.error(`Nothing answers at ${rpcUrl}. Run npm start in another terminal first.`);
  process.exit(1);
});

const client = new x402Client().register('solana:*', new ExactSvmScheme(signer, { rpcUrl }));
const buy = wrapFetchWithPayment(fetch, client);
const response = await buy(`${gateway}/v1/x402/helius/wallet/balances/${signer.address}`);
if (!response.ok) throw new Error(await response.text());

const { result } = await response.json();
const { success, transaction } = decodePaymentResponseHeader(response.headers.get('PAYMENT-RESPONSE'));
console.log(response.status, 'paid:', success, 'in', transaction);
console.log(result.balances.map(({ symbol, balance }) => `${balance} ${symbol}`).join(', '));
