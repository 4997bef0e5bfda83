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
import { measureSubjects, start, titleOf, writeTable } from './processes.mjs';
import { measureStages } from './stages.mjs';

/** How often everything is measured: rounds of so many requests after a warm-up, and each stage by itself. */
const STAGES = { rounds: 5, count: 2_000 };
const USUAL = { rounds: 3, requests: 1_000, warmUp: 1_000, stages: STAGES };
const FULL = { ...USUAL, rounds: 7, requests: 5_000 };
const CLIENTS = 16;
const PATH = '/v1/x402/tokens/health';
/** A path whose answer is kept, where answers are. */
const KEPT_PATH = '/v1/x402/tokens/assets/search?q=sol&limit=5';
/** The largest budget whose slots are kept on disk, and one that is not. */
const [KEPT, LARGE] = [1_000, 1_000_000];
/** So short that a thousand slots last for every request. */
const WINDOW_MS = 50;
const FLOOR = 'hand-written floor';

async function signed({ folder, upstream, signers }, name, file, variables, path = PATH) {
  const shared = { TOKENS_API_BASE_URL: upstream.url, TOKENS_API_KEY: 'a-key-of-no-upstream', WINDOW_MS };
  const { url, child } = await start(file, { PORT: '0', DATA_DIR: join(folder, name), ...shared, ...variables });
  const clients = signers.map((signer) => createClient({ baseUrl: url, signer }));
  return { name, url, child, asks: clients.map((client) => () => client.ask(path)), expected: 200 };
}

/** Its challenge is read by its own client, and each request needs a challenge of its own: two arrive for one answer. */
async function middleware({ upstream, signers }, name) {
  const { url, child } = await start('middleware.mjs', { TOKENS_API_BASE_URL: upstream.url });
  const asks = signers.map(async () => {
    const client = new x402HTTPClient(new x402Client());
    const hook = createSIWxClientHook(await generateKeyPairSigner());
    const ask = wrapFetchWithPayment(fetch, client.onPaymentRequired(hook));
    return () => ask(url + PATH);
  });
  return { name, child, asks: await Promise.all(asks), expected: 200 };
}

const unsigned = ({ signers }, name, { url, child }, expected) => {
  return { name, child, asks: signers.map(() => () => fetch(url + PATH)), expected };
};

async function startSubjects(parts) {
  const large = { TOKENS_RATE_LIMIT_PER_MINUTE: LARGE };
  const gateway = await signed(parts, 'gateway', 'gateway.mjs', large);
  return [
    await signed(parts, FLOOR, 'floor.mjs', {}),
    gateway,
    await signed(parts, 'gateway, slots on disk', 'gateway.mjs', { TOKENS_RATE_LIMIT_PER_MINUTE: KEPT }),
    await signed(parts, 'gateway, a search', 'gateway.mjs', large, KEPT_PATH),
    await signed(parts, 'gateway, the search from its cache', 'gateway.mjs', { RESPONSE_CACHE: 'on' }, KEPT_PATH),
    await signed(parts, 'floor that has kept its answer', 'floor.mjs', { KEEP: 'on' }),
    // Its Ed25519 is written in JavaScript: a few requests say enough.
    { ...(await signed(parts, 'floor with the official sign-in', 'floor.mjs', { SIGN_IN: 'official' })), share: 0.05 },
    { ...(await middleware(parts, 'official middleware, its challenge included')), share: 0.05 },
    unsigned(parts, 'bare server', parts.upstream, 200),
    unsigned(parts, 'gateway, challenge', gateway, 402),
  ];
}

/** Writes what a request costs, server beside server and stage by stage. */
export async function measure(pace = process.env.ROUNDS === 'full' ? FULL : USUAL) {
  const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-measure-'));
  const signers = Array.from({ length: CLIENTS }, newSigner);
  const upstream = await start('upstream.mjs');
  const subjects = await startSubjects({ folder, upstream, signers });
  try {
    const least = await measureSubjects(subjects, pace);
    const floor = least.get(FLOOR);
    writeTable(
      [titleOf(pace), 'µs', 'floor / it'],
      Array.from(least, ([name, micros]) => [name, Math.round(micros), (floor / micros).toFixed(2)]),
    );
    const large = await measureStages(upstream.url, LARGE, pace.stages);
    const kept = await measureStages(upstream.url, KEPT, pace.stages);
    writeTable(
      ['stage, by itself', 'µs', 'slots on disk'],
      Array.from(large, ([name, micros]) => [name, micros.toFixed(1), kept.get(name).toFixed(1)]),
    );
  } finally {
    for (const { child } of new Set([...subjects, { child: upstream.child }])) child.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}
