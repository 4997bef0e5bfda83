import { afterEach, describe, expect, it } from 'vitest';
import { startTokensApi, type TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { freePort } from '../http/ports.ts';
import { noteTime } from '../kit/event-loop.ts';
import { makeFolder } from '../kit/folder.ts';
import { type GatewayProcess, startProcess } from '../kit/process.ts';
import { isFull } from '../kit/rounds.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { mostInAnySpan, sleep } from './history.ts';

const SCRIPT = 'tests/kit/gateway-process.mjs';
noteTime();
describe('a gateway that is killed and started again', () => {
  let upstream: TokensApi;
  let gateway: GatewayProcess;

  afterEach(async () => {
    await gateway.end('SIGKILL');
    await upstream.close();
  });

  async function prepare(limit: number): Promise<NodeJS.ProcessEnv> {
    upstream = await startTokensApi({ key: 'upstream-key' });
    return {
      PORT: '0',
      DATA_DIR: makeFolder(),
      UPSTREAM_TIMEOUT_MS: '1000',
      TOKENS_API_KEY: 'upstream-key',
      TOKENS_API_BASE_URL: upstream.url,
      TOKENS_RATE_LIMIT_PER_MINUTE: String(limit),
    };
  }

  async function flood(limit: number, windowMs: number, kills: number): Promise<number> {
    const variables = await prepare(limit);
    const ask = () => askSigned(`${gateway.url}/v1/x402/tokens/assets/bitcoin`).catch(() => undefined);
    for (let kill = 0; kill < kills; kill++) {
      upstream.faults.delayMs = (kill % 3) * 40;
      gateway = await startProcess(SCRIPT, [String(windowMs)], variables);
      const asked = Array.from({ length: limit + 5 }, ask);
      if (kill % 2 === 0) await Promise.all(asked);
      else await sleep(60);
      await gateway.end('SIGKILL');
      await Promise.all(asked);
    }
    gateway = await startProcess(SCRIPT, [String(windowMs)], variables);
    // A fast machine has done all of that within one window: more must come when it has passed, and no sooner.
    while (upstream.arrivals.length <= limit) await Promise.all([ask(), sleep(50)]);
    return mostInAnySpan(upstream.arrivals, windowMs);
  }

  it('R12 H14 refuses a sign-in that was used before, and takes one that was not', async () => {
    const variables = { ...(await prepare(100)), PORT: String(await freePort()) };
    const start = () => startProcess(SCRIPT, ['60000'], variables);
    gateway = await start();
    const url = `${gateway.url}/v1/x402/tokens/assets/bitcoin`;
    const [used, unused] = [await signedHeader(url), await signedHeader(url)];
    const statusOf = async (header: string) => (await fetch(url, { headers: { 'SIGN-IN-WITH-X': header } })).status;
    expect(await statusOf(used)).toBe(200);
    await gateway.end('SIGKILL');
    gateway = await start();
    expect([await statusOf(used), await statusOf(unused), await statusOf(unused)]).toEqual([402, 200, 402]);
  });

  it('L1 R12 H14 does not exceed the limit across SIGKILL', { timeout: 900_000 }, async () => {
    const limit = 5;
    expect(await flood(limit, 3_000, isFull ? 100 : 3)).toBeLessThanOrEqual(limit);
  });

  it.runIf(isFull)(
    'L1 does not exceed 30 in any 60 s over more than a window of flood and kills',
    { timeout: 900_000 },
    async () => {
      expect(await flood(30, 60_000, 240)).toBeLessThanOrEqual(30);
      expect(upstream.arrivals.length).toBeGreaterThanOrEqual(60);
    },
  );
});
