// Makes a payee and a fee payer on the sandbox's mainnet, in the folder data of the clone.
import { mkdirSync, writeFileSync } from 'node:fs';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';

const chain = 'http://localhost:8403'; // as in seller.env

async function rpc(method, ...params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const headers = { 'Content-Type': 'application/json' };
  const response = await fetch(chain, { method: 'POST', headers, body }).catch(() => {
    console.error(`Nothing answers at ${chain}. Run npm start in another terminal first.`);
    process.exit(1);
  });
  const { result, error } = await response.json();
  if (error) throw new Error(error.message);
  return result;
}

const [payee, feePayer] = [newKeypair(), newKeypair()];
mkdirSync('data', { recursive: true });
writeFileSync('data/payee.json', JSON.stringify([...payee]), { mode: 0o600 });
writeFileSync('data/fee-payer.json', JSON.stringify([...feePayer]), { mode: 0o600 });

await rpc('sandbox_faucet', signerFromBytes(payee).address); // opens the payee's USDC account
await rpc('requestAirdrop', signerFromBytes(feePayer).address, 1_000_000_000); // one SOL
console.log(`PAY_TO_WALLET=${signerFromBytes(payee).address}`);
