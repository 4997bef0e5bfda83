import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WRITTEN } from '../../scripts/setup.mjs';

const MODULES = 'node_modules';
const OWN = '@asset-gateway';
/** What the build writes, beside `dist` and `bin` of each package. Without one of them a command of the reader would build again. */
const BUILT = ['.setup/built', ...WRITTEN];

function git(...words: string[]): void {
  execFileSync('git', ['-c', 'user.name=Reader', '-c', 'user.email=reader@example.com', ...words]);
}

/** Makes a folder a repository that one can clone: of what is in this one, changes included. */
export function makeRepository(folder: string): void {
  git('init', '--quiet', folder);
  git('--git-dir', join(folder, '.git'), '--work-tree', '.', 'add', '--all');
  git('-C', folder, 'commit', '--quiet', '--message', 'A repository');
}

/** Instead of `npm ci`: links the dependencies. Links to our own packages lead into the clone. */
export function linkDependencies(clone: string): void {
  mkdirSync(join(clone, MODULES));
  for (const name of readdirSync(MODULES).filter((each) => each !== OWN && each !== '.package-lock.json'))
    symlinkSync(resolve(MODULES, name), join(clone, MODULES, name));
  for (const name of [OWN, '.package-lock.json'])
    cpSync(join(MODULES, name), join(clone, MODULES, name), { recursive: true, verbatimSymlinks: true });
  // Versions that only one package needs, which an image without that package does not install.
  for (const name of readdirSync('packages').map((each) => join('packages', each))) {
    const path = join(name, MODULES);
    if (existsSync(path) && existsSync(join(clone, name)))
      cpSync(path, join(clone, path), { recursive: true, verbatimSymlinks: true });
  }
}

/** Does in a clone what takes the first `npm start` a minute: links what it would install, and copies what it would build. */
export function prepareClone(clone: string): void {
  linkDependencies(clone);
  const results = readdirSync('packages').flatMap((name) => [`packages/${name}/dist`, `packages/${name}/bin`]);
  for (const path of [...results, ...BUILT].filter(existsSync)) cpSync(path, join(clone, path), { recursive: true });
}

/** Commits a change of each example: a reader whose ports are in use changes them there. */
export function changeExamples(clone: string, change: (text: string) => string): void {
  const folder = join(clone, 'examples');
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  }
  git('-C', clone, 'commit', '--quiet', '--all', '--message', 'Other ports');
}
