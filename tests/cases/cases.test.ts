import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import files from './files.json' with { type: 'json' };

/** How many cases each group has. */
const GROUPS = { S: 26, P: 23, U: 21, R: 12, H: 19, L: 10, C: 6, V: 20, W: 38, X: 24 };
const STRUCK = ['L7'];

const ids = Object.entries(GROUPS).flatMap(([group, count]) =>
  Array.from({ length: count }, (_, index) => `${group}${index + 1}`),
);

const documented = Array.from(
  readFileSync('docs/cases.md', 'utf8').matchAll(/^- \*\*([A-Z]\d+)\*\* \S/gm),
  ([, id]) => id,
);
const filesOf: Readonly<Record<string, readonly string[]>> = files;

/** Whether a file has a test of this case that is not skipped: titles start with the ids that they show. */
function hasTestOf(id: string, path: string): boolean {
  if (!existsSync(path)) return false;
  const titles = readFileSync(path, 'utf8').matchAll(/(?<call>[\w.]*)(?:[([]|^)\s*[`'"](?<ids>(?:[A-Z]\d+ )+)/gm);
  return [...titles].some(({ groups }) => !groups?.call?.includes('skip') && groups?.ids?.split(' ').includes(id));
}

it('docs/cases.md has one line for each of the 199 cases', () => {
  expect(ids).toHaveLength(199);
  expect(documented).toEqual(expect.arrayContaining(ids));
  expect(documented).toHaveLength(ids.length);
});

describe('files.json', () => {
  it('names files for each case that is not struck', () => {
    expect(Object.keys(filesOf).sort()).toEqual(ids.filter((id) => !STRUCK.includes(id)).sort());
  });

  it('names files with a test of the case', () => {
    const named = Object.entries(filesOf).flatMap(([id, paths]) => paths.map((path) => [id, path] as const));
    expect(named.filter(([id, path]) => !hasTestOf(id, path))).toEqual([]);
    expect(Object.values(filesOf)).not.toContainEqual([]);
  });
});

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
const shown = [...page.matchAll(/^- \*\*(?<statement>[\d.]+)\*\* .*: `(?<path>tests\/[^`]+)` \S.*$/gm)].map(
  ({ groups }) => ({
    statement: groups?.statement ?? '',
    path: groups?.path ?? '',
  }),
);

// That each named test has passed is looked at after the run, by scripts/test.mjs.
describe('docs/conformance.md', () => {
  it('has a readable line for every statement', () => {
    expect(new Set(shown.map(({ statement }) => statement))).toEqual(new Set(STATEMENTS));
    expect(page.match(/^- \*\*[\d.]+\*\*/gm)).toHaveLength(shown.length);
  });

  it('names existing files', () => {
    expect(shown.filter(({ path }) => !existsSync(path))).toEqual([]);
  });
});
