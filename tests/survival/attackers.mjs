// Attackers in their own process, so that they take no time from the measuring client. It starts with a plan, replays the
// sign-ins that it gets, and counts the answers of each attack. The plan: the gateway's `url` and the chain's `rpcUrl`; key pairs of
// wallets that cannot pay (`poor`) and of two that could (`rich`); an account that the provider never answers about (`hangs`, asked for
// every `hangMs`); how many connections say nothing (`silent`), and how many pipelines are not read.
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { challengeIn, signIn } from '@asset-gateway/client';
import { newSigner } from '@asset-gateway/client/node';
import { paymentFor } from '@asset-gateway/client/pay';

const BATCH = '/v1/x402/helius/wallet/batch-identity';
const SNAPSHOTS = '/v1/x402/tokens/assets/market-snapshots';
const BALANCE = '/v1/x402/solana/mainnet/helius/rpc/getBalance';
const BODY_BYTES = 60_000;
const BLANKS = ' '.repeat(15_500);
const JSON_TYPE = { 'Content-Type': 'application/json' };
/** Sign-ins and payments expire after five minutes; they are renewed before. */
const RENEW_MS = 60_000;
const PIPELINE = Buffer.from('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(15_000));
const REPLAYS = 10;

const tally = {};
let plan;
const over = new AbortController();

function count(attack, outcome) {
  tally[attack] ??= {};
  tally[attack][outcome] = (tally[attack][outcome] ?? 0) + 1;
}

// Each attack comes from an address of its own, so that none gets in the way of another.
const addressOf = (attack) => `127.0.1.${attack.slice(1)}`;
const agents = new Map();
function agentOf(attack) {
  const agent = agents.get(attack) ?? new Agent({ keepAlive: true, localAddress: addressOf(attack) });
  agents.set(attack, agent);
  return agent;
}

function send(attack, path, { method = 'GET', headers = {}, body = undefined } = {}) {
  const length = body === undefined ? {} : { 'Content-Length': Buffer.byteLength(body) };
  const options = { method, headers: { ...headers, ...length }, agent: agentOf(attack) };
  return new Promise((resolve, reject) => {
    const outgoing = request(plan.url + path, options, (response) => {
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
    });
    outgoing.on('error', reject).end(body);
  });
}

async function attempt(attack, path, init) {
  const outcome = await send(attack, path, init).catch((error) => ({ status: error.code ?? 'closed' }));
  count(attack, outcome.status);
}

/** The headers that pay for one answer to this request, by a wallet. */
async function payment(attack, path, init, keypair) {
  const { text } = await send(attack, path, init);
  return paymentFor(JSON.parse(text), { wallet: Uint8Array.from(keypair), rpcUrl: plan.rpcUrl });
}

/** Sends one request again and again, with a payment or a sign-in that is refused before it is used up. */
function repeated(attack, path, init, credentials) {
  let headers;
  let madeAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - madeAt > RENEW_MS) {
      madeAt = performance.now();
      headers = await credentials(attack, path, init);
    }
    if (headers) await attempt(attack, path, { ...init, headers: { ...init.headers, ...headers } });
  };
}

const postOf = (body) => ({ method: 'POST', headers: JSON_TYPE, body: JSON.stringify(body) });
const paidBy = (keypair) => (attack, path, init) => payment(attack, path, init, keypair);

async function signedByAnybody(attack, path, init) {
  const { text } = await send(attack, path, init);
  return { 'SIGN-IN-WITH-X': await signIn(challengeIn(JSON.parse(text)), newSigner(), new URL(plan.url + path)) };
}

function unknownKeys() {
  const keys = Array.from({ length: BODY_BYTES / 10 }, (_, index) => [`k${index.toString(36)}`, 1]);
  return Object.fromEntries(keys);
}

const inTurn = (list) => {
  let next = 0;
  return () => list[next++ % list.length];
};

/** Sends what each call makes, or calls what it gives, at this pace, whatever becomes of the requests before. */
async function every(periodMs, act) {
  const under = new Set();
  for (let turn = 1, since = performance.now(); !over.signal.aborted; turn++) {
    const acting = Promise.resolve(act())
      .catch((error) => process.stderr.write(`${error.stack}\n`))
      .finally(() => under.delete(acting));
    under.add(acting);
    await pause(Math.max(0, since + turn * periodMs - performance.now()), undefined, over).catch(() => undefined);
  }
  await Promise.all(under);
}

/** A small body that says much: base58 of 60 KB. */
function longNames() {
  const path = BATCH;
  const names = postOf({ wallets: ['z'.repeat(BODY_BYTES)] });
  return every(500, repeated('V1', path, names, paidBy(plan.poor[0])));
}

function blanks() {
  const text = `a${BLANKS}b`;
  const asks = { Origin: 'http://other.example', 'Access-Control-Request-Method': 'GET' };
  const preflight = { method: 'OPTIONS', headers: { ...asks, 'Access-Control-Request-Headers': text } };
  const kin = ['SIGN-IN-WITH-X', 'PAYMENT-SIGNATURE', 'X-Forwarded-For', 'If-None-Match', 'X-Request-Id'];
  const next = inTurn(kin.map((name) => ({ headers: { [name]: text } })));
  const paths = inTurn([`${SNAPSHOTS.replace('market-snapshots', 'solana')}`, '/v1/x402/helius/wallet/balances/x']);
  return every(1_000, () => Promise.all([attempt('V2', paths(), preflight), attempt('V2', paths(), next())]));
}

function bogusPayments() {
  const next = inTurn(plan.poor);
  const pathOf = () => `/v1/x402/helius/wallet/balances/${newSigner().address}`;
  return every(1_000 / 12, async () => {
    const path = pathOf();
    await attempt('V6', path, { headers: await payment('V6', path, {}, next()) });
  });
}

/** Wallets with money whose requests hang at the provider. */
function hanging() {
  const [first, second] = plan.rich;
  const init = postOf({ params: [plan.hangs] });
  return every(plan.hangMs, () =>
    Promise.all(
      [first, first, first, second, second].map(async (keypair) => {
        const headers = await payment('V9', BALANCE, init, keypair);
        await attempt('V9', BALANCE, { ...init, headers: { ...JSON_TYPE, ...headers } });
      }),
    ),
  );
}

function refusedBodies() {
  const body = postOf(unknownKeys());
  const next = inTurn([
    repeated('V18', BATCH, body, paidBy(plan.poor[1])),
    repeated('V18', SNAPSHOTS, body, signedByAnybody),
  ]);
  return every(500, () => next()());
}

function open(attack, bytes) {
  const { hostname, port } = new URL(plan.url);
  const socket = connect({ host: hostname, port: Number(port), localAddress: addressOf(attack) });
  socket.on('error', () => undefined).once('connect', () => socket.write(bytes));
  return socket;
}

/** Connections that have been answered once and say nothing more; those that are closed are opened again, fifty a second. */
async function silent() {
  const sockets = new Set();
  const hello = `GET ${SNAPSHOTS} HTTP/1.1\r\nHost: ${new URL(plan.url).host}\r\n\r\n`;
  function add() {
    const socket = open('V14', hello.replace('market-snapshots', 'solana'));
    sockets.add(socket);
    socket.once('data', (chunk) => count('V14', Number(/^HTTP\/1.1 (\d+)/.exec(chunk.toString('latin1'))?.[1])));
    socket.once('close', () => sockets.delete(socket));
    socket.resume();
  }
  while (sockets.size < plan.silent && !over.signal.aborted) {
    for (let each = 0; each < 50; each++) add();
    await pause(50);
    if (Object.values(tally.V14 ?? {}).reduce((sum, times) => sum + times, 0) >= plan.silent) break;
  }
  await every(1_000, () => {
    for (let each = Math.min(50, plan.silent - sockets.size); each > 0; each--) add();
  });
  for (const socket of sockets) socket.destroy();
}

/** Pipelines of fifteen thousand requests each, of which no answer is read; those that are cut are opened again, one a second. */
async function pipelined() {
  const sockets = new Set();
  function add() {
    const socket = open('V20', PIPELINE).pause();
    sockets.add(socket);
    socket.once('connect', () => count('V20', 'not read'));
    // An unread socket notices its end when it writes.
    socket.once('close', () => sockets.delete(socket));
  }
  for (let each = 0; each < plan.pipelines; each++) add();
  await every(1_000, () => {
    if (sockets.size < plan.pipelines) add();
    for (const socket of sockets) if (socket.writableNeedDrain === false) socket.write('\r\n');
  });
  for (const socket of sockets) socket.destroy();
}

const replays = new Set();
function replay(used) {
  for (const { path, header } of used) {
    for (let time = 0; time < REPLAYS; time++) {
      const replaying = attempt('V13', path, { headers: { 'SIGN-IN-WITH-X': header } });
      replays.add(replaying);
      replaying.finally(() => replays.delete(replaying));
    }
  }
}

const ATTACKS = [longNames, blanks, bogusPayments, hanging, refusedBodies, silent, pipelined];

async function attack() {
  await Promise.all(ATTACKS.map((each) => each()));
  await Promise.all(replays);
  const { user, system } = process.cpuUsage();
  process.send({ tally, cpuSeconds: (user + system) / 1e6 }, () => process.exit(0));
}

process.on('message', (/** @type {any} */ message) => {
  if (message.used) replay(message.used);
  else if (message.isOver) over.abort();
  else {
    plan = message;
    void attack();
  }
});
process.on('disconnect', () => process.exit(1));
