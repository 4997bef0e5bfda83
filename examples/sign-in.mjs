// Signs in with the official x402 client and a new key, and asks for free data. No money moves.
import { generateKeyPairSigner } from '@solana/kit';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { createSIWxClientHook } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment } from '@x402/fetch';

const { ASSET_GATEWAY_URL: gateway = 'http://localhost:8402' } = process.env;
const signer = await generateKeyPairSigner();
const client = new x402HTTPClient(new x402Client()).onPaymentRequired(createSIWxClientHook(signer));
const ask = wrapFetchWithPayment(fetch, client);

const response = await ask(`${gateway}/v1/x402/tokens/assets/search?q=gold&limit=1`).catch((error) => {
  if (error.cause?.code !== 'ECONNREFUSED') throw error;
  console.error(`Nothing answers at ${gateway}. Run npm start in another terminal first.`);
  process.exit(1);
});
console.log(response.status, await response.text());
