import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { freePort } from '../http/ports.ts';
import { blocksOf } from '../kit/page.ts';
import { runCode } from '../kit/run-code.ts';
import type { TestGateway } from '../kit/test-gateway.ts';

const [search = '', pay = ''] = blocksOf('docs/client.md', 'js');
const [first = ''] = blocksOf('packages/client/README.md', 'js');
const portOf = (url: string | undefined): number => Number(new URL(url ?? '').port);

let gateway: TestGateway;
let leads: Record<number, number>;
beforeAll(async () => {
  const port = await freePort();
  gateway = await startEverything({ GATEWAY_BASE_URL: 'http://localhost:8402', PORT: String(port) });
  const { mainnet, devnet } = gateway.solana ?? {};
  leads = { 8402: port, 8403: portOf(mainnet?.url), 8404: portOf(devnet?.url) };
});
afterAll(() => gateway.stop());

describe('the code in docs/client.md', () => {
  it('searches', async () => {
    expect(await runCode(search, leads)).toEqual({ status: 0, stdout: expect.stringMatching(/^\[ '/), stderr: '' });
  });

  it('pays', async () => {
    const { status, stdout, stderr } = await runCode(pay, leads);
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/0\.0005 [1-9A-HJ-NP-Za-km-z]{64,88}\n$/);
  });

  it('searches, also in the README of the package', async () => {
    expect(await runCode(first, leads)).toMatchObject({ status: 0, stderr: '' });
  });
});
