import { spawnSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { alone, installTool, stop } from './setup.mjs';

const GENERATOR = ['site/node_modules/@11ty/eleventy/cmd.cjs', '--config=site/eleventy.config.mjs', '--quiet'];

/** Rebuilds the site. */
export function site() {
  alone(() => installTool('site'));
  rmSync('site/dist', { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, GENERATOR, { stdio: 'inherit' });
  if (status !== 0) stop('The site could not be built; see the lines above.');
  process.stdout.write('site/dist/index.html written\n');
}

/** Writes the files generated from the tables of routes and refusals, and the schema of the file of APIs. */
export async function docs() {
  const { writtenPages } = await import('../packages/gateway/dist/describe/pages.js');
  const { FILE } = await import('../packages/gateway/dist/apis/format.js');
  const schema = { 'docs/apis.schema.json': `${JSON.stringify(FILE, null, 2)}\n` };
  for (const [path, text] of Object.entries({ ...writtenPages(), ...schema })) {
    writeFileSync(path, text);
    process.stdout.write(`${path} written\n`);
  }
}
