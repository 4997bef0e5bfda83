import { defineConfig } from 'vite';

/** Two pages, one of the gateway and one of its metrics port; all that they are made of lies in one folder and is named by its content. */
export default defineConfig({
  resolve: { conditions: ['@asset-gateway/source', 'browser', 'import', 'module', 'default'] },
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
        codeSplitting: { groups: [{ name: 'payment', test: /node_modules.(?:@solana|@solana-program|@x402)/ }] },
      },
    },
  },
});
