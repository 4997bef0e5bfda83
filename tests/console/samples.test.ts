import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { samplesOf } from '../../packages/console/src/try/samples.ts';

const PATH = `/v1/x402/tokens/assets/it's"$(touch x)\`y\`\\!`;
const call = { method: 'profile', values: [`it's"\n`], named: { assetId: `it's"\n` } };
const samples = samplesOf(call, `http://127.0.0.1:1${PATH}`);
const textOf = (title: string): string => samples.find((sample) => sample.title === title)?.text ?? '';

/** The last word of a command, parsed by a shell. */
const lastWord = (command: string): string =>
  execFileSync('sh', ['-c', command.replace(/^.*?(?=')/, "printf '%s' ")], { encoding: 'utf8' });

it('a shell parses any argument correctly', () => {
  expect(lastWord(textOf('curl'))).toBe(`http://127.0.0.1:1${PATH}`);
  expect(lastWord(textOf('Command line'))).toBe(PATH);
});

it('TypeScript has the exact values', () => {
  const [, values] = /profile\((.*)\)\);$/.exec(textOf('TypeScript')) ?? [];
  expect(JSON.parse(values ?? '')).toBe(`it's"\n`);
});
