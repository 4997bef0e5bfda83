// Facilitators in their own process. POST /begin {feePayerKeypair, rpcUrl, network, port} opens one and returns its URL. Each
// settles with x402's own packages. POST /control {verify, settle} sets its faults, GET /calls lists its calls, and
// POST /end closes it. The process ends with its parent.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { SettlementCache, toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import bs58 from 'bs58';

const CONFIRM_MS = 400;

// The packages print to the console.
console.error = () => {};
console.warn = () => {};
process.stdin.on('end', () => process.exit()).resume();

async function newFacilitator({ feePayerKeypair, rpcUrl, network }) {
  const facilitator = { calls: [], orders: {} };
  const signer = await createKeyPairSignerFromBytes(bs58.decode(feePayerKeypair));
  const svm = toFacilitatorSvmSigner(signer, { defaultRpcUrl: rpcUrl });
  const impatient = {
    ...svm,
    confirmTransaction: (...words) =>
      Promise.race([
        svm.confirmTransaction(...words),
        pause(CONFIRM_MS).then(() => Promise.reject(new Error('confirmation timed out'))),
      ]),
  };
  facilitator.scheme = new ExactSvmScheme(impatient, new SettlementCache());
  facilitator.supported = {
    kinds: [{ x402Version: 2, scheme: 'exact', network, extra: { feePayer: signer.address } }],
    extensions: [],
    signers: { 'solana:*': [signer.address] },
  };
  return facilitator;
}

/** Does the work and returns its result, unless the orders differ. */
async function work(response, { does = true, hang, status = 200, answer, delayMs = 0 } = {}, task) {
  const truth = does ? await task() : {};
  await pause(delayMs);
  if (hang) return;
  if (status === 'reset') response.socket.resetAndDestroy();
  else
    response
      .writeHead(status, { 'content-type': 'application/json' })
      .end(typeof answer === 'string' ? answer : JSON.stringify(answer ?? truth));
}

async function serve(facilitator, request, response) {
  const body = await text(request);
  const { url, method, headers } = request;
  const { calls, orders, scheme, supported } = facilitator;
  if (url === '/control') facilitator.orders = JSON.parse(body);
  if (url === '/calls') return void response.end(JSON.stringify(calls));
  if (url === '/control') return void response.end('{}');
  calls.push({ method, url, idempotencyKey: headers['idempotency-key'], authorization: headers.authorization });
  if (url === '/supported') return void response.end(JSON.stringify(supported));
  const { paymentPayload, paymentRequirements } = JSON.parse(body);
  if (url === '/verify') await work(response, orders.verify, () => scheme.verify(paymentPayload, paymentRequirements));
  else await work(response, orders.settle, () => scheme.settle(paymentPayload, paymentRequirements));
}

/** Listens, and drops the connection of what cannot be served. */
async function listen(port, answer) {
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.socket?.destroy());
  }).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${server.address().port}` };
}

/** Opens a facilitator, and tells its URL. */
async function begin({ port = 0, ...settings }) {
  const facilitator = await newFacilitator(settings);
  const { server, url } = await listen(port, async (request, response) => {
    if (request.url !== '/end') return serve(facilitator, request, response);
    response.writeHead(200, { connection: 'close' }).end('{}');
    response.once('close', () => server.close().closeAllConnections());
  });
  return url;
}

const { url } = await listen(0, async (request, response) => {
  response.end(JSON.stringify({ url: await begin(JSON.parse(await text(request))) }));
});
process.stdout.write(`listening ${url}\n`);
