import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { startTokensApi } from '../../packages/sandbox/src/tokens/api.ts';
import { testInCi } from '../kit/optional.ts';
import { isFull } from '../kit/rounds.ts';
import { compileAll } from '../process/program.ts';

beforeAll(compileAll, 120_000);

/** Too few for their figures to mean anything, enough to see that everything is measured. */
const FEW = { rounds: 1, requests: 40, warmUp: 40, stages: { rounds: 1, count: 64 } };

/** What a module writes that has this text. */
async function written(text: string): Promise<string> {
  const words = ['--input-type=module', '--eval', text];
  return (await promisify(execFile)(process.execPath, words)).stdout;
}

/** The names of the rows that one of the measuring scripts writes, each with two figures. */
async function rowsOf(script: string, measure: string): Promise<(string | undefined)[]> {
  const text = `import { ${measure} } from './scripts/measure/${script}'; await ${measure}(${JSON.stringify(FEW)});`;
  const rows = (await written(text)).matchAll(/^\| (?<name>[^|]+) \| [\d.]+ \| \S+ \|$/gm);
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

testInCi('each stage of a request can be measured by itself', { timeout: 120_000 }, async () => {
  const upstream = await startTokensApi({ key: 'a-key-of-no-upstream' });
  const asked = JSON.stringify([upstream.url, 1_000, FEW.stages]).slice(1, -1);
  const text = `import { measureStages } from './scripts/measure/stages.mjs';
    process.stdout.write(JSON.stringify([...(await measureStages(${asked})).keys()]));`;
  expect(JSON.parse(await written(text))).toEqual(STAGES);
  await upstream.close();
});

it.runIf(isFull)('what a request costs is said of each server and of each stage', { timeout: 120_000 }, async () => {
  expect(await rowsOf('measure.mjs', 'measure')).toEqual([...SERVERS, ...STAGES]);
});

it.runIf(isFull)('what a call from credit costs is said beside a free one', { timeout: 120_000 }, async () => {
  expect(await rowsOf('credit.mjs', 'measureCredit')).toEqual(['signed, free', 'signed, from credit']);
});
