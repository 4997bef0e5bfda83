import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { isFull } from '../kit/rounds.ts';
import { compileGateway } from '../process/program.ts';

beforeAll(compileGateway, 120_000);

interface Measured {
  readonly name: string;
  readonly rate: number;
  readonly assets: number;
  readonly isHeldOut: boolean;
  readonly bound: number;
  readonly shares: Readonly<Record<'none' | 'timeToLive' | 'staleIfLimited' | 'ours', number>>;
  readonly ofBound: number;
  readonly tooOld: number;
  readonly ages: { readonly prices?: { readonly median: number } };
}

async function simulated(...words: readonly string[]): Promise<Measured[]> {
  const command = ['scripts/run.mjs', 'simulate', '--json', ...words];
  const { stdout } = await promisify(execFile)(process.execPath, command, { maxBuffer: 1 << 24 });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Measured);
}

/** Without ROUNDS=full only what takes a few seconds. */
const WORDS = isFull ? [] : ['--quick'];

it('the order answers nearly all that it can, and nothing too old', { timeout: 1_800_000 }, async () => {
  const measured = await simulated(...WORDS);
  expect(measured.filter(({ isHeldOut }) => isHeldOut).length).toBeGreaterThan(1);
  for (const { name, rate, assets, shares, ofBound, tooOld } of measured) {
    const { ours, ...simple } = shares;
    const where = `${name}, ${rate}/s, ${assets} assets`;
    expect(tooOld, where).toBe(0);
    expect(ours, where).toBeGreaterThanOrEqual(Math.max(...Object.values(simple)));
    expect(ofBound, where).toBeGreaterThanOrEqual(rate >= 10 ? 0.95 : 0.86);
  }
});
