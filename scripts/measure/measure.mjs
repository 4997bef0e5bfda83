// The CPU time of one request: the gateway compared with a minimal hand-written server. Linux only: it reads /proc.
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
import { measureSaturated, saturatedTitle } from './saturation.mjs';

const USUAL = { rounds: 3, requests: 1_000, warmUp: 1_000 };
const FULL = { ...USUAL, rounds: 7, requests: 5_000 };
const CLIENTS = 16;
const PATH = '/v1/x402/tokens/health';
/** A path whose answer is cacheable. */
const CACHEABLE_PATH = '/v1/x402/tokens/assets/search?q=sol&limit=5';
/** The largest budget with slots on disk, and one without. */
const [ON_DISK, LARGE] = [1_000, 1_000_000];
/** Short enough that a thousand slots suffice for every request. */
const WINDOW_MS = 50;
const FLOOR = 'hand-written floor';
const REPEATING = 'floor that repeats its answer';
const [GATEWAY, CACHED] = ['gateway', 'gateway, the search from its cache'];
/** The servers that are measured saturated too. */
const SATURATED = [FLOOR, GATEWAY, CACHED, REPEATING];

async function signed({ folder, upstream, signers }, name, file, variables, path = PATH) {
  const shared = { TOKENS_API_BASE_URL: upstream.url, TOKENS_API_KEY: 'a-key-of-no-upstream', WINDOW_MS };
  const { url, child } = await start(file, { PORT: '0', DATA_DIR: join(folder, name), ...shared, ...variables });
  const clients = signers.map((signer) => createClient({ baseUrl: url, signer }));
  return { name, url, path, child, asks: clients.map((client) => () => client.ask(path)), expected: 200 };
}

/** The official client sends two requests for each answer, because every sign-in needs a new challenge. */
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
  const gateway = await signed(parts, GATEWAY, 'gateway.mjs', large);
  return [
    await signed(parts, FLOOR, 'floor.mjs', {}),
    gateway,
    await signed(parts, 'gateway, slots on disk', 'gateway.mjs', { TOKENS_RATE_LIMIT_PER_MINUTE: ON_DISK }),
    await signed(parts, 'gateway, a search', 'gateway.mjs', large, CACHEABLE_PATH),
    await signed(parts, CACHED, 'gateway.mjs', { RESPONSE_CACHE: 'on' }, CACHEABLE_PATH),
    await signed(parts, REPEATING, 'floor.mjs', { KEEP: 'on' }),
    // Slow, because its Ed25519 is written in JavaScript: a few requests suffice.
    { ...(await signed(parts, 'floor with the official sign-in', 'floor.mjs', { SIGN_IN: 'official' })), share: 0.05 },
    { ...(await middleware(parts, 'official middleware, its challenge included')), share: 0.05 },
    unsigned(parts, 'bare server', parts.upstream, 200),
    unsigned(parts, 'gateway, challenge', gateway, 402),
  ];
}

/** Writes microseconds by server, compared with the floor. */
function writeCosts(title, micros) {
  const floor = micros.get(FLOOR);
  const rows = Array.from(micros, ([name, each]) => [name, Math.round(each), (floor / each).toFixed(2)]);
  writeTable([title, 'µs', 'floor / it'], rows);
}

/** Writes the cost of a request on each server: of a few clients, then saturated. */
export async function measure(pace = process.env.ROUNDS === 'full' ? FULL : USUAL) {
  const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-measure-'));
  const signers = Array.from({ length: CLIENTS }, newSigner);
  const upstream = await start('upstream.mjs');
  const subjects = await startSubjects({ folder, upstream, signers });
  try {
    writeCosts(titleOf(pace), await measureSubjects(subjects, pace));
    const saturated = subjects.filter(({ name }) => SATURATED.includes(name));
    writeCosts(saturatedTitle(pace), await measureSaturated(saturated, { ...pace, signer: signers[0] }));
  } finally {
    for (const { child } of new Set([...subjects, { child: upstream.child }])) child.kill('SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}
