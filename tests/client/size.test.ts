import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type Rolldown, build as viteBuild } from 'vite';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isFull } from '../kit/rounds.ts';
import { bundleOf } from './bundle.ts';

/** The imports that docs/client.md lists, with the entry of each. */
const IMPORTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '`createFreeClient`': { createFreeClient: '' },
  '`createClient`': { createClient: '' },
  '`createClient`, `payWith`': { createClient: '', payWith: '/pay' },
  '`createClient`, `createTools`': { createClient: '', createTools: '/tools' },
};

/** The allowed relative deviation of a published figure. */
const MARGIN = 0.05;

/** The kilobytes that a page loads, by bundler. */
const BUNDLERS: Readonly<Record<string, (program: string) => Promise<number>>> = {
  rolldown: async (program) => (await bundleOf(program)).gzipBytesInAll / 1000,
  // Takes the program from a file in the repository, where it finds the packages.
  async Vite(program) {
    const folder = resolve('.setup/pages');
    mkdirSync(folder, { recursive: true });
    const input = join(folder, 'page.js');
    writeFileSync(input, program);
    const build = { write: false, rolldownOptions: { input } };
    const { output } = (await viteBuild({ configFile: false, logLevel: 'silent', build })) as Rolldown.RolldownOutput;
    const sizes = output.map((part) => (part.type === 'chunk' ? gzipSync(part.code, { level: 9 }).length : 0));
    return sizes.reduce((sum, size) => sum + size, 0) / 1000;
  },
};

/** The kilobytes in docs/client.md, by import and bundler. */
function published(): Record<string, Record<string, number>> {
  const page = readFileSync('docs/client.md', 'utf8');
  const names = /In kB \(gzip\), with (\w+) and (\w+):/.exec(page)?.slice(1) ?? [];
  return Object.fromEntries(
    [...page.matchAll(/^- (`create.+`): ([\d.]+), ([\d.]+)$/gm)].map(([, what = '', ...figures]) => [
      what,
      Object.fromEntries(names.map((name, at) => [name, Number(figures[at])])),
    ]),
  );
}

describe('a page', () => {
  it('loads less than 6.9 kB for all free methods, with no other imports', async () => {
    const program = `import { createFreeClient } from '@asset-gateway/client';
      globalThis.client = createFreeClient({ baseUrl: 'https://gateway.example' });`;
    const { gzipBytes, imports } = await bundleOf(program);
    expect(imports).toEqual([]);
    expect(gzipBytes).toBeLessThan(6900);
  });

  it('loads less than 31.6 kB to pay, dependencies included, and less than 10 kB to read a balance', async () => {
    const { code, gzipBytesInAll } = await bundleOf(`export { payWith } from '@asset-gateway/client/pay';`);
    expect(code).toContain('payWith');
    expect(gzipBytesInAll).toBeLessThan(31_600);
    const balance = await bundleOf(`export { balancesOf } from '@asset-gateway/client/pay';`);
    expect(balance.code).toContain('getMultipleAccounts');
    expect(balance.gzipBytesInAll).toBeLessThan(10_000);
  });

  it('that does not pay loads no Solana package and no Node built-in', async () => {
    const { code, imports } = await bundleOf(`export * from '@asset-gateway/client';`);
    expect(imports).toEqual([]);
    expect(code).not.toMatch(/node:|@solana|\bprocess\.|\bBuffer\b/);
  });
});

it.runIf(isFull).each(Object.entries(IMPORTS))(
  '%s loads with each bundler as much as docs/client.md says',
  { timeout: 120_000 },
  async (what, imports) => {
    const lines = Object.entries(imports).map(
      ([name, path]) => `import { ${name} } from '@asset-gateway/client${path}';\n`,
    );
    const program = `${lines.join('')}globalThis.page = { ${Object.keys(imports).join(', ')} };\n`;
    // Vite bundles what is for production.
    vi.stubEnv('NODE_ENV', 'production');
    onTestFinished(() => void vi.unstubAllEnvs());
    const said = published()[what] ?? {};
    expect(Object.keys(said)).toEqual(Object.keys(BUNDLERS));
    for (const [name, measure] of Object.entries(BUNDLERS)) {
      const measured = await measure(program);
      expect(Math.abs((said[name] ?? 0) - measured), `${name}: ${measured}`).toBeLessThanOrEqual(MARGIN * measured);
    }
  },
);
