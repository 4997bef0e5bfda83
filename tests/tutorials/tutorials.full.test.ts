import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, it } from 'vitest';
import { freePort } from '../http/ports.ts';
import { suiteWith } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { Reader } from './reader.ts';

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
function cloneInto(clone: string): void {
  git('init', '--quiet', clone);
  git('--git-dir', join(clone, '.git'), '--work-tree', '.', 'add', '--all');
  git('-C', clone, 'commit', '--quiet', '--message', 'A clone');
  git('-C', clone, 'reset', '--quiet', '--hard');
  linkDependencies(clone);
  const results = readdirSync('packages').flatMap((name) => [`packages/${name}/dist`, `packages/${name}/bin`]);
  for (const path of [...results, ...BUILT].filter(existsSync)) cpSync(path, join(clone, path), { recursive: true });
}

const FOLDER = 'docs/tutorials';
const OTHERS = ['docs/own-apis.md'];
const IN_A_CLONE = 'contributor.md';
const names = readdirSync(FOLDER).filter((name) => name.endsWith('.md') && name !== IN_A_CLONE);
const pages = [...names.map((name) => `${FOLDER}/${name}`), ...OTHERS];

async function useReader(use: (reader: Reader) => Promise<void>): Promise<void> {
  const reader = new Reader(await freePort());
  try {
    await use(reader);
  } finally {
    await reader.close();
  }
}

describe('a reader who follows the tutorial', { timeout: 120_000 }, () => {
  // docs/own-apis.md starts each of our programs, always as it is published.
  it.each(pages)('%s sees what it shows', (page) =>
    useReader((reader) => reader.follow(page, { isBundled: !isFull && !OTHERS.includes(page) })),
  );
});

suiteWith('git', 'a reader in a clone', () => {
  it.runIf(isFull)(`who follows ${IN_A_CLONE} sees what it shows`, { timeout: 240_000 }, () =>
    useReader((reader) => {
      cloneInto(reader.folder);
      return reader.follow(`${FOLDER}/${IN_A_CLONE}`);
    }),
  );

  it(`who makes the changes of ${IN_A_CLONE} finds the lines that it shows`, () =>
    useReader((reader) => {
      for (const path of ['packages/protocol/src', 'packages/sandbox/src'])
        cpSync(path, join(reader.folder, path), { recursive: true });
      return reader.follow(`${FOLDER}/${IN_A_CLONE}`, { withCommands: false });
    }));
});
