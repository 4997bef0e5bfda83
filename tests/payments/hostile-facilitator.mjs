// A facilitator in a process of its own. It really settles, with x402's own packages, and then answers as it is told:
// POST /begin {feePayerKeypair, rpcUrl, network} makes it a new one, POST /control {verify, settle, storeDown} sets what it
// does, GET /calls lists what it was asked. It ends with whoever started it.
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { SettlementCache, toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import bs58 from 'bs58';

const { PORT = '0' } = process.env;
const CONFIRM_MS = 400;

// Its own words are for nobody.
console.error = () => {};
console.warn = () => {};
process.stdin.on('end', () => process.exit()).resume();

async function begin({ feePayerKeypair, rpcUrl, network }) {
  const life = { calls: [], orders: {} };
  const kept = new Map();
  /** The store of what was sent and not confirmed is down for the operations that it is ordered to be down for. */
  async function inStore(operation, task) {
    if (life.orders.storeDown?.includes(operation)) throw new Error('the store is down');
    return task();
  }
  const pendingSettlementStore = {
    get: (key) => inStore('get', () => kept.get(key)),
    set: (key, value) => inStore('set', () => void kept.set(key, value)),
    delete: (key) => inStore('delete', () => void kept.delete(key)),
  };
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
  life.scheme = new ExactSvmScheme(impatient, new SettlementCache(), { pendingSettlementStore });
  life.supported = {
    kinds: [{ x402Version: 2, scheme: 'exact', network, extra: { feePayer: signer.address } }],
    extensions: [],
    signers: { 'solana:*': [signer.address] },
  };
  return life;
}

let present;

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

/** Does the work unless ordered not to, and answers with the truth unless ordered to say something else. */
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

async function serve(request, response) {
  const text = await bodyOf(request);
  const { url, method, headers } = request;
  if (url === '/begin') present = await begin(JSON.parse(text));
  const { calls, orders, scheme, supported } = present;
  if (url === '/control') present.orders = JSON.parse(text);
  if (url === '/calls') return void response.end(JSON.stringify(calls));
  if (url === '/begin' || url === '/control') return void response.end('{}');
  calls.push({ method, url, idempotencyKey: headers['idempotency-key'], authorization: headers.authorization, text });
  if (url === '/supported') return void response.end(JSON.stringify(supported));
  const { paymentPayload, paymentRequirements } = JSON.parse(text);
  if (url === '/verify') await work(response, orders.verify, () => scheme.verify(paymentPayload, paymentRequirements));
  else await work(response, orders.settle, () => scheme.settle(paymentPayload, paymentRequirements));
}

const server = createServer((request, response) => {
  serve(request, response).catch(() => response.socket?.destroy());
});
server.listen(Number(PORT), '127.0.0.1', () => {
  process.stdout.write(`listening http://127.0.0.1:${server.address().port}\n`);
});
