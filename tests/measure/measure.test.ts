import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect } from 'vitest';
import { testInCi } from '../kit/optional.ts';
import { compileAll } from '../process/program.ts';

beforeAll(compileAll, 120_000);

/** Too few for its figures to mean anything, enough to see that all of it is measured. */
const FEW = { rounds: 1, requests: 40, warmUp: 40, stages: { rounds: 1, count: 64 } };
const SCRIPT = `import { measure } from './scripts/measure/measure.mjs'; await measure(${JSON.stringify(FEW)});`;

testInCi('what a request costs is said of each server and of each stage', { timeout: 120_000 }, async () => {
  const words = ['--input-type=module', '--eval', SCRIPT];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  const rows = [...stdout.matchAll(/^\| (?<name>[^|]+) \| (?<first>[\d.]+) \| (?<second>[\d.]+) \|$/gm)];
  expect(rows.map(({ groups }) => groups?.name)).toEqual([
    'hand-written floor',
    'gateway',
    'gateway, slots on disk',
    'gateway, a search',
    'gateway, the search from its cache',
    'floor that has kept its answer',
    'floor with the official sign-in',
    'official middleware, its challenge included',
    'bare server',
    'gateway, challenge',
    'open',
    'match',
    'gate',
    'read',
    'spend',
    'exchange',
    'success',
    'settle',
    'finish',
  ]);
});
