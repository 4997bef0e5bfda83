import { readFileSync } from 'node:fs';
import { runCommand } from '../kit/command.ts';
import { type Installation, install } from '../kit/packages.ts';
import { compileAll } from '../process/program.ts';

/** What a user asks npm for: packages of ours, of which the first is the one that is named, and others. */
export interface Wish {
  readonly ours: readonly [string, ...string[]];
  readonly others?: Readonly<Record<string, string>>;
}

/** Packs packages of ours and installs the first into an empty folder, where npm finds the other ones as if they were published. */
export async function installPacked(folder: string, { ours, others = {} }: Wish): Promise<Installation> {
  await compileAll();
  const words = ['npm', 'pack', ...ours.map((name) => `--workspace=packages/${name}`), '--pack-destination', folder];
  const { code, stderr } = await runCommand(words, { cwd: '.', env: process.env });
  if (code !== 0) return { code, stderr };
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const [[name = '', file], ...rest] = ours.map((each) => [
    `@asset-gateway/${each}`,
    `file:./asset-gateway-${each}-${version}.tgz`,
  ]) as [[string, string], ...(readonly [string, string])[]];
  return await install(folder, {
    '.': { dependencies: { [name]: file, ...others }, overrides: Object.fromEntries(rest) },
  });
}
