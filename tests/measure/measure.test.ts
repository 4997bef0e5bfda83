import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect } from 'vitest';
import { testInCi } from '../kit/optional.ts';
import { compileAll } from '../process/program.ts';

beforeAll(compileAll, 120_000);

/** Too few for their figures to mean anything, enough to see that everything is measured. */
const FEW = { rounds: 1, requests: 40, warmUp: 40, stages: { rounds: 1, count: 64 } };

/** The names of the rows that one of the measuring scripts writes, each with two figures. */
async function rowsOf(script: string, measure: string): Promise<(string | undefined)[]> {
  const text = `import { ${measure} } from './scripts/measure/${script}'; await ${measure}(${JSON.stringify(FEW)});`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', text]);
  const rows = stdout.matchAll(/^\| (?<name>[^|]+) \| (?<first>[\d.]+) \| (?<second>[\d.]+) \|$/gm);
  return [...rows].map(({ groups }) => groups?.name);
}

const SERVERS = [
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
];
const STAGES = ['open', 'match', 'gate', 'read', 'spend', 'exchange', 'success', 'settle', 'finish'];

testInCi('what a request costs is said of each server and of each stage', { timeout: 120_000 }, async () => {
  expect(await rowsOf('measure.mjs', 'measure')).toEqual([...SERVERS, ...STAGES]);
});

testInCi('what a call from credit costs is said beside a free one', { timeout: 120_000 }, async () => {
  expect(await rowsOf('credit.mjs', 'measureCredit')).toEqual(['signed, free', 'signed, from credit']);
});
