import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
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
