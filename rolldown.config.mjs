import { existsSync } from 'node:fs';
import { defineConfig } from 'rolldown';

/**
 * The programs that are started from here, each with what it imports in a few files: Node takes longer to find a thousand
 * modules than to run them. What npm publishes is the files of tsc. An image is built from some of the packages only.
 */
const programs = ['packages/gateway/src/main.ts', 'packages/client/src/ask.ts'].filter(existsSync);

/** Packages with compiled parts, which they look for beside themselves. */
const external = ['lmdb', 'sodium-native'];

export default programs.map((input) =>
  defineConfig({
    input,
    platform: 'node',
    transform: { target: 'node20.19' },
    external,
    resolve: { conditionNames: ['@asset-gateway/source', 'node', 'import', 'default'] },
    output: { dir: input.replace(/src\/[\w-]+\.ts$/, 'bin'), cleanDir: true, sourcemap: true },
    logLevel: 'warn',
  }),
);
