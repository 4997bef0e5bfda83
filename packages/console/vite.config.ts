import { defineConfig } from 'vite';

/** The folder of a file: the gateway's public port serves `console`, and its metrics port serves `operate` as well. */
const folderOf = (sources: readonly string[]): string =>
  sources.some((source) => /(?:^|\/)(?:src\/operate\/|operate\.html$|docs\/.*\.md$)/.test(source))
    ? 'operate'
    : 'console';

/** Two pages, one of the public port and one of the metrics port. What they are made of is named by its content. */
export default defineConfig({
  resolve: {
    alias: { '@solana/rpc': `${import.meta.dirname}/src/wallet/no-rpc.ts` },
    conditions: ['@asset-gateway/source', 'browser', 'import', 'module', 'default'],
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  logLevel: 'warn',
  build: {
    target: 'es2022',
    assetsDir: 'console',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'console/licenses.txt' },
    rolldownOptions: {
      input: ['index.html', 'operate.html'].map((name) => `${import.meta.dirname}/${name}`),
      // What pays comes at once, so it is one file: the parts zip better together, and name nothing to each other.
      output: {
        entryFileNames: ({ moduleIds }) => `${folderOf(moduleIds)}/[name]-[hash].js`,
        chunkFileNames: ({ moduleIds }) => `${folderOf(moduleIds)}/[name]-[hash].js`,
        assetFileNames: ({ originalFileNames }) => `${folderOf(originalFileNames)}/[name]-[hash][extname]`,
        codeSplitting: {
          groups: [
            // A balance needs no more than addresses.
            {
              name: 'address',
              test: /node_modules.@solana.(?:addresses|assertions|codecs-[a-z]+|errors|nominal-types)/,
            },
            { name: 'payment', test: /node_modules.(?:@solana|@solana-program|@x402)/ },
          ],
        },
      },
    },
  },
});
