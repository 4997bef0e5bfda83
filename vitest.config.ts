import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { defineConfig, type Plugin } from 'vitest/config';
import { WaitingFirst } from './tests/kit/waiting-first.ts';

/** Whether our packages are what was compiled of them, as `npm test` has just done: every process loads them much faster. */
const isBuilt = process.env.PACKAGES === 'built';
/** Whether tests that race, kill, wait or start programs are left to the full run. */
const isShort = process.env.TESTS === 'short';
const fromSource = { resolve: { conditions: ['@asset-gateway/source'] } };
const SOURCE = /\/packages\/([^/]+)\/src\/(.*)\.ts$/;

/** Leads imports of a package's sources to what was compiled of them, which Node loads by itself. */
const compiled: Plugin = {
  name: 'compiled packages',
  enforce: 'pre',
  async resolveId(specifier, importer) {
    if (!specifier.includes('packages/')) return null;
    const found = await this.resolve(specifier, importer, { skipSelf: true });
    const path = found?.id.replace(SOURCE, '/packages/$1/dist/$2.js');
    // The console is compiled into files for browsers alone.
    return path && path !== found?.id && existsSync(path) ? { id: path, external: true } : found;
  },
};

export default defineConfig({
  ...(isBuilt ? { plugins: [compiled] } : { ...fromSource, ssr: fromSource }),
  test: {
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    include: ['tests/**/*.test.ts'],
    exclude: isShort ? ['tests/**/*.full.test.ts'] : [],
    // Some suites load undici before the gateway does.
    setupFiles: [
      'packages/gateway/src/native-fetch.ts',
      'tests/kit/end-after-tests.ts',
      ...(isShort ? ['tests/kit/same-samples.ts'] : []),
    ],
    globalSetup: ['scripts/setup.mjs', 'tests/kit/run.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // A limit for what does not happen; on a busy machine what does happen may take long.
    expect: { poll: { timeout: 30_000 } },
    pool: 'forks',
    // MiB for what lives shortly, of which tests make a lot: a fourteenth less processor time than with V8's own choice. The second lets V8
    // optimise only functions that have run for milliseconds, because most run once or in one file: a twelfth less.
    execArgv: ['--max-semi-space-size=64', '--interrupt-budget=2000000'],
    // Loading Solana's packages anew for every file would take longer than the tests; no suite leaves anything behind.
    isolate: false,
    sequence: { sequencer: WaitingFirst },
    // The suites of a full run wait more than they compute: for windows to pass, for slow clients, for processes. With too many at
    // once on few cores, though, they meet the deadlines of what they test. Those of a short run compute.
    maxWorkers: Math.min(7, isShort ? availableParallelism() + 1 : 4 * availableParallelism()),
  },
});
