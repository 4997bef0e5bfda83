// CPU time of a process for one request: the gateway's beside that of the least that anybody could write, and what each stage of
// the gateway costs: `npm run measure`. Linux only: it reads /proc.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKeyPairSigner } from '@solana/kit';
import { x402Client, x402HTTPClient } from '@x402/core/client';
import { createSIWxClientHook } from '@x402/extensions/sign-in-with-x';
import { wrapFetchWithPayment } from '@x402/fetch';
import { createClient } from '../../packages/client/dist/index.js';
import { newSigner } from '../../packages/client/dist/node.js';
import { microsPerRequest, send, start } from './processes.mjs';
import { measureStages } from './stages.mjs';

const [ROUNDS, REQUESTS] = process.env.ROUNDS === 'full' ? [7, 5_000] : [3, 1_000];
const [WARM_UP, CLIENTS] = [1_000, 16];
const PATH = '/v1/x402/tokens/health';
/** A path whose answer is kept, where answers are. */
const KEPT_PATH = '/v1/x402/tokens/assets/search?q=sol&limit=5';
/** The largest budget whose slots are kept on disk, and one that is not. */
const [KEPT, LARGE] = [1_000, 1_000_000];
/** So short that a thousand slots last for every request. */
const WINDOW_MS = 50;

const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-measure-'));
const upstream = await start('upstream.mjs');
const signers = Array.from({ length: CLIENTS }, newSigner);

async function signed(name, file, variables, path = PATH) {
  const shared = { TOKENS_API_BASE_URL: upstream.url, TOKENS_API_KEY: 'a-key-of-no-upstream', WINDOW_MS };
  const { url, child } = await start(file, { PORT: '0', DATA_DIR: join(folder, name), ...shared, ...variables });
  const clients = signers.map((signer) => createClient({ baseUrl: url, signer }));
  return { name, url, child, asks: clients.map((client) => () => client.ask(path)), expected: 200 };
}

/** Its challenge is read by its own client, and each request needs a challenge of its own: two arrive for one answer. */
async function middleware(name) {
  const { url, child } = await start('middleware.mjs', { TOKENS_API_BASE_URL: upstream.url });
  const asks = signers.map(async () => {
    const client = new x402HTTPClient(new x402Client());
    const hook = createSIWxClientHook(await generateKeyPairSigner());
    const ask = wrapFetchWithPayment(fetch, client.onPaymentRequired(hook));
    return () => ask(url + PATH);
  });
  return { name, child, asks: await Promise.all(asks), expected: 200 };
}

const unsigned = (name, { url, child }, expected) => {
  return { name, child, asks: signers.map(() => () => fetch(url + PATH)), expected };
};

const gateway = await signed('gateway', 'gateway.mjs', { TOKENS_RATE_LIMIT_PER_MINUTE: LARGE });
const subjects = [
  await signed('hand-written floor', 'floor.mjs', {}),
  gateway,
  await signed('gateway, slots on disk', 'gateway.mjs', { TOKENS_RATE_LIMIT_PER_MINUTE: KEPT }),
  await signed('gateway, a search', 'gateway.mjs', { TOKENS_RATE_LIMIT_PER_MINUTE: LARGE }, KEPT_PATH),
  await signed('gateway, the search from its cache', 'gateway.mjs', { RESPONSE_CACHE: 'on' }, KEPT_PATH),
  await signed('floor that has kept its answer', 'floor.mjs', { KEEP: 'on' }),
  // Its Ed25519 is written in JavaScript: a few requests say enough.
  { ...(await signed('floor with the official sign-in', 'floor.mjs', { SIGN_IN: 'official' })), share: 0.05 },
  { ...(await middleware('official middleware, its challenge included')), share: 0.05 },
  unsigned('bare server', upstream, 200),
  unsigned('gateway, challenge', gateway, 402),
];

/** The least of several rounds, in turns: whatever else runs on the machine only adds. */
const least = new Map();
for (const { asks, expected, share = 1 } of subjects) await send(asks, WARM_UP * share, expected);
for (let round = 0; round < ROUNDS; round++) {
  for (const subject of subjects) {
    const micros = await microsPerRequest(subject, REQUESTS * (subject.share ?? 1));
    least.set(subject.name, Math.min(least.get(subject.name) ?? Number.POSITIVE_INFINITY, micros));
  }
}

const floor = least.get('hand-written floor');
process.stdout.write(
  `| µs of CPU for one request, least of ${ROUNDS} rounds of ${REQUESTS} | µs | floor / it |\n|---|---|---|\n`,
);
for (const [name, micros] of least) {
  process.stdout.write(`| ${name} | ${Math.round(micros)} | ${(floor / micros).toFixed(2)} |\n`);
}

const [large, kept] = [await measureStages(upstream.url, LARGE), await measureStages(upstream.url, KEPT)];
process.stdout.write('\n| stage, by itself | µs | slots on disk |\n|---|---|---|\n');
for (const [name, micros] of large) {
  process.stdout.write(`| ${name} | ${micros.toFixed(1)} | ${kept.get(name).toFixed(1)} |\n`);
}

for (const { child } of new Set([...subjects, { child: upstream.child }])) child.kill('SIGTERM');
rmSync(folder, { recursive: true, force: true });
