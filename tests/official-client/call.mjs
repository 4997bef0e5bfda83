import { readFileSync } from 'node:fs';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import * as siwx from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment } from '@x402/fetch';
import { ExactSvmScheme } from '@x402/svm/exact/client';

// The official client of whatever version is installed where this runs, as a program of its own.
const { keypair, rpcUrls, requests } = JSON.parse(process.argv[2]);
const signer = await createKeyPairSignerFromBytes(Uint8Array.from(keypair));

function payer() {
  const client = new x402Client();
  for (const [network, rpcUrl] of Object.entries(rpcUrls))
    client.register(network, new ExactSvmScheme(signer, { rpcUrl }));
  return client;
}

/** Ways to set up the client; undefined if this version lacks one. */
const WAYS = {
  createSIWxClientHook: (fetch) => {
    const client = new x402HTTPClient(new x402Client());
    return wrapFetchWithPayment(fetch, client.onPaymentRequired(siwx.createSIWxClientHook(signer)));
  },
  createSIWxClientExtension: (fetch) => {
    const extension = siwx.createSIWxClientExtension?.({ signers: [signer] });
    return extension && wrapFetchWithPayment(fetch, new x402Client().registerExtension(extension));
  },
  wrapFetchWithSIWx: (fetch) => siwx.wrapFetchWithSIWx(fetch, signer),
  ExactSvmScheme: (fetch) => wrapFetchWithPayment(fetch, payer()),
};

async function outcomesOf(way) {
  let sent = 0;
  const ask = WAYS[way]((...parts) => {
    sent++;
    return fetch(...parts);
  });
  if (!ask) return undefined;
  const outcomes = [];
  for (const { url, init } of requests[way]) {
    sent = 0;
    const response = await ask(url, init);
    const { error, message, method } = await response.json();
    outcomes.push({ status: response.status, error, message, method, sent });
  }
  return outcomes;
}

function versionOf(module) {
  const entry = import.meta.resolve(module);
  return JSON.parse(readFileSync(new URL(`${entry.slice(0, entry.indexOf('/dist/'))}/package.json`), 'utf8')).version;
}

const told = { versions: {}, outcomes: {} };
for (const name of ['core', 'extensions', 'fetch', 'svm']) told.versions[name] = versionOf(`@x402/${name}`);
for (const way of Object.keys(requests)) told.outcomes[way] = await outcomesOf(way);
process.stdout.write(JSON.stringify(told));
