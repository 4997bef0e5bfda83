import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const COMPILER = 'node_modules/typescript-7/bin/tsc';

/** Compiles files of a program as strictly as a test, and returns the compiler's output. */
export function compile(files: Readonly<Record<string, string>>): string {
  mkdirSync('.setup', { recursive: true });
  // In the repository, where the compiler finds the packages.
  const folder = resolve(mkdtempSync('.setup/program-'));
  const settings = {
    extends: resolve('tests/tsconfig.json'),
    compilerOptions: { incremental: false },
    include: ['.'],
    exclude: [],
  };
  try {
    for (const [name, text] of Object.entries({ ...files, 'tsconfig.json': JSON.stringify(settings) }))
      writeFileSync(join(folder, name), text);
    return spawnSync(process.execPath, [COMPILER, '--project', folder], { encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
