// The CPU time of one purchase, and what it asks the chain, of the gateway, a hand-written server and the official packages. Linux only.
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createKeyPairSignerFromBytes } from '@solana/kit';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import { newKeypair } from '../../packages/client/dist/node.js';
import { NETWORKS } from '../../packages/protocol/dist/index.js';
import { cost, start, writeTable } from './servers.mjs';

/** V8 compiles during the first rounds, in the full run until it is done. More requests would outlive their blockhashes on a busy machine. */
const USUAL = { rounds: 16, warm: 8, requests: 96 };
const FULL = { rounds: 40, warm: 28, requests: 96 };
const [PAYERS, AT_ONCE] = [16, 8];
const NETWORK = NETWORKS.mainnet;
/** In millionths of a dollar; the gateway has its own. */
const PRICE = '500';
const REQUEST = { target: '/v1/x402/helius/wallet/balances/So11111111111111111111111111111111111111112' };
const WANTED = ['simulateTransaction', 'sendTransaction', 'getSignatureStatuses'];

const SERVERS = [
  { name: 'hand-written floor', file: 'purchase-floor.mjs' },
  { name: 'gateway', file: 'gateway.mjs' },
  { name: 'official packages', file: 'purchase-official.mjs' },
];

/** Variables of all servers. */
const variablesIn = (folder, upstream) => ({
  NETWORK,
  PRICE,
  DATA_DIR: folder,
  DATA_FILE: join(folder, 'floor.db'),
  TOKENS_API_BASE_URL: upstream.url,
  TOKENS_API_KEY: 'a-key-of-no-upstream',
  HELIUS_WALLET_API_BASE_URL: upstream.url,
  WALLET_RATE_LIMIT_PER_SECOND: '1000000',
  FEE_BUDGET_LAMPORTS_PER_HOUR: '9999999999',
});

/** What the chain has been asked since the last time. */
async function askedOf({ child }) {
  child.send('calls');
  const [told] = await once(child, 'message');
  return told;
}

/** The official client of a new wallet with USDC. */
async function newBuyer(chain) {
  const signer = await createKeyPairSignerFromBytes(newKeypair());
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sandbox_faucet', params: [signer.address] });
  await fetch(chain.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return new x402HTTPClient(new x402Client().register(NETWORK, new ExactSvmScheme(signer, { rpcUrl: chain.url })));
}

/** A paid request; the 402 names the price in its header, its body, or both. */
async function paidRequest(server, buyer) {
  const { body, headers } = await server.ask(REQUEST);
  const required = buyer.getPaymentRequiredResponse((name) => headers[name.toLowerCase()], JSON.parse(body));
  const payment = buyer.encodePaymentSignatureHeader(await buyer.createPaymentPayload(required));
  return { ...REQUEST, lines: Object.entries(payment).map(([name, value]) => `${name}: ${value}`) };
}

/** Payments for so many purchases, made before the first is sent, and then the CPU time and the chain's calls of one. */
async function measureOnce({ name, server }, { buyers, chain, count }) {
  const requests = [];
  for (let at = 0; at < count; at++) requests.push(await paidRequest(server, buyers[at % buyers.length]));
  await askedOf(chain);
  const { micros, statuses } = await cost(server, requests);
  const others = statuses.filter((status) => status !== 200);
  if (others.length > 0) throw new Error(`${name} answered ${others.length} of ${count} purchases with ${others[0]}`);
  const { methods } = await askedOf(chain);
  return { micros, methods };
}

const median = (values) => values.toSorted((one, other) => one - other)[values.length >> 1];

/** Calls for one purchase, by method. */
function callsFor(methods, count) {
  const number = (method) => (methods.filter((each) => each === method).length / count).toFixed(2);
  const others = [...new Set(methods)].filter((method) => !WANTED.includes(method));
  return [...WANTED.map(number), others.map((method) => `${method} ${number(method)}`).join(', ') || 'none'];
}

/** The row of a server: its median and extremes, its share of the floor, and its calls. */
function rowOf({ name, measured }, floor, count) {
  const micros = measured.map((each) => each.micros);
  const calls = callsFor(
    measured.flatMap(({ methods }) => methods),
    count * measured.length,
  );
  const middle = median(micros);
  return [name, middle, `${Math.min(...micros)} to ${Math.max(...micros)}`, (floor / middle).toFixed(2), ...calls];
}

/** Writes the CPU time of a purchase from each server, the median of several rounds in turns. */
export async function measurePurchase(pace = process.env.ROUNDS === 'full' ? FULL : USUAL) {
  const { rounds, requests, warm = 0 } = pace;
  const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-measure-'));
  const [chain, upstream] = [await start('purchase-chain.mjs'), await start('upstream.mjs')];
  const subjects = [];
  try {
    const { variables } = await askedOf(chain);
    for (const { name, file } of SERVERS) {
      const own = join(folder, file);
      mkdirSync(own);
      const server = await start(file, { ...variables, ...variablesIn(own, upstream) }, AT_ONCE);
      subjects.push({ name, server, measured: [] });
    }
    const buyers = [];
    for (let at = 0; at < PAYERS; at++) buyers.push(await newBuyer(chain));
    for (let round = 0; round < rounds; round++)
      for (const subject of subjects) {
        const measured = await measureOnce(subject, { buyers, chain, count: requests });
        if (round >= warm) subject.measured.push(measured);
      }
    const floor = median(subjects[0].measured.map(({ micros }) => micros));
    const title = `one purchase, ${rounds - warm} rounds of ${requests}, ${AT_ONCE} at once, ${PAYERS} payers`;
    const rows = subjects.map((subject) => rowOf(subject, floor, requests));
    writeTable([title, 'µs of CPU, median', 'from to', 'floor / it', ...WANTED, 'other calls'], rows);
  } finally {
    for (const { child } of [chain, upstream, ...subjects.map(({ server }) => server)]) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
