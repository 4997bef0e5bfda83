import { describe, expect, it } from 'vitest';
import { startEverything } from '../discovery/everything.ts';
import { freePort } from '../http/ports.ts';
import { blocksOf } from '../kit/page.ts';
import { isFull } from '../kit/rounds.ts';
import { runCode } from '../kit/run-code.ts';

const port = await freePort();
const gateway = await startEverything({ GATEWAY_BASE_URL: 'http://localhost:8402', PORT: String(port) });
const portOf = (url = ''): number => Number(new URL(url).port);
const { mainnet, devnet } = gateway.solana ?? {};
const leads = { 8402: port, 8403: portOf(mainnet?.url), 8404: portOf(devnet?.url) };

/** Upstream calls, paid calls and transfers. */
const counts = () => [
  gateway.upstream.arrivals.length,
  gateway.solana.provider.arrivals.length,
  mainnet?.transfers.length ?? 0,
];

const SIGNED = [1, 0, 0];

type Page = [page: string, blocks: [does: string, output: RegExp, effect: number[]][]];

/** Much the same as in docs/client.md. */
const PACKAGE: Page = ['packages/client/README.md', [['searches', /^/, SIGNED]]];

describe.each<Page>([['docs/client.md', [['searches', /^\[ '/, SIGNED]]], ...(isFull ? [PACKAGE] : [])])(
  'the code in %s',
  (page, blocks) => {
    const codes = blocksOf(page, 'js');

    it.each(blocks.map((block, index) => [...block, codes[index] ?? ''] as const))(
      '%s',
      async (_, output, effect, code) => {
        const before = counts();
        expect(await runCode(code, leads)).toEqual({ code: 0, stdout: expect.stringMatching(output), stderr: '' });
        expect(counts().map((count, index) => count - (before[index] ?? 0))).toEqual(effect);
      },
    );
  },
);
