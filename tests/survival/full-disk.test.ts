import { rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTokensApi, type TokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { makeFolder } from '../kit/folder.ts';
import { type GatewayProcess, startProcess } from '../kit/process.ts';
import { askSigned } from '../kit/wallet.ts';

describe('a disk that takes no more', () => {
  const folder = makeFolder();
  let upstream: TokensApi;
  let gateway: GatewayProcess;

  beforeAll(async () => {
    upstream = await startTokensApi({ key: 'upstream-key' });
    const variables = {
      PORT: '0',
      DATA_DIR: folder,
      TOKENS_API_KEY: 'upstream-key',
      TOKENS_API_BASE_URL: upstream.url,
    };
    gateway = await startProcess('tests/survival/small-files.mjs', [], {
      ...variables,
      TOKENS_RATE_LIMIT_PER_MINUTE: '1000',
    });
  });
  afterAll(async () => {
    await gateway.end('SIGKILL');
    await upstream.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('R8 is a 503 for signed requests, without an upstream call, and nothing else', async () => {
    const url = `${gateway.url}/v1/x402/tokens/assets/solana`;
    const statuses: number[] = [];
    let served = 0;
    while (statuses.at(-1) !== 503 && statuses.length < 900) {
      const answer = await askSigned(url);
      statuses.push(answer.status);
      if (answer.status === 200) served++;
    }
    expect(statuses.at(-1)).toBe(503);
    expect(upstream.arrivals).toHaveLength(served);
    const refused = await askSigned(url);
    expect(((await refused.json()) as { error: string }).error).toBe('state_unavailable');
    expect(upstream.arrivals).toHaveLength(served);
    expect((await fetch(`${gateway.url}/healthz`)).status).toBe(200);
    expect((await fetch(url)).status).toBe(402);
    expect(gateway.child.exitCode).toBeNull();
  });
});
