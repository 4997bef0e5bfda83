import { spawnSync } from 'node:child_process';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { routes } from '@asset-gateway/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { mapSchema } from '../../packages/gateway/src/describe/schemas.ts';
import { inSuite } from '../kit/in-suite.ts';
import { suiteOfPackages } from '../kit/packages.ts';
import { startEverything } from './everything.ts';
import { officialFetch } from './official-fetch.ts';

const COMPILER = resolve('node_modules/typescript-7/bin/tsc');
const STRICTLY = [
  ...['--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', '--allowImportingTsExtensions', '--pretty', 'false'],
  ...['--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2023,dom,dom.iterable'],
];

/** Client generators: program and arguments. */
const GENERATORS = {
  'hey-api': ['openapi-ts', '--input', 'openapi.json', '--output', 'made-by-hey-api'],
  'openapi-typescript': ['openapi-typescript', 'openapi.json', '--output', 'made-by-openapi-typescript.ts'],
} as const;

const PACKAGES = {
  '@hey-api/openapi-ts': '0.95.0',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  typescript: '5.9.3',
};

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

describe('the document, for client generators', () => {
  const { paths, components }: Document = JSON.parse(readFileSync('openapi.json', 'utf8'));

  it('has no component named like a part of an operation', () => {
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const ids = operations.flatMap(
      ({ operationId = '' }) => operationId.charAt(0).toUpperCase() + operationId.slice(1),
    );
    const taken = ids.flatMap((id) => ['', 'Body', 'Data', 'Error', 'Params', 'Result'].map((part) => id + part));
    expect(ids).toHaveLength(routes.length);
    expect(Object.keys(components.schemas).filter((name) => taken.includes(name))).toEqual([]);
  });

  it('closes tuples of maxItems', () => {
    let closed = 0;
    mapSchema({ ...components.schemas }, (schema) => {
      const { prefixItems, maxItems, items } = schema;
      if (Array.isArray(prefixItems) && prefixItems.length === maxItems) {
        closed++;
        expect(items ?? false).toBe(false);
      }
      return schema;
    });
    expect(closed).toBe(new Set(routes.filter(({ surface }) => surface === 'rpc').map(({ method }) => method)).size);
  });
});

await suiteOfPackages(
  'generated clients',
  { '.': { dependencies: PACKAGES } },
  (folder) => {
    const gateway = inSuite(() => startEverything());
    beforeAll(async () => {
      const document = await (await fetch(`${gateway.url}/openapi.json`)).text();
      writeFileSync(join(folder, 'openapi.json'), document);
    });

    describe.each(Object.entries(GENERATORS))('by %s', (name, [program, ...words]) => {
      const calls = join(folder, `${name}.ts`);

      it('compile strictly', () => {
        const made = spawnSync(join(folder, 'node_modules/.bin', program), words, { cwd: folder, encoding: 'utf8' });
        expect([made.status, made.stdout + made.stderr]).toEqual([0, expect.any(String)]);
        cpSync(`tests/discovery/generated-client/${name}.ts`, calls);
        const compiled = spawnSync(process.execPath, [COMPILER, ...STRICTLY, calls], { cwd: folder, encoding: 'utf8' });
        expect(compiled.stdout).toBe('');
      }, 120_000);

      it('sign in and buy', async () => {
        const { statuses } = await import(calls);
        const before = gateway.solana.mainnet.transfers.length;
        expect(await statuses(gateway.url, await officialFetch(gateway))).toEqual([200, 200, 200, 200]);
        expect(gateway.solana.mainnet.transfers.length - before).toBe(2);
      });
    });
  },
  { isOfReleases: true },
);
