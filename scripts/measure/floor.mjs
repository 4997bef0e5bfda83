// A minimal server with the same answer: read the sign-in, verify it, use up its nonce, call the upstream, answer. No deadlines,
// limits, budget or log, and no defence against hostile input. KEEP=on calls the upstream once and repeats that answer.
import { createPublicKey, randomBytes, verify } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { listenOnLoopback } from './loopback.mjs';

const require = createRequire(new URL('../../packages/gateway/package.json', import.meta.url));
const { Pool } = require('undici');
const { default: bs58 } = await import(require.resolve('bs58').replace('/cjs/index.cjs', '/esm/index.js'));
const { CORS_HEADERS, siwxExtension, siwxMessageText } = await import('../../packages/protocol/dist/index.js');

const CHAIN = 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
const STATEMENT = 'Sign in with your wallet. This is free and moves no money.';
const COMMON = { ...CORS_HEADERS, 'X-Content-Type-Options': 'nosniff', 'Content-Type': 'application/json' };

const pool = new Pool(process.env.TOKENS_API_BASE_URL, { connections: 64, pipelining: 1 });
const nonces = new Set();
let left = 1_000_000;

function freshNonce() {
  const nonce = randomBytes(16).toString('hex');
  nonces.add(nonce);
  return nonce;
}

function challenge(request) {
  const domain = request.headers.host;
  const dates = { issuedAt: new Date().toISOString(), expirationTime: new Date(Date.now() + 300_000).toISOString() };
  const uri = `http://${domain}${request.url}`;
  const version = /** @type {const} */ ('1');
  const info = { domain, uri, version, nonce: freshNonce(), ...dates, statement: STATEMENT };
  return JSON.stringify({ x402Version: 2, accepts: [], extensions: { 'sign-in-with-x': siwxExtension(info) } });
}

function isSignedIn(header) {
  const sign = JSON.parse(Buffer.from(header, 'base64').toString());
  const text = siwxMessageText(sign);
  const [signature, address] = [
    bs58.decode(sign.signature),
    Buffer.from(bs58.decode(sign.address)).toString('base64url'),
  ];
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: address }, format: 'jwk' });
  const isFresh = nonces.delete(sign.nonce) && Date.now() - Date.parse(sign.issuedAt) < 300_000;
  return isFresh && sign.chainId === CHAIN && verify(null, Buffer.from(text), key, signature);
}

async function ask() {
  const headers = { accept: 'application/json', 'accept-encoding': 'gzip, br', 'x-api-key': 'a-key-of-no-upstream' };
  const { body } = await pool.request({ method: 'GET', path: '/v1/health', headers });
  return body.text();
}

const kept = process.env.KEEP === 'on' ? await ask() : undefined;

const server = createServer(async (request, response) => {
  const header = request.headers['sign-in-with-x'];
  const id = randomBytes(16).toString('hex');
  if (header === undefined || !isSignedIn(header)) {
    response.writeHead(402, { ...COMMON, 'X-Request-Id': id }).end(challenge(request));
    return;
  }
  const text = kept ?? (await ask());
  const answer = `{"ok":true,"provider":"tokens","surface":"tokens","method":"health","result":${text}}`;
  const own = {
    'X-Request-Id': id,
    'Cache-Control': 'private, no-store',
    'Content-Length': String(Buffer.byteLength(answer)),
    'Replay-Nonce': freshNonce(),
    'RateLimit-Policy': '"upstream";q=1000000;w=60',
    RateLimit: `"upstream";r=${left--};t=60`,
  };
  response.writeHead(200, { ...COMMON, ...own }).end(answer);
});
server.keepAliveTimeout = 60_000;
listenOnLoopback(server);
