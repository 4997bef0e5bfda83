import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { writeLargeApi } from './large-api.mjs';
import { start, threadMicros, writeTable } from './servers.mjs';

const COUNTS = [0, 2_000, 10_000];
const DOCUMENTS = ['/v1/catalog?provider=large', '/v1/catalog', '/openapi.json', '/.well-known/x402', '/llms.txt'];
const BROTLI = ['Accept-Encoding: br'];
const BEAT_MS = 1;
const BEFORE_MS = 100;

const mib = (bytes) => (bytes / 1024 / 1024).toFixed(2);

/** The resident memory of a process in MiB. */
const memoryOf = ({ pid = 0 }) =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024);

/** Starts a gateway. The time until it listens, and that of its main thread alone. */
async function startOne(folder, count) {
  const variables = {
    DATA_DIR: join(folder, `data-${count}`),
    TOKENS_API_KEY: 'a-key-of-the-upstream',
    GATEWAY_BASE_URL: 'https://gateway.example',
    LOG_LEVEL: 'error',
    ...(count > 0 && { APIS_FILE: writeLargeApi(folder, count) }),
  };
  const at = performance.now();
  const gateway = await start('gateway.mjs', variables, 2);
  return { gateway, ms: performance.now() - at, cpuMs: threadMicros(gateway.child) / 1e3 };
}

/** The longest answer to `/healthz`, asked again and again while something is done, in milliseconds. */
async function longestBeside({ ask }, work) {
  let isOver = false;
  let longestMs = 0;
  const asked = (async () => {
    while (!isOver) {
      const at = performance.now();
      await ask({ target: '/healthz' });
      longestMs = Math.max(longestMs, performance.now() - at);
      await pause(BEAT_MS);
    }
  })();
  await pause(BEFORE_MS);
  const result = await work();
  isOver = true;
  await asked;
  return { longestMs, result };
}

/** Asks for a document for the first time. Its answer stays encoded. */
async function first({ ask }, target) {
  const at = performance.now();
  const { status, headers } = await ask({ target, lines: BROTLI });
  if (status !== 200) throw new Error(`${target} is answered with ${status}`);
  return { ms: performance.now() - at, bytes: Number(headers['content-length']) };
}

async function documentsOf(gateway, count) {
  const rows = [];
  for (const target of count > 0 ? DOCUMENTS : DOCUMENTS.slice(1)) {
    const { longestMs, result } = await longestBeside(gateway, () => first(gateway, target));
    const whole = await gateway.ask({ method: 'HEAD', target });
    const sizes = [mib(whole.headers['content-length']), mib(result.bytes)];
    rows.push([count, target, ...sizes, result.ms.toFixed(1), longestMs.toFixed(1)]);
  }
  return rows;
}

async function measureCount(folder, count, rounds) {
  const starts = [];
  for (let round = 1; round < rounds; round++) {
    const { gateway, ...times } = await startOne(folder, count);
    starts.push(times);
    gateway.child.kill();
  }
  const { gateway, ...times } = await startOne(folder, count);
  starts.push(times);
  const least = (name) => Math.round(Math.min(...starts.map((each) => each[name])));
  const idle = await longestBeside(gateway, () => pause(BEFORE_MS));
  const row = [count, least('ms'), least('cpuMs'), memoryOf(gateway.child), idle.longestMs.toFixed(1)];
  const documents = await documentsOf(gateway, count);
  gateway.child.kill();
  return { row, documents };
}

/** Measures starts and first answers of gateways whose APIs have many operations. */
export async function measureSize({ rounds = process.env.ROUNDS === 'full' ? 7 : 3 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'asset-gateway-size-'));
  try {
    const measured = [];
    for (const count of COUNTS) measured.push(await measureCount(folder, count, rounds));
    const heading = [
      'operations',
      'start, ms',
      'CPU of its main thread, ms',
      'memory, MiB',
      'longest `/healthz` alone, ms',
    ];
    writeTable(
      heading,
      measured.map(({ row }) => row),
    );
    writeTable(
      ['operations', 'document', 'MiB', 'as Brotli', 'first answer, ms', 'longest `/healthz` beside it, ms'],
      measured.flatMap(({ documents }) => documents),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
