// CPU time of the gateway for a call that is paid from credit by signature, beside a signed call that is free:
// `npm run measure:credit`. Linux only: it reads /proc.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../packages/client/dist/index.js';
import { newSigner } from '../../packages/client/dist/node.js';
import { NETWORKS } from '../../packages/protocol/dist/index.js';
import { microsPerRequest, send, start } from './processes.mjs';

const { open } = createRequire(import.meta.url)('lmdb');

const [ROUNDS, REQUESTS, CLIENTS, WARM_UP] = [14, 500, 8, 2_500];
const ADDRESS = 'So11111111111111111111111111111111111111112';
const FREE = '/v1/x402/tokens/health';
const PAID = `/v1/x402/helius/wallet/balances/${ADDRESS}`;
/** The largest budget whose slots are kept on disk, and a window so short that it lasts for every request. */
const [LIMIT, WINDOW_MS] = [1_000, 50];

/** A facilitator that is there and never asked to settle. */
const facilitator = createServer((_, response) => {
  const kinds = Object.values(NETWORKS).map((network) => {
    return { x402Version: 2, scheme: 'exact', network, extra: { feePayer: ADDRESS } };
  });
  response.end(JSON.stringify({ kinds, extensions: [], signers: { 'solana:*': [ADDRESS] } }));
});
await new Promise((resolve) => facilitator.listen(0, '127.0.0.1', resolve));

const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-measure-'));
const signers = Array.from({ length: CLIENTS }, newSigner);

/** What the wallets have paid ahead. */
async function fund() {
  const root = open({ path: join(folder, 'gateway.lmdb'), maxDbs: 20 });
  const documents = root.openDB({ name: 'documents' });
  for (const { address } of signers) {
    const account = { grantedMicros: 5_000_000, spentMicros: 0, holds: [], owed: [], movements: [] };
    await documents.put(`account:${NETWORKS.mainnet}:${address}`, { value: account });
  }
  await root.flushed;
  await root.close();
}

await fund();
const upstream = await start('upstream.mjs');
const { url, child } = await start('gateway.mjs', {
  PORT: '0',
  DATA_DIR: folder,
  WINDOW_MS,
  CREDIT: 'on',
  FACILITATOR_URL: `http://127.0.0.1:${facilitator.address().port}`,
  PAY_TO_WALLET: ADDRESS,
  HELIUS_API_KEY: 'a-key-of-no-upstream',
  HELIUS_WALLET_API_BASE_URL: upstream.url,
  WALLET_RATE_LIMIT_PER_SECOND: 1_000_000,
  TOKENS_API_BASE_URL: upstream.url,
  TOKENS_API_KEY: 'a-key-of-no-upstream',
  TOKENS_RATE_LIMIT_PER_MINUTE: LIMIT,
});

const subject = (name, path, credit) => {
  const clients = signers.map((signer) => createClient({ baseUrl: url, signer, credit }));
  return { name, child, asks: clients.map((client) => () => client.ask(path)), expected: 200 };
};
const subjects = [subject('signed, free', FREE, false), subject('signed, from credit', PAID, true)];

/** The least of several rounds, in turns: whatever else runs on the machine only adds. */
const least = new Map();
for (const { asks } of subjects) await send(asks, WARM_UP);
for (let round = 0; round < ROUNDS; round++) {
  for (const each of subjects) {
    const micros = await microsPerRequest(each, REQUESTS);
    least.set(each.name, Math.min(least.get(each.name) ?? Number.POSITIVE_INFINITY, micros));
  }
}

const [free] = least.values();
process.stdout.write(
  `| µs of CPU for one request, least of ${ROUNDS} rounds of ${REQUESTS} | µs | it / free |\n|---|---|---|\n`,
);
for (const [name, micros] of least) {
  process.stdout.write(`| ${name} | ${Math.round(micros)} | ${(micros / free).toFixed(2)} |\n`);
}

for (const each of [child, upstream.child]) each.kill('SIGTERM');
facilitator.close();
rmSync(folder, { recursive: true, force: true });
