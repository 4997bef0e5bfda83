import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
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
const external = ['@napi-rs/keyring', 'libsql'];

/**
 * Of undici the programs use its pools and its clients of proxies. All of it would be more than the rest of the gateway, and would set the
 * dispatcher of Node's own fetch, which `native-fetch.ts` then has to load first.
 */
const POOL = `
import api from 'undici/lib/api/index.js';
import { headerNameToString, parseHeaders } from 'undici/lib/core/util.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
export { default as Agent } from 'undici/lib/dispatcher/agent.js';
export { default as EnvHttpProxyAgent } from 'undici/lib/dispatcher/env-http-proxy-agent.js';
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
Object.assign(Dispatcher.prototype, api);
export const util = { headerNameToString, parseHeaders };
`;
const pools = {
  name: 'the pools of undici',
  resolveId: (id) => (id === 'undici' ? `${fileURLToPath(import.meta.resolve('undici'))}?pools` : undefined),
  load: (id) => (id.endsWith('?pools') ? POOL : id.endsWith('/native-fetch.ts') ? '' : undefined),
};

/** A package that a source requires when it needs it is in the bundle too, unless it is external. */
const REQUIRE = 'const require = createRequire(import.meta.url);';
const requires = {
  name: 'required packages',
  transform: (code, id) =>
    id.includes('/packages/gateway/src/') && code.includes(REQUIRE)
      ? { code: code.replace(REQUIRE, ''), map: null }
      : undefined,
};

export default Object.entries(programs)
  .filter(([path]) => existsSync(path))
  .map(([path, names]) =>
    defineConfig({
      input: names.map((name) => `${path}/src/${name}.ts`),
      platform: 'node',
      transform: { target: 'node20.19' },
      external,
      plugins: [pools, requires],
      resolve: { conditionNames: ['@asset-gateway/source', 'node'] },
      output: { dir: `${path}/bin`, cleanDir: true, sourcemap: true },
      logLevel: 'warn',
    }),
  );
