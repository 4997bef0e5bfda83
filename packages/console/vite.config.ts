import { defineConfig } from 'vite';

/** The folder of a file. The gateway's public port serves `console`. Its metrics port also serves `operate`. */
const folderOf = (sources: readonly string[]): string =>
  sources.some((source) => /(?:^|\/)(?:src\/operate\/|operate\.html$|docs\/.*\.md$)/.test(source))
    ? 'operate'
    : 'console';

/** Two pages, one for the public port and one for the metrics port. Files are named by their content. */
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
      // The paying code loads at once, so it is one file: it compresses better and has no references between parts.
      output: {
        entryFileNames: ({ moduleIds }) => `${folderOf(moduleIds)}/[name]-[hash].js`,
        chunkFileNames: ({ moduleIds }) => `${folderOf(moduleIds)}/[name]-[hash].js`,
        assetFileNames: ({ originalFileNames }) => `${folderOf(originalFileNames)}/[name]-[hash][extname]`,
        codeSplitting: {
          groups: [
            // A balance needs only the code for addresses.
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
