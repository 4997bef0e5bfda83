// A program with the installed client: signs in, and buys if an RPC is given.
import { createClient, signerFromKit } from '@asset-gateway/client';
import { newKeypair } from '@asset-gateway/client/node';
import { createKeyPairSignerFromBytes } from '@solana/kit';

const [baseUrl = '', rpcUrl] = process.argv.slice(2);
const wallet = await createKeyPairSignerFromBytes(newKeypair());
const signer = signerFromKit(wallet);
const { results } = await createClient({ baseUrl, signer }).tokens.search({ q: 'gold', limit: 3 });
const visit = { found: results.length, bought: false };
if (rpcUrl !== undefined) {
  const { payWith } = await import('@asset-gateway/client/pay');
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_faucet', params: [wallet.address] });
  await fetch(rpcUrl, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
  const client = createClient({ baseUrl, signer, pay: payWith({ wallet, rpcUrl }) });
  const { transaction } = await client.wallet.balances(wallet.address).full();
  visit.bought = transaction !== undefined;
}
process.stdout.write(JSON.stringify(visit));
