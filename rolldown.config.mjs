import { existsSync } from 'node:fs';
import { defineConfig } from 'rolldown';

/**
 * The programs that are started from here, each with what it imports in a few files: Node takes longer to find a thousand
 * modules than to run them. The library of the gateway is there for gateways that tests start. What npm publishes is the files
 * of tsc. An image is built from some of the packages only.
 */
const programs = {
  'packages/gateway': ['main', 'index'],
  'packages/cli': ['main', 'index'],
  'packages/sandbox': ['start'],
};

/** Packages with compiled parts, which they look for beside themselves. */
const external = ['@napi-rs/keyring', 'litesvm', 'lmdb', 'sodium-native'];

export default Object.entries(programs)
  .filter(([path]) => existsSync(path))
  .map(([path, names]) =>
    defineConfig({
      input: names.map((name) => `${path}/src/${name}.ts`),
      platform: 'node',
      transform: { target: 'node20.19' },
      external,
      resolve: { conditionNames: ['@asset-gateway/source', 'node', 'import', 'default'] },
      output: { dir: `${path}/bin`, cleanDir: true, sourcemap: true },
      logLevel: 'warn',
    }),
  );
