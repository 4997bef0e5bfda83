import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { DECISIONS_PAGE, decisionsPage } from './decisions.mjs';
import { alone, installTool, stop } from './setup.mjs';

/** The first writes the reference of the client from its docstrings, the second the pages. */
const GENERATORS = [
  ['site/node_modules/typedoc/bin/typedoc', '--options', 'site/typedoc.config.mjs', '--logLevel', 'Warn'],
  ['site/node_modules/@11ty/eleventy/cmd.cjs', '--config=site/eleventy.config.mjs', '--quiet'],
];

/** Rebuilds the site. */
export async function site() {
  await alone(() => installTool('site'));
  rmSync('site/dist', { recursive: true, force: true });
  for (const words of GENERATORS) {
    const { status } = spawnSync(process.execPath, words, { stdio: 'inherit' });
    if (status !== 0) stop('The site could not be built; see the lines above.');
  }
  process.stdout.write('site/dist/index.html written\n');
}

/** Makes the pictures of the console's views in `docs/pictures`: the tests of these views save them. */
export function pictures() {
  const made = '.setup/pictures';
  rmSync(made, { recursive: true, force: true });
  const files = ['try', 'first-run', 'routes', 'paying', 'wallet', 'frame', 'operate'];
  const views = files.map((name) => `tests/console/${name}`);
  const words = ['scripts/run.mjs', 'test', ...views, '--maxWorkers=1'];
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit', env: { ...process.env, ROUNDS: 'full' } });
  if (existsSync(made)) cpSync(made, 'docs/pictures', { recursive: true });
  if (status !== 0) stop('docs/pictures may lack a new picture, because a test failed; see the lines above.');
  process.stdout.write('docs/pictures written\n');
}

/** Writes the generated pages, the list of decisions, the schema of the file of APIs, and the OpenAPI document. */
export async function docs() {
  const { usualOpenApi, writtenPages } = await import('../packages/gateway/dist/describe/pages.js');
  const { FILE } = await import('../packages/gateway/dist/config/apis-file/format.js');
  const documents = { 'docs/apis.schema.json': `${JSON.stringify(FILE, null, 2)}\n`, 'openapi.json': usualOpenApi() };
  for (const [path, text] of Object.entries({ ...writtenPages(), ...documents, [DECISIONS_PAGE]: decisionsPage() })) {
    writeFileSync(path, text);
    process.stdout.write(`${path} written\n`);
  }
}
