// Asks and buys with our client, which pays only within caps.
import { createClient, GatewayError } from '@asset-gateway/client';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { payWith } from '@asset-gateway/client/pay';

const { ASSET_GATEWAY_URL: baseUrl = 'http://localhost:8402' } = process.env;
const { ASSET_GATEWAY_RPC_URL: rpcUrl = 'http://localhost:8403' } = process.env; // the sandbox's mainnet
const keypair = newKeypair();
const signer = signerFromBytes(keypair);

// The sandbox's faucet gives 10 USDC of play money.
const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_faucet', params: [signer.address] });
await fetch(rpcUrl, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }).catch(() => {
  console.error(`Nothing answers at ${rpcUrl}. Run npm start in another terminal first.`);
  process.exit(1);
});

const pay = payWith({ wallet: keypair, rpcUrl, caps: { perCallUsd: 0.005, perDayUsd: 0.01 } });
const client = createClient({ baseUrl, signer, pay });

const { results } = await client.tokens.search({ q: 'gold', limit: 3 });
console.log('free:', results.map(({ assetId }) => assetId).join(', '));

for (let call = 1; call <= 3; call++) {
  try {
    const { price } = await client.wallet.balances(signer.address).full();
    console.log(`call ${call}: paid $${price}`);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    console.log(`call ${call}: ${error.code}`);
  }
}
