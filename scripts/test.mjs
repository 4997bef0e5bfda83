import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { stop } from './setup.mjs';

const REPORT = '.setup/tests.json';

const idsIn = (tests) => new Set(tests.flatMap(({ fullName }) => fullName.match(/\b[SPURHLCV]\d+\b/g) ?? []));

/** The ids of docs/cases.md that name a test of which no run has passed: skipped, or gone. */
function casesWithoutProof(results) {
  const tests = results.flatMap(({ assertionResults }) => assertionResults);
  const passed = idsIn(tests.filter(({ status }) => status === 'passed'));
  const rows = readFileSync('docs/cases.md', 'utf8').matchAll(/^\| ([A-Z]\d+) \|.*\| tests\/[^|]+ \|$/gm);
  const without = [...rows].map(([, id]) => id).filter((id) => !passed.has(id));
  // A suite that needs a program which is not here says so in its title.
  const skipped = idsIn(tests.filter(({ fullName }) => fullName.includes('(skipped: no ')));
  return { skipped: without.filter((id) => skipped.has(id)), unproved: without.filter((id) => !skipped.has(id)) };
}

/** The statements of docs/conformance.md whose test has not passed: skipped, renamed, or gone. */
function statementsWithoutProof(results) {
  const rows = readFileSync('docs/conformance.md', 'utf8').matchAll(/^\| ([\d.]+) \|.*\| `([^`]+)` (.+) \|$/gm);
  const isShown = (path, words) =>
    results.some(
      ({ name, assertionResults }) =>
        name.endsWith(path) &&
        assertionResults.some(({ status, fullName }) => status === 'passed' && fullName.includes(words)),
    );
  return [...rows].filter(([, , path, words]) => !isShown(path, words)).map(([, statement]) => statement);
}

/** Runs the tests; the last line is their count. */
export function test(words) {
  mkdirSync('.setup', { recursive: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`];
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...words];
  const { status } = spawnSync(process.execPath, vitest, { stdio: 'inherit' });
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(REPORT, 'utf8'));
  const isWhole = words.length === 0;
  const cases = isWhole ? casesWithoutProof(testResults) : { skipped: [], unproved: [] };
  const unproved = isWhole ? [...cases.unproved, ...statementsWithoutProof(testResults)] : [];
  if (cases.skipped.length > 0)
    process.stdout.write(`Cases skipped for want of a program: ${cases.skipped.join(', ')}\n`);
  if (unproved.length > 0) process.stdout.write(`Cases and statements without a passed test: ${unproved.join(', ')}\n`);
  const failed = numFailedTests + unproved.length || (status === 0 ? 0 : 1);
  if (numPassedTests === 0) stop('No test ran.');
  process.stdout.write(`${numPassedTests} passed, ${failed} failed\n`);
  if (failed > 0) process.exit(1);
}
