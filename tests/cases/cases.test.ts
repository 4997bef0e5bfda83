import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { alternatives } from '../kit/page.ts';

/** How many cases each group has. */
const GROUPS = { S: 26, P: 24, U: 21, R: 12, H: 19, L: 10, C: 6, V: 20, W: 40, X: 26 };
const STRUCK = ['L7'];

const ids = Object.entries(GROUPS).flatMap(([group, count]) =>
  Array.from({ length: count }, (_, index) => `${group}${index + 1}`),
);

const documented = Array.from(
  readFileSync('docs/cases.md', 'utf8').matchAll(/^- \*\*([A-Z]\d+)\*\* (?:.+: (`[\w/.{},` -]+`)|.+ \(struck\))$/gm),
  ([, id = '', files = '']) =>
    [id, [...files.matchAll(/`([^`]+)`/g)].flatMap(([, name = '']) => alternatives(`tests/${name}.test.ts`))] as const,
);

/** Whether a file has a test of this case that is not skipped: titles start with the ids that they show. */
function hasTestOf(id: string, path: string): boolean {
  if (!existsSync(path)) return false;
  const titles = readFileSync(path, 'utf8').matchAll(/(?<call>[\w.]*)(?:[([]|^)\s*[`'"](?<ids>(?:[A-Z]\d+ )+)/gm);
  return [...titles].some(({ groups }) => !groups?.call?.includes('skip') && groups?.ids?.split(' ').includes(id));
}

describe('docs/cases.md', () => {
  it('has one line for each of the 204 cases', () => {
    expect(ids).toHaveLength(204);
    expect(documented.map(([id]) => id).sort()).toEqual(ids.toSorted());
  });

  it('names files for each case that is not struck, and each file has a test of the case', () => {
    expect(documented.filter(([, paths]) => paths.length === 0).map(([id]) => id)).toEqual(STRUCK);
    const named = documented.flatMap(([id, paths]) => paths.map((path) => [id, path] as const));
    expect(named.filter(([id, path]) => !hasTestOf(id, path))).toEqual([]);
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
  ({ groups }) => ({ statement: groups?.statement ?? '', path: groups?.path ?? '' }),
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
