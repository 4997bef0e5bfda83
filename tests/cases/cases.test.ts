import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** How many cases each group has. */
const GROUPS = { S: 26, P: 23, U: 21, R: 12, H: 19, L: 10, C: 6, V: 20, W: 38, X: 24 };
const NOT_BUILT = 'not built yet';
const STRUCK = 'struck';

const ids = Object.entries(GROUPS).flatMap(([group, count]) =>
  Array.from({ length: count }, (_, index) => `${group}${index + 1}`),
);

/** The last cell of each row, by case id. */
function readRows(markdown: string): Map<string, string> {
  const rows = [...markdown.matchAll(/^\| (?<id>[A-Z]\d+) \|.*\| (?<test>[^|]+) \|$/gm)];
  return new Map(rows.map(({ groups }) => [groups?.id ?? '', groups?.test?.trim() ?? '']));
}

const rows = readRows(readFileSync('docs/cases.md', 'utf8'));

/** Whether a file has a test of this case that is not skipped: titles start with the ids that they show. */
function hasTestOf(id: string, path: string): boolean {
  if (!existsSync(path)) return false;
  const titles = readFileSync(path, 'utf8').matchAll(/(?<call>[\w.]*)(?:[([]|^)\s*[`'"](?<ids>(?:[A-Z]\d+ )+)/gm);
  return [...titles].some(({ groups }) => !groups?.call?.includes('skip') && groups?.ids?.split(' ').includes(id));
}

function faultOf(id: string): string | undefined {
  const cell = rows.get(id);
  if (cell === undefined) return `${id} has no row`;
  if (cell === NOT_BUILT || cell === STRUCK) return undefined;
  const missing = cell.split(', ').filter((path) => !hasTestOf(id, path));
  return missing.length > 0 ? `${id} has no test in ${missing.join(', ')}` : undefined;
}

describe('docs/cases.md', () => {
  it('has one row for each of the 199 cases, with a test that exists', () => {
    expect(ids).toHaveLength(199);
    expect(ids.map(faultOf).filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('has no unknown case', () => {
    expect([...rows.keys()].filter((id) => !ids.includes(id))).toEqual([]);
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
const shown = [...page.matchAll(/^\| (?<statement>[\d.]+) \|.*\| `(?<path>[^`]+)` \S.* \|$/gm)].map(({ groups }) => ({
  statement: groups?.statement ?? '',
  path: groups?.path ?? '',
}));

// That each named test has passed is looked at after the run, by scripts/test.mjs.
describe('docs/conformance.md', () => {
  it('has a readable row for every statement', () => {
    expect(new Set(shown.map(({ statement }) => statement))).toEqual(new Set(STATEMENTS));
    expect(page.match(/^\| [\d.]+ \|/gm)).toHaveLength(shown.length);
  });

  it('names existing files', () => {
    expect(shown.filter(({ path }) => !existsSync(path))).toEqual([]);
  });
});
