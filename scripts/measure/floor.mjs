// What no gateway can do without: read a request, verify one signature, ask the upstream, answer.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const require = createRequire(new URL('../../packages/gateway/package.json', import.meta.url));
const { Pool } = require('undici');
const sodium = require('sodium-native');

const [publicKey, secretKey] = [Buffer.alloc(32), Buffer.alloc(64)];
sodium.crypto_sign_keypair(publicKey, secretKey);
const message = Buffer.alloc(400, 'm');
const signature = Buffer.alloc(64);
sodium.crypto_sign_detached(signature, message, secretKey);

const pool = new Pool(process.env.TOKENS_API_BASE_URL, { connections: 64 });
const server = createServer(async (_, response) => {
  sodium.crypto_sign_verify_detached(signature, message, publicKey);
  const { body } = await pool.request({ method: 'GET', path: '/v1/health' });
  const text = await body.text();
  response.writeHead(200, { 'content-type': 'application/json' }).end(`{"ok":true,"result":${text}}`);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on http://127.0.0.1:${server.address().port}\n`));
