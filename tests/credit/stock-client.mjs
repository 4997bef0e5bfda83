import { readFileSync } from 'node:fs';
import { createKeyPairSignerFromBytes } from '@solana/kit';

// Runs a published client in the version that is installed here. Each story has one wallet and its requests, one after the other.
const { rpcUrl, network, asset, stories } = JSON.parse(process.argv[2]);

/** A client that prefers bundles: it drops the single call, if there is a bundle. */
const bundleIn = (accepts) => (accepts.length > 1 ? accepts.slice(1) : accepts);

async function official(send, keypair, { choosesBundle, hasHook }) {
  const { x402Client, x402HTTPClient } = await import('@x402/core/client');
  const { wrapFetchWithPayment } = await import('@x402/fetch');
  const { ExactSvmScheme } = await import('@x402/svm/exact/client');
  const signer = await createKeyPairSignerFromBytes(keypair);
  const client = new x402Client().register(network, new ExactSvmScheme(signer, { rpcUrl }));
  if (choosesBundle) client.registerPolicy((_, accepts) => bundleIn(accepts));
  if (!hasHook) return wrapFetchWithPayment(send, client);
  const { createSIWxClientHook } = await import('@x402/extensions/sign-in-with-x');
  return wrapFetchWithPayment(send, new x402HTTPClient(client).onPaymentRequired(createSIWxClientHook(signer)));
}

async function faremeter(send, keypair, { choosesBundle }) {
  const { wrap } = await import('@faremeter/fetch');
  const { createPaymentHandler } = await import('@faremeter/payment-solana/exact');
  const { createLocalWallet } = await import('@faremeter/wallet-solana');
  const handler = createPaymentHandler(await createLocalWallet('mainnet-beta', keypair), asset, rpcUrl);
  const payerChooser = (payers) => (choosesBundle ? bundleIn(payers) : payers)[0];
  return wrap(send, { handlers: [handler], payerChooser, retryCount: 0, returnPaymentFailure: true });
}

const CLIENTS = { official, faremeter };
const PACKAGES = { official: '@x402/fetch', faremeter: '@faremeter/fetch' };

function versionOf(client) {
  const entry = import.meta.resolve(PACKAGES[client]);
  return JSON.parse(readFileSync(new URL(`${entry.slice(0, entry.indexOf('/dist/'))}/package.json`), 'utf8')).version;
}

/** The settled transaction in a response; empty if none. */
function transactionOf(response) {
  const header = response.headers.get('payment-response');
  return header === null ? '' : JSON.parse(atob(header)).transaction;
}

async function outcomesOf({ client, keypair, requests, ...ways }) {
  let sent = 0;
  const count = (...parts) => {
    sent++;
    return fetch(...parts);
  };
  const ask = await CLIENTS[client](count, Uint8Array.from(keypair), ways);
  const outcomes = [];
  for (const { url, init } of requests) {
    sent = 0;
    const response = await ask(url, init);
    const { error } = await response.json();
    const credit = response.headers.get('credit');
    outcomes.push({ status: response.status, error, sent, transaction: transactionOf(response), credit });
  }
  return outcomes;
}

const told = [];
for (const story of stories) told.push(await outcomesOf(story));
process.stdout.write(JSON.stringify({ version: versionOf(stories[0].client), told }));
