import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { freePort } from '../http/ports.ts';
import { blocksOf } from '../kit/page.ts';
import { type Run, runCode } from '../kit/run-code.ts';
import type { TestGateway } from '../kit/test-gateway.ts';

const blocks = blocksOf('README.md', 'js');
const portOf = (url: string): number => Number(new URL(url).port);

let gateway: TestGateway;
let leads: Record<number, number>;
beforeAll(async () => {
  const port = await freePort();
  gateway = await startEverything({ GATEWAY_BASE_URL: 'http://localhost:8402', PORT: String(port) });
  leads = {
    8402: port,
    8403: portOf(gateway.solana?.mainnet.url ?? ''),
    8404: portOf(gateway.solana?.devnet.url ?? ''),
  };
});
afterAll(() => gateway.stop());

const run = (code: string): Promise<Run> => runCode(code, leads);

describe('the code in the README', () => {
  it('signs in', async () => {
    const [signsIn = ''] = blocks;
    expect(await run(signsIn)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^200 \{.*assetId/s),
      stderr: '',
    });
    expect(gateway.upstream.arrivals).toHaveLength(1);
  });

  it('buys in the sandbox', async () => {
    const [, buys = ''] = blocks;
    expect(await run(buys)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^200 \{.*priceUsd/s),
      stderr: '',
    });
    expect(gateway.solana?.mainnet.transfers).toHaveLength(1);
    expect(gateway.solana?.provider.arrivals).toHaveLength(1);
  });

  it('is exactly these two blocks', () => expect(blocks).toHaveLength(2));
});
