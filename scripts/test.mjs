import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { stop } from './setup.mjs';

const REPORT = '.setup/tests.json';

const idsIn = (tests) => new Set(tests.flatMap(({ fullName }) => fullName.match(/\b[SPURHLCVWX]\d+\b/g) ?? []));

/** Titles of suites that this run leaves out say so. */
const isLeftOut = ({ fullName }) => /\((?:skipped: |left to the full run)/.test(fullName);
const isFullFile = (path) => path.endsWith('.full.test.ts');

/** The cases of docs/cases.md without a passed test: left out of this run, or missing. */
function casesWithoutProof(tests, isShort) {
  const passed = idsIn(tests.filter(isPassed));
  const leftOut = idsIn(tests.filter(isLeftOut));
  const rows = readFileSync('docs/cases.md', 'utf8').matchAll(/^- \*\*([A-Z]\d+)\*\* .+: (`[\w/.{},` -]+`)$/gm);
  const without = [...rows]
    .filter(([, id]) => !passed.has(id))
    .map(([, id, files]) => ({ id, isLeftOut: leftOut.has(id) || (isShort && /\.full[`,}]/.test(files)) }));
  return split(without);
}

/** The statements of docs/conformance.md without a passed test: left out of this run, or skipped, renamed or missing. */
function statementsWithoutProof(results, isShort) {
  const rows = readFileSync('docs/conformance.md', 'utf8').matchAll(/^- \*\*([\d.]+)\*\* .*: `(tests\/[^`]+)` (.+)$/gm);
  const testsOf = (path, words) =>
    results
      .filter(({ name }) => name.endsWith(path))
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ fullName }) => fullName.includes(words));
  const without = [...rows]
    .map(([, number, path, words]) => ({ id: `§${number}`, path, tests: testsOf(path, words) }))
    .filter(({ tests }) => !tests.some(isPassed))
    .map(({ id, path, tests }) => ({ id, isLeftOut: tests.some(isLeftOut) || (isShort && isFullFile(path)) }));
  return split(without);
}

const idsOf = (rows) => [...new Set(rows.map(({ id }) => id))];
const split = (rows) => ({
  leftOut: idsOf(rows.filter((row) => row.isLeftOut)),
  unproved: idsOf(rows.filter((row) => !row.isLeftOut)),
});

function run(words, isShort) {
  const reporters = ['--reporter=default', '--reporter=./scripts/overdue.mjs', '--reporter=json'];
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...reporters, `--outputFile.json=${REPORT}`, ...words];
  // Compiled packages load much faster; single files run from the sources.
  const isWhole = words.length === 0;
  const env = { PACKAGES: isWhole ? 'built' : 'source', ...process.env, ...(isShort && { TESTS: 'short' }) };
  rmSync(REPORT, { force: true });
  const { status } = spawnSync(process.execPath, vitest, { stdio: 'inherit', env });
  // A run that is killed writes none.
  return { status, files: existsSync(REPORT) ? JSON.parse(readFileSync(REPORT, 'utf8')).testResults : [] };
}

const isPassed = ({ status }) => status === 'passed';
const isFailed = ({ status }) => status === 'failed';

/** Compares the two pages with the results of a whole run. Returns how many rows lack a test. */
function comparePages(files, isShort) {
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const pages = [casesWithoutProof(tests, isShort), statementsWithoutProof(files, isShort)];
  const [leftOut, unproved] = ['leftOut', 'unproved'].map((kind) => pages.flatMap((page) => page[kind]));
  const reason = isShort ? 'Left to the full run, npm run test:all' : 'Skipped because a program is missing';
  if (leftOut.length > 0) process.stdout.write(`${reason}: the tests of ${leftOut.join(', ')}\n`);
  if (unproved.length > 0) process.stdout.write(`Cases and statements without a passed test: ${unproved.join(', ')}\n`);
  return unproved.length;
}

function runAndCount(words, isShort) {
  mkdirSync('.setup', { recursive: true });
  const { status, files } = run(words, isShort);
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const [numPassedTests, numFailedTests] = [tests.filter(isPassed).length, tests.filter(isFailed).length];
  const numUnproved = words.length === 0 ? comparePages(files, isShort) : 0;
  const failed = numFailedTests + numUnproved || (status === 0 ? 0 : 1);
  if (numPassedTests + numFailedTests === 0) stop('No test ran.');
  process.stdout.write(`${numPassedTests} passed, ${failed} failed\n`);
  if (failed > 0) process.exit(1);
}

const isRequired = () => process.env.REQUIRE_ALL === '1' || process.env.ROUNDS === 'full';

/** Runs the named tests, or all that are deterministic; the last line counts them. */
export const test = (words) => runAndCount(words, words.length === 0 && !isRequired());

/** Runs the tests that race, kill, wait or start programs as well. */
export const testAll = () => runAndCount([], false);
