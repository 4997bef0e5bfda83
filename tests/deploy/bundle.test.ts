import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { endsAfterTests } from '../kit/ends.ts';
import { makeFolder } from '../kit/folder.ts';

const FOLDER = 'packages/gateway/bin';
const chunks = readdirSync(FOLDER).filter((name) => name.endsWith('.js'));

/** What a chunk imports or requires: at the start of a line, or called by a literal name. */
function loadedBy(chunk: string): string[] {
  const text = readFileSync(`${FOLDER}/${chunk}`, 'utf8');
  const patterns = [
    /^(?:import|export)\b[^'"`;]*?(?:\bfrom )?["']([^"']+)["'];$/gm,
    /\b(?:(?:__)?require(?:\$\d+)?|import)\(["']([^"']+)["']\)/g,
  ];
  return patterns.flatMap((pattern) => Array.from(text.matchAll(pattern), ([, name = '']) => name));
}

const { dependencies, optionalDependencies } = JSON.parse(readFileSync('packages/gateway/package.json', 'utf8'));
/** Other packages are optional ones of these. */
const own = Object.keys({ ...dependencies, ...optionalDependencies });
const dockerfile = readFileSync('deploy/Dockerfile', 'utf8');

it('X20 the bundle loads no package but those that the image keeps', () => {
  const loaded = new Set(chunks.flatMap(loadedBy));
  const fromFolders = own.filter((name) => loaded.has(name));
  expect(fromFolders).toEqual(['libsql']);
  expect(fromFolders.filter((name) => !RegExp(`! -path '\\*/?${name}/\\*'`).test(dockerfile))).toEqual([]);
});

it('a gateway of the bundle refuses broken escapes in a query', async () => {
  const program = pathToFileURL(join(FOLDER, 'index.js')).href;
  const { readConfig, startGateway }: typeof import('@asset-gateway/gateway') = await import(program);
  const config = readConfig({ TOKENS_API_KEY: 'no-key', PORT: '0', DATA_DIR: makeFolder(), LOG_LEVEL: 'silent' });
  const gateway = await startGateway(config, { graceMs: 0 });
  endsAfterTests(() => gateway.stop());
  for (const query of ['provider=%', 'provider=%ff', 'provider=%ED%A0%80']) {
    const response = await fetch(`${gateway.url}/v1/catalog?${query}`);
    expect([response.status, await response.json()]).toMatchObject([400, { error: 'bad_request' }]);
  }
});
