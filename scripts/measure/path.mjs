// The files and functions of ours that one warm request runs through, counted by V8 in the compiled gateway, not in its bundle.
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../packages/client/dist/index.js';
import { newKeypair, signerFromBytes } from '../../packages/client/dist/node.js';
import { payWith } from '../../packages/client/dist/pay.js';
import { startSolanaSandbox } from '../../packages/sandbox/dist/solana-sandbox.js';
import { startTokensApi } from '../../packages/sandbox/dist/tokens/api.js';
import { start, writeTable } from './processes.mjs';

const FREE = '/v1/x402/tokens/health';
const CACHEABLE = '/v1/x402/tokens/assets/search?q=sol&limit=5';
const PAID = '/v1/x402/helius/wallet/balances/So11111111111111111111111111111111111111112';
const FUNDS = 10_000_000n;
const WARM = 5;
/** Timers add to some of the requests, so the fewest functions count. */
const COUNTED = 10;

/** The calls of the last of the HTTP requests that `ask` sends: those before it fetch a challenge. */
async function callsOf({ child, ask }) {
  const calls = async () => {
    child.send('calls');
    const [answer] = await once(child, 'message');
    return answer;
  };
  let last = [];
  const { status } = await ask(async (...request) => {
    await calls();
    const response = await fetch(...request);
    const whole = new Response(await response.arrayBuffer(), response);
    last = await calls();
    return whole;
  });
  if (status !== 200) throw new Error(`status ${status}`);
  return last;
}

async function measureSubject({ name, ...subject }) {
  for (let time = 0; time < WARM; time++) await callsOf(subject);
  const counted = [];
  for (let time = 0; time < COUNTED; time++) counted.push(await callsOf(subject));
  const fewest = counted.reduce((least, calls) => (calls.length < least.length ? calls : least));
  if (process.env.LIST === name) process.stdout.write(listOf(fewest));
  const files = new Set(fewest.map(({ url }) => url));
  return [name, files.size, fewest.length, fewest.reduce((sum, { count }) => sum + count, 0)];
}

/** Every function as a line, for a reader who asks which they are. */
const listOf = (calls) =>
  calls.map(({ url, name, count }) => `${url.replace(/.*\/packages\//, '')} ${name} ${count}\n`).join('');

/** Writes how much of our code one request of each kind runs through. `LIST=<kind>` also writes the functions of that kind. */
export async function measurePath() {
  const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-path-'));
  const tokens = await startTokensApi({ key: 'a-key-of-the-upstream' });
  const solana = await startSolanaSandbox({ key: 'a-key-of-the-providers' });
  const wallet = newKeypair();
  const signer = signerFromBytes(wallet);
  await solana.mainnet.fundUsdc(signer.address, FUNDS);
  const gateway = (state, variables) => {
    const upstream = { TOKENS_API_BASE_URL: tokens.url, TOKENS_API_KEY: tokens.key };
    return start('counted-gateway.mjs', { PORT: '0', DATA_DIR: join(folder, state), ...upstream, ...variables });
  };
  const plain = await gateway('plain', { ...solana.variables, CREDIT: 'on' });
  const caching = await gateway('caching', { RESPONSE_CACHE: 'on' });
  const subject = (name, { url, child }, path, settings) => {
    let send;
    const options = { baseUrl: url, signer, fetch: (...request) => send(...request), ...settings };
    const client = createClient(options);
    const ask = (sending) => {
      send = sending;
      return client.ask(path);
    };
    return { name, child, ask };
  };
  const pay = payWith({ wallet, rpcUrl: solana.mainnet.url });
  try {
    const subjects = [
      subject('signed and free', plain, FREE),
      subject('cached', caching, CACHEABLE),
      subject('bought', plain, PAID, { pay, credit: false }),
      subject('debited', plain, PAID, { pay, credit: true }),
    ];
    const rows = [];
    for (const each of subjects) rows.push(await measureSubject(each));
    writeTable(['one request', 'files', 'functions', 'calls'], rows);
  } finally {
    for (const { child } of [plain, caching]) child.kill('SIGTERM');
    await Promise.all([tokens.close(), solana.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}
