import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { freePort } from '../http/ports.ts';
import { blocksOf } from '../kit/page.ts';
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

/** Runs a block as it stands there, on a machine where `npm start` runs. */
async function run(code: string): Promise<{ status: number; stdout: string; stderr: string }> {
  const words = ['--import', pathToFileURL('tests/kit/lead.mjs').href, '--input-type=module', '--eval', code];
  const env = { PATH: process.env.PATH, LEAD: JSON.stringify(leads) };
  const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { status: status as number, stdout, stderr };
}

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

  it('is all of it', () => expect(blocks).toHaveLength(2));
});
