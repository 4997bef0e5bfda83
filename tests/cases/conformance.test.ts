import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** The numbered statements of the specification that say something; those of sections 3 and 6 say that nothing is shown. */
const STATEMENTS = [
  ...[1, 2, 3, 4, 5].map((number) => `1.${number}`),
  ...[1, 2, 3, 4].map((number) => `2.${number}`),
  '4.1',
  '4.2',
  ...[2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19].map((number) => `4.3.${number}`),
  '4.4',
  ...[1, 2, 3].map((number) => `4.5.${number}`),
  '5',
  '7',
  '8',
  '9',
];

const page = readFileSync('docs/conformance.md', 'utf8');
const rows = [...page.matchAll(/^\| (?<statement>[\d.]+) \|.*\| `(?<path>[^`]+)` \S.* \|$/gm)].map(({ groups }) => ({
  statement: groups?.statement ?? '',
  path: groups?.path ?? '',
}));

// That each named test has passed is looked at after the run, by scripts/test.mjs.
describe('docs/conformance.md', () => {
  it('has a readable row for every statement', () => {
    expect(new Set(rows.map(({ statement }) => statement))).toEqual(new Set(STATEMENTS));
    expect(page.match(/^\| [\d.]+ \|/gm)).toHaveLength(rows.length);
  });

  it('names existing files', () => {
    expect(rows.filter(({ path }) => !existsSync(path))).toEqual([]);
  });
});
