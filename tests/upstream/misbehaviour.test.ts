import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type GatewayClient } from '@asset-gateway/client';
import { newSigner } from '@asset-gateway/client/node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FaultKnobs, startTokensApi, type TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { makeFolder } from '../kit/folder.ts';
import { suiteInCi } from '../kit/optional.ts';
import { type GatewayProcess, startProcess } from '../kit/process.ts';
import { isFull } from '../kit/rounds.ts';
import { CANARY_KEY } from '../kit/test-gateway.ts';
import { memoryMib } from '../kit/usage.ts';
import { compileGateway } from '../process/program.ts';

/** Duration of each fault. */
const FAULT_MS = isFull ? 60_000 : 1_500;
const TICK_MS = 50;
/** Latest first success. */
const RECOVERY_MS = 15_000;
const AFTER_PAUSE_MS = 5_000;
const PAUSE_SECONDS = 2;
/** How much more memory the process may have after all faults than before the first one; a young process still grows. */
const GROWTH_MIB = isFull ? 48 : 192;
const PATH = '/v1/x402/tokens/assets/search?q=sol';

const FAULTS: Readonly<Record<string, FaultKnobs>> = {
  hangs: { hang: true },
  drips: { drip: 500 },
  resets: { resetConnection: true },
  redirects: { redirect: 'http://127.0.0.1:9/' },
  'answers garbage': { body: '<html>nothing here' },
  'answers 429': { status: 429, retryAfter: String(PAUSE_SECONDS) },
};

suiteInCi('an upstream that misbehaves', {}, () => {
  let upstream: TokensApi;
  let gateway: GatewayProcess;
  const folder = makeFolder();
  beforeAll(async () => {
    await compileGateway();
    upstream = await startTokensApi({ key: CANARY_KEY });
    gateway = await startProcess('packages/gateway/bin/main.js', [], {
      PORT: '0',
      LOG_LEVEL: 'info',
      DATA_DIR: folder,
      TOKENS_API_BASE_URL: upstream.url,
      TOKENS_API_KEY: CANARY_KEY,
      TOKENS_RATE_LIMIT_PER_MINUTE: '10000',
      ...(!isFull && { UPSTREAM_TIMEOUT_MS: '2000' }),
    });
    gateway.child.stdout?.resume();
  }, 60_000);
  afterAll(async () => {
    await gateway.end('SIGTERM');
    await upstream.close();
    rmSync(folder, { recursive: true });
  });

  const rssMib = () => memoryMib(gateway.child.pid);

  /** Sends twenty requests a second; returns their statuses. */
  async function askFor(milliseconds: number): Promise<number[]> {
    const clients = Array.from({ length: 20 }, () =>
      createClient({ baseUrl: gateway.url, signer: newSigner(), retries: 0 }),
    );
    const asked: Promise<number>[] = [];
    for (let tick = 0; tick * TICK_MS < milliseconds; tick++) {
      const client = clients[tick % clients.length] as GatewayClient;
      asked.push(client.ask(PATH).then((response) => response.arrayBuffer().then(() => response.status)));
      await sleep(TICK_MS);
    }
    return Promise.all(asked);
  }

  /** Milliseconds until a request succeeds. */
  async function recovery(): Promise<number> {
    const startedAt = performance.now();
    const client = createClient({ baseUrl: gateway.url, signer: newSigner(), retries: 0 });
    for (;;) {
      const response = await client.ask(PATH);
      await response.arrayBuffer();
      const waited = performance.now() - startedAt;
      if (response.status === 200 || waited > 4 * RECOVERY_MS) return waited;
      await sleep(TICK_MS);
    }
  }

  const measured: string[] = [];
  let before = 0;
  it('serves while nothing is wrong', async () => {
    const statuses = await askFor(isFull ? 10_000 : 1_000);
    expect(statuses.filter((status) => status !== 200 && (isFull || status !== 504))).toEqual([]);
    expect(statuses).toContain(200);
    before = rssMib();
  }, 60_000);

  it.each(Object.entries(FAULTS))(
    'U1 U2 U3 U9 U10 U11 that %s: 502 to 504 meanwhile, and served again soon after',
    async (name, knobs) => {
      Object.assign(upstream.faults, knobs);
      const statuses = await askFor(FAULT_MS);
      upstream.faults.reset();
      const limit = knobs.status === 429 ? AFTER_PAUSE_MS + PAUSE_SECONDS * 1000 : RECOVERY_MS;
      const waited = await recovery();
      expect(waited).toBeLessThanOrEqual(isFull ? limit : 2 * limit);
      expect(statuses.filter((status) => ![502, 503, 504].includes(status))).toEqual([]);
      measured.push(`${name}: ${statuses.length} refused, served again after ${Math.round(waited)} ms`);
    },
    FAULT_MS + 90_000,
  );

  it('U21 does not use more memory', () => {
    const growth = rssMib() - before;
    measured.push(`memory: ${Math.round(before)} MiB before, ${growth.toFixed(1)} MiB more after`);
    if (isFull) process.stdout.write(`${measured.join('\n')}\n`);
    expect(growth).toBeLessThan(GROWTH_MIB);
  });
});
