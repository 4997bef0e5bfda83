// CPU time of the gateway's process per signed request with its upstream call, and of a bare server that does the least
// that anybody could: `npm run measure`. Linux only: it reads /proc.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GatewayClient, newSigner } from '../../packages/client/dist/index.js';

const [WARM_UP, REQUESTS, CLIENTS] = [3_000, 20_000, 32];
const TICKS_PER_SECOND = 100;
const PATH = '/v1/x402/tokens/health';

const fileOf = (name) => fileURLToPath(new URL(name, import.meta.url));

/** Starts a script that says where it listens. */
function start(file, variables = {}) {
  const child = spawn(process.execPath, [file], { env: { PATH: process.env.PATH, ...variables } });
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
    child.stdout.on('data', (chunk) => {
      const url = /listening on (http:\S+?)["\s]/.exec(String(chunk))?.[1];
      if (url) resolve({ url, child });
    });
    child.stderr.pipe(process.stderr);
  });
}

/** User and system time of a process, in microseconds. */
function cpuMicros({ pid }) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1e6;
}

/** Sends so many requests over as many clients as there are, each waiting for its answer. */
async function send(asks, count) {
  let left = count;
  await Promise.all(
    asks.map(async (ask) => {
      while (left-- > 0) {
        const response = await ask();
        if (response.status !== 200) throw new Error(`status ${response.status}`);
        await response.arrayBuffer();
      }
    }),
  );
}

async function microsPerRequest(child, asks) {
  await send(asks, WARM_UP);
  const before = cpuMicros(child);
  await send(asks, REQUESTS);
  return Math.round((cpuMicros(child) - before) / REQUESTS);
}

const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-measure-'));
const upstream = await start(fileOf('upstream.mjs'));
const floor = await start(fileOf('floor.mjs'), { TOKENS_API_BASE_URL: upstream.url });
const gateway = await start(fileOf('../../packages/gateway/dist/main.js'), {
  PORT: '0',
  DATA_DIR: folder,
  TOKENS_API_BASE_URL: upstream.url,
  TOKENS_API_KEY: 'a-key-of-no-upstream',
  TOKENS_RATE_LIMIT_PER_MINUTE: '1000000',
});

const bare = Array.from({ length: CLIENTS }, () => () => fetch(floor.url));
const signed = Array.from({ length: CLIENTS }, () => {
  const client = new GatewayClient({ baseUrl: gateway.url, signer: newSigner() });
  return () => client.ask(PATH);
});
const least = await microsPerRequest(floor.child, bare);
const ours = await microsPerRequest(gateway.child, signed);
process.stdout.write(`bare server: ${least} µs of CPU a request\n`);
process.stdout.write(`gateway:     ${ours} µs of CPU a request, ${ours - least} µs on top (${REQUESTS} requests)\n`);

for (const { child } of [gateway, floor, upstream]) child.kill('SIGTERM');
rmSync(folder, { recursive: true, force: true });
