import { spawnSync } from 'node:child_process';
import { cpSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { routes } from '@asset-gateway/protocol';
import { beforeAll, describe, expect, it } from 'vitest';
import { usualOpenApi } from '../../packages/gateway/src/describe/pages.ts';
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
  orval: ['orval', '--config', 'orval.config.mjs'],
} as const;

const ORVAL = {
  input: './openapi.json',
  output: {
    target: './made-by-orval.ts',
    client: 'fetch',
    override: { mutator: { path: './orval-send.ts', name: 'send' } },
  },
};

const MADE_FROM = 'tests/discovery/generated-client';

const PACKAGES = {
  '@hey-api/openapi-ts': '0.99.0',
  'openapi-fetch': '0.17.0',
  'openapi-typescript': '7.13.0',
  orval: '8.38.0',
  typescript: '5.9.3',
};

/** Linters: program and arguments. */
const LINTERS = {
  Spectral: ['spectral', 'lint', '--fail-severity=hint', 'openapi.json'],
  Redocly: ['redocly', 'lint', '--skip-rule=no-server-example.com', 'openapi.json'],
} as const;

const PACKAGES_OF_LINTERS = {
  '@apidevtools/swagger-parser': '13.1.0',
  '@redocly/cli': '2.77.0',
  '@stoplight/spectral-cli': '6.16.0',
};

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}

describe('the document, for client generators', () => {
  const { paths, components }: Document = JSON.parse(usualOpenApi());

  it('has no component named like a part of an operation', () => {
    const operations = Object.values(paths).flatMap((item) => Object.values(item));
    const ids = operations.flatMap(
      ({ operationId = '' }) => operationId.charAt(0).toUpperCase() + operationId.slice(1),
    );
    const taken = ids.flatMap((id) => ['', 'Body', 'Data', 'Error', 'Params', 'Result'].map((part) => id + part));
    expect(ids).toHaveLength(routes.length);
    expect(Object.keys(components.schemas).filter((name) => taken.includes(name))).toEqual([]);
  });

  it('names the elements of closed tuples twice, for linters and for generators', () => {
    let closed = 0;
    mapSchema({ ...components.schemas }, (schema) => {
      const { prefixItems, maxItems, items } = schema;
      if (Array.isArray(prefixItems) && prefixItems.length === maxItems) {
        closed++;
        expect(items).toEqual({ anyOf: prefixItems });
      }
      return schema;
    });
    expect(closed).toBe(new Set(routes.filter(({ surface }) => surface === 'rpc').map(({ method }) => method)).size);
  });
});

/** Writes the document of a gateway into a folder. */
async function writeDocument(folder: string, { url }: { readonly url: string }): Promise<string> {
  const text = await (await fetch(`${url}/openapi.json`)).text();
  writeFileSync(join(folder, 'openapi.json'), text);
  return text;
}

const run = (folder: string, [program, ...words]: readonly [string, ...string[]]) =>
  spawnSync(join(folder, 'node_modules/.bin', program), words, { cwd: folder, encoding: 'utf8' });

await suiteOfPackages(
  'linters',
  { '.': { dependencies: PACKAGES_OF_LINTERS } },
  (folder) => {
    const gateway = inSuite(() => startEverything({ CREDIT: 'on' }));
    let text = '';
    beforeAll(async () => {
      writeFileSync(join(folder, '.spectral.yaml'), 'extends: spectral:oas\n');
      text = await writeDocument(folder, gateway);
    });

    it.each(Object.entries(LINTERS))('%s finds nothing', { timeout: 120_000 }, (_, command) => {
      const { status, stdout, stderr } = run(folder, command);
      expect([status, stdout + stderr]).toEqual([0, expect.any(String)]);
    });

    it.each(Object.entries(LINTERS))('%s finds a fault', { timeout: 120_000 }, (_, command) => {
      writeFileSync(join(folder, 'faulty.json'), text.replace('"tokensCurated"', '"tokensSearch"'));
      const { status, stdout } = run(folder, [command[0], ...command.slice(1, -1), 'faulty.json']);
      expect([status, stdout]).toEqual([1, expect.stringContaining('operation-operationId-unique')]);
    });

    it('swagger-parser reads it', async () => {
      const entry = join(folder, 'node_modules/@apidevtools/swagger-parser/lib/index.js');
      const { default: parser } = await import(entry);
      await expect(parser.validate(join(folder, 'openapi.json'))).resolves.toMatchObject({ openapi: '3.1.0' });
    });
  },
  { isOfReleases: true },
);

await suiteOfPackages(
  'generated clients',
  { '.': { dependencies: PACKAGES } },
  (folder) => {
    const gateway = inSuite(() => startEverything());
    beforeAll(async () => {
      await writeDocument(folder, gateway);
      cpSync(MADE_FROM, folder, { recursive: true });
      writeFileSync(join(folder, 'orval.config.mjs'), `export default ${JSON.stringify({ gateway: ORVAL })};`);
    });

    describe.each(Object.entries(GENERATORS))('by %s', (name, command) => {
      const calls = join(folder, `${name}.ts`);

      it('compile strictly', () => {
        const made = run(folder, command);
        expect([made.status, made.stdout + made.stderr]).toEqual([0, expect.any(String)]);
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
