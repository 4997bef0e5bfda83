import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { build as viteBuild } from 'vite';
import { beforeAll, describe, expect, it } from 'vitest';
import { isFull } from '../kit/rounds.ts';
import { bundleOf } from './bundle.ts';

/** The imports in the rows of docs/client.md, with the entry of each. */
const IMPORTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '`createFreeClient`': { createFreeClient: '' },
  '`createClient`': { createClient: '' },
  '`createClient`, `payWith`': { createClient: '', payWith: '/pay' },
  '`createClient`, `createTools`': { createClient: '', createTools: '/tools' },
};

/** The allowed relative deviation of a published figure. */
const MARGIN = 0.05;

/** Bundles a page and returns its files. */
type Bundler = (entry: string) => Promise<readonly (string | Uint8Array)[]>;

/** The output of rollup and compatible bundlers. */
interface Chunks {
  readonly output: readonly { readonly type: string; readonly code?: string }[];
}

const codeOf = ({ output }: Chunks): string[] => output.flatMap(({ code }) => code ?? []);

const withRolldown: Bundler = async (input) => {
  const bundle = await rolldown({ input, platform: 'browser' });
  return codeOf(await bundle.generate({ format: 'esm', minify: true }));
};

const withVite: Bundler = async (input) => {
  const built = await viteBuild({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, rolldownOptions: { input } },
  });
  return codeOf(built as Chunks);
};

const BUNDLERS: Readonly<Record<string, Bundler>> = { rolldown: withRolldown, Vite: withVite };

/** The kilobytes in docs/client.md, by import and bundler. */
function published(): Record<string, Record<string, number>> {
  const lines = readFileSync('docs/client.md', 'utf8').split('\n');
  const rows = lines.map((line) => line.split('|').map((cell) => cell.trim()));
  const [, , ...names] = rows.find(([, first]) => first === 'in a page, kB (gzip)') ?? [];
  const figures = rows.filter(([, first = '']) => Object.hasOwn(IMPORTS, first));
  return Object.fromEntries(
    figures.map(([, what = '', ...cells]) => [
      what,
      Object.fromEntries(names.filter(Boolean).map((name, at) => [name, Number(cells[at])])),
    ]),
  );
}

describe('a page', () => {
  it('loads less than 6.7 kB for all free methods, with no other imports', async () => {
    const program = `import { createFreeClient } from '@asset-gateway/client';
      globalThis.client = createFreeClient({ baseUrl: 'https://gateway.example' });`;
    const { gzipBytes, imports } = await bundleOf(program);
    expect(imports).toEqual([]);
    expect(gzipBytes).toBeLessThan(6700);
  });

  it('loads less than 27 kB to pay, dependencies included', async () => {
    const { code, gzipBytesInAll } = await bundleOf(`export { payWith } from '@asset-gateway/client/pay';`);
    expect(code).toContain('payWith');
    expect(gzipBytesInAll).toBeLessThan(27_000);
  });

  it('that does not pay loads no Solana package and no Node built-in', async () => {
    const { code, imports } = await bundleOf(`export * from '@asset-gateway/client';`);
    expect(imports).toEqual([]);
    expect(code).not.toMatch(/node:|@solana|\bprocess\.|\bBuffer\b/);
  });
});

describe.runIf(isFull)('the page size with each bundler', () => {
  // In the repository, where the bundlers find the packages.
  const folder = resolve('.setup/pages');
  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
  }, 120_000);

  it.each(Object.entries(IMPORTS))('for %s is as in docs/client.md', { timeout: 120_000 }, async (what, imports) => {
    const entry = join(folder, 'page.js');
    const lines = Object.entries(imports).map(
      ([name, path]) => `import { ${name} } from '@asset-gateway/client${path}';\n`,
    );
    writeFileSync(entry, `${lines.join('')}globalThis.page = { ${Object.keys(imports).join(', ')} };\n`);
    const said = published()[what] ?? {};
    expect(Object.keys(said)).toEqual(Object.keys(BUNDLERS));
    for (const [name, bundle] of Object.entries(BUNDLERS)) {
      const files = await bundle(entry);
      const measured = files.reduce((sum, file) => sum + gzipSync(file, { level: 9 }).length, 0) / 1000;
      expect([name, Math.abs((said[name] ?? 0) - measured) <= MARGIN * measured, measured]).toEqual([
        name,
        true,
        measured,
      ]);
    }
  });
});
