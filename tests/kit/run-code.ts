import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { node, type Outcome, runCommand } from './command.ts';
import { makeFolder } from './folder.ts';

/** Runs a page's block unchanged, with the gateway of `npm start`. `leads` maps the block's ports to the real ones. */
export const runCode = (code: string, leads: Readonly<Record<number, number>>): Promise<Outcome> =>
  runCommand(node('--import', pathToFileURL('tests/kit/lead.mjs').href, '--input-type=module', '--eval', code), {
    env: { LEAD: JSON.stringify(leads) },
  });

const COMPILER = 'node_modules/typescript-7/bin/tsc';

/** Compiles a program's files as strictly as a test. Returns the compiler's output. */
export function compile(files: Readonly<Record<string, string>>): string {
  const folder = makeFolder('repository');
  const settings = {
    extends: resolve('tests/tsconfig.json'),
    compilerOptions: { incremental: false, customConditions: [] },
    include: ['.'],
    exclude: [],
  };
  for (const [name, text] of Object.entries({ ...files, 'tsconfig.json': JSON.stringify(settings) }))
    writeFileSync(join(folder, name), text);
  return spawnSync(process.execPath, [COMPILER, '--project', folder], { encoding: 'utf8' }).stdout;
}
