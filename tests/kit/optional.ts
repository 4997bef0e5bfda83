import { spawnSync } from 'node:child_process';
import { describe, it } from 'vitest';

const isThere = (program: string): boolean => spawnSync(program, ['--version']).status === 0;

/**
 * A suite that needs a program of the machine. Where that is missing it is skipped, and its title says so; with
 * `EVERY_SUITE=required`, as in CI, it fails.
 */
export function suiteWith(program: string, title: string, body: () => void): void {
  if (isThere(program)) describe(title, body);
  else if (process.env.EVERY_SUITE !== 'required') describe.skip(`${title} (skipped: no ${program} here)`, body);
  else
    it(title, () => {
      throw new Error(`${program} is missing, and every suite is required`);
    });
}
