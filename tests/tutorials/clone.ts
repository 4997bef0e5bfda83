import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';

const MODULES = 'node_modules';
const OWN = '@asset-gateway';
/** What the build writes, beside `dist` and `bin` of each package. */
const BUILT = ['.setup/built', 'packages/client/src/methods.ts', 'packages/console/src/routes/system-rows.ts'];

function git(...words: string[]): void {
  execFileSync('git', ['-c', 'user.name=Reader', '-c', 'user.email=reader@example.com', ...words]);
}

/** Instead of `npm ci`: links the dependencies. Links to our own packages lead into the clone. */
function linkDependencies(clone: string): void {
  mkdirSync(join(clone, MODULES));
  for (const name of readdirSync(MODULES).filter((each) => each !== OWN && each !== '.package-lock.json'))
    symlinkSync(resolve(MODULES, name), join(clone, MODULES, name));
  for (const name of [OWN, '.package-lock.json'])
    cpSync(join(MODULES, name), join(clone, MODULES, name), { recursive: true, verbatimSymlinks: true });
}

/** Makes a folder a clone of this repository with its changes, in which everything is installed and, if it is so here, built. */
export function cloneInto(clone: string): void {
  git('init', '--quiet', clone);
  git('--git-dir', join(clone, '.git'), '--work-tree', '.', 'add', '--all');
  git('-C', clone, 'commit', '--quiet', '--message', 'A clone');
  git('-C', clone, 'reset', '--quiet', '--hard');
  linkDependencies(clone);
  const results = readdirSync('packages').flatMap((name) => [`packages/${name}/dist`, `packages/${name}/bin`]);
  for (const path of [...results, ...BUILT].filter(existsSync)) cpSync(path, join(clone, path), { recursive: true });
}
