import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const SHOWN_IN = [
  'tests/config/effect.test.ts',
  'tests/config/effect-cache.test.ts',
  'tests/config/effect-credit.test.ts',
  'tests/config/effect-paid.test.ts',
  // Those of the command line.
  'tests/cli/fixture.ts',
  'tests/cli/commands.test.ts',
];

/** The variables in the first cells of the page's table. */
function documented(): string[] {
  const rows = readFileSync('docs/configuration.md', 'utf8').match(/^\| `[^|]+\|/gm) ?? [];
  return rows.flatMap((row) => row.match(/[A-Z][A-Z_]+[A-Z]/g) ?? []);
}

it('every variable that is documented has a test in which it changes something', () => {
  const tests = SHOWN_IN.map((path) => readFileSync(path, 'utf8')).join('\n');
  const variables = documented();
  expect(variables.length).toBeGreaterThan(30);
  expect(variables.filter((name) => !new RegExp(`\\b${name}\\b`).test(tests))).toEqual([]);
});
