import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['@asset-gateway/source'] },
  ssr: { resolve: { conditions: ['@asset-gateway/source'] } },
  test: {
    include: ['tests/**/*.test.ts'],
    // Some suites load undici before the gateway does.
    setupFiles: ['packages/gateway/src/native-fetch.ts'],
    globalSetup: ['tests/kit/installs.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    pool: 'forks',
    // MiB for what lives shortly, of which tests make a lot: a fourteenth less processor time than with V8's own choice.
    execArgv: ['--max-semi-space-size=64'],
    // Loading Solana's packages anew for every file would take longer than the tests; no suite leaves anything behind.
    isolate: false,
    // The suites wait more than they compute: for windows to pass, for slow clients, for processes. With too many at once on
    // few cores, though, they meet the deadlines of what they test.
    maxWorkers: Math.min(6, 2 * availableParallelism()),
  },
});
