import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

/** How many cases each group has. */
const GROUPS = { S: 26, P: 23, U: 21, R: 12, H: 19, L: 10, C: 6, V: 20, W: 38 };
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
  it('has one row for each of the 175 cases, with a test that exists', () => {
    expect(ids).toHaveLength(175);
    expect(ids.map(faultOf).filter((fault) => fault !== undefined)).toEqual([]);
  });

  it('has no unknown case', () => {
    expect([...rows.keys()].filter((id) => !ids.includes(id))).toEqual([]);
  });
});
