// Calls a gateway with the client, twice a seed, and says what each call came to. It runs in a process of its own.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createClient, GatewayError } from '@asset-gateway/client';
import { newKeypair, signerFromBytes } from '@asset-gateway/client/node';
import { payWith } from '@asset-gateway/client/pay';

const TIMEOUT_MS = 1_000;
const [url] = process.argv.slice(2);
const keypair = newKeypair();
const signer = signerFromBytes(keypair);
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();

const strange = [];
process.on('unhandledRejection', (error) => strange.push(String(Object(error).stack ?? error)));

/** Calls once; returns the error code, or any other error. */
async function call(work) {
  delay.reset();
  const started = performance.now();
  let outcome = 'ok';
  try {
    await work();
  } catch (error) {
    outcome = error instanceof GatewayError ? error.code : `not a GatewayError: ${error?.stack ?? error}`;
  }
  return { outcome, lateMs: performance.now() - started - TIMEOUT_MS - delay.max / 1e6 };
}

process.on('message', async ({ seed }) => {
  const shown = [];
  const pay = payWith({ wallet: keypair, rpcUrl: url, approve: (offer) => void shown.push(offer) });
  const credit = [undefined, true, false][seed % 3];
  const client = createClient({
    baseUrl: url,
    signer,
    pay,
    timeoutMs: TIMEOUT_MS,
    ...(credit !== undefined && { credit }),
  });
  const isFree = seed % 4 === 0;
  const work = () => (isFree ? client.tokens.search({ q: 'gold' }) : client.rpc.getBalance(signer.address));
  const calls = [await call(work), await call(work)];
  process.send({ seed, shown, calls, strange: strange.splice(0) });
});
process.send({ address: signer.address });
process.once('disconnect', () => process.exit());
