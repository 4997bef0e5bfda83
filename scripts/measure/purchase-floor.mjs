// A minimal server that sells: read the payment, check its transfer and one signature, simulate, call the upstream, write a row, sign, send,
// confirm, write a row, answer. No memo that binds a request, deadlines, limits, recovery or log, and no defence against hostile input.
import { createPrivateKey, createPublicKey, randomBytes, sign, verify } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { associatedAddress } from '../../packages/sandbox/dist/chain/token.js';
import { listenOnLoopback } from './loopback.mjs';

const require = createRequire(new URL('../../packages/gateway/package.json', import.meta.url));
const Database = require('libsql');
const { Pool } = require('undici');
const { default: bs58 } = await import(require.resolve('bs58').replace('/cjs/index.cjs', '/esm/index.js'));
const { CORS_HEADERS, USDC } = await import('../../packages/protocol/dist/index.js');

const {
  DATA_FILE,
  FEE_PAYER_KEYPAIR,
  HELIUS_WALLET_API_BASE_URL,
  NETWORK,
  PAY_TO_WALLET,
  PRICE,
  SOLANA_MAINNET_RPC_URL,
} = process.env;
const COMMON = { ...CORS_HEADERS, 'X-Content-Type-Options': 'nosniff', 'Content-Type': 'application/json' };
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
/** One byte of count, and two signatures. */
const MESSAGE_AT = 129;
const KEYS_AT = 5;
const secret = Buffer.from(bs58.decode(FEE_PAYER_KEYPAIR));
const feePayer = bs58.encode(secret.subarray(32));
const base64Url = (bytes) => Buffer.from(bytes).toString('base64url');
const jwkOf = (key) => ({ kty: 'OKP', crv: 'Ed25519', x: base64Url(key) });
const signingKey = createPrivateKey({
  key: { ...jwkOf(secret.subarray(32)), d: base64Url(secret.subarray(0, 32)) },
  format: 'jwk',
});
const asset = USDC.mainnet;
const destination = await associatedAddress(PAY_TO_WALLET, asset);

const upstream = new Pool(HELIUS_WALLET_API_BASE_URL, { connections: 64, pipelining: 1 });
const rpc = new Pool(SOLANA_MAINNET_RPC_URL, { connections: 64, pipelining: 1 });
const database = new Database(DATA_FILE);
database.exec(
  'pragma journal_mode = wal; pragma synchronous = full; create table sales (signature text primary key, state text, payer text)',
);
const reserve = database.prepare("insert into sales (signature, state, payer) values (?, 'reserved', ?)");
const record = database.prepare("update sales set state = 'settled' where signature = ?");

const textOf = async ({ body }) => body.text();

async function call(method, params) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const sent = rpc.request({ method: 'POST', path: '/', headers: { 'content-type': 'application/json' }, body });
  const { result } = JSON.parse(await textOf(await sent));
  return result;
}

function requirement() {
  const extra = { feePayer, memo: randomBytes(24).toString('base64url') };
  const terms = {
    scheme: 'exact',
    network: NETWORK,
    amount: PRICE,
    asset,
    payTo: PAY_TO_WALLET,
    maxTimeoutSeconds: 60,
  };
  return { ...terms, extra };
}

/** The instructions of a message; its counts have one byte each. */
function instructionsOf(message, keys) {
  let at = KEYS_AT + keys.length * 32 + 32;
  const list = () => {
    const end = at + 1 + message[at];
    const found = message.subarray(at + 1, end);
    at = end;
    return found;
  };
  const count = message[at++];
  return Array.from({ length: count }, () => ({ program: keys[message[at++]], accounts: list(), data: list() }));
}

/** The payer of a payment; undefined if it is not what was required. */
function payerOf(wire, { memo }) {
  const message = wire.subarray(MESSAGE_AT);
  const keys = Array.from({ length: message[4] }, (_, at) => {
    return bs58.encode(message.subarray(KEYS_AT + at * 32, KEYS_AT + at * 32 + 32));
  });
  const [, , transfer, memoInstruction, ...others] = instructionsOf(message, keys);
  const [, mint, to, payer] = [...transfer.accounts].map((account) => keys[account]);
  const isRight =
    wire[0] === 2 &&
    keys[0] === feePayer &&
    payer === keys[1] &&
    others.length === 0 &&
    transfer.program === TOKEN &&
    transfer.data[0] === 12 &&
    transfer.data.readBigUInt64LE(1) === BigInt(PRICE) &&
    mint === asset &&
    to === destination &&
    memoInstruction.data.toString() === memo;
  const key = createPublicKey({ key: jwkOf(message.subarray(KEYS_AT + 32, KEYS_AT + 64)), format: 'jwk' });
  return isRight && verify(null, message, key, wire.subarray(65, MESSAGE_AT)) ? payer : undefined;
}

function signed(wire) {
  const signature = sign(null, wire.subarray(MESSAGE_AT), signingKey);
  wire.set(signature, 1);
  return bs58.encode(signature);
}

async function isConfirmed(signature) {
  const { value } = await call('getSignatureStatuses', [[signature]]);
  return value[0]?.err === null;
}

async function sell(header, path) {
  const { accepted, payload } = JSON.parse(Buffer.from(header, 'base64').toString());
  const wire = Buffer.from(payload.transaction, 'base64');
  const payer = payerOf(wire, accepted.extra);
  if (!payer) return undefined;
  const { value } = await call('simulateTransaction', [
    payload.transaction,
    { encoding: 'base64', commitment: 'confirmed' },
  ]);
  if (value.err !== null) return undefined;
  const result = await textOf(await upstream.request({ method: 'GET', path, headers: { accept: 'application/json' } }));
  const signature = signed(wire);
  reserve.run(signature, payer);
  await call('sendTransaction', [wire.toString('base64'), { encoding: 'base64', skipPreflight: true }]);
  if (!(await isConfirmed(signature))) return undefined;
  record.run(signature);
  return { result, receipt: { success: true, transaction: signature, network: NETWORK, payer } };
}

const server = createServer(async (request, response) => {
  const header = request.headers['payment-signature'];
  const sold = header === undefined ? undefined : await sell(header, request.url);
  const id = { 'X-Request-Id': randomBytes(16).toString('hex') };
  if (!sold) {
    const body = JSON.stringify({ x402Version: 2, resource: { url: request.url }, accepts: [requirement()] });
    const required = { 'PAYMENT-REQUIRED': Buffer.from(body).toString('base64') };
    response.writeHead(402, { ...COMMON, ...id, ...required }).end(body);
    return;
  }
  const answer = `{"ok":true,"provider":"helius","surface":"wallet","method":"balances","result":${sold.result}}`;
  const receipt = Buffer.from(JSON.stringify(sold.receipt)).toString('base64');
  const own = { 'PAYMENT-RESPONSE': receipt, 'Content-Length': String(Buffer.byteLength(answer)) };
  response.writeHead(200, { ...COMMON, ...id, ...own }).end(answer);
});
server.keepAliveTimeout = 60_000;
listenOnLoopback(server);
