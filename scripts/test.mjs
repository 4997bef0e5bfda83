import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { UNFINISHED } from './overdue.mjs';
import { stop } from './setup.mjs';

const REPORT = '.setup/tests.json';

const idsIn = (tests) => new Set(tests.flatMap(({ fullName }) => fullName.match(/\b[SPURHLCVW]\d+\b/g) ?? []));

/** The ids of docs/cases.md without a passed test: skipped, or missing. */
function casesWithoutProof(results) {
  const tests = results.flatMap(({ assertionResults }) => assertionResults);
  const passed = idsIn(tests.filter(isPassed));
  const rows = readFileSync('docs/cases.md', 'utf8').matchAll(/^\| ([A-Z]\d+) \|.*\| tests\/[^|]+ \|$/gm);
  const without = [...rows].map(([, id]) => id).filter((id) => !passed.has(id));
  // Suites that need a missing program, or are left to CI, say so in their titles.
  const skipped = idsIn(tests.filter(({ fullName }) => fullName.includes('(skipped: ')));
  return { skipped: without.filter((id) => skipped.has(id)), unproved: without.filter((id) => !skipped.has(id)) };
}

/** The statements of docs/conformance.md without a passed test: skipped, renamed or missing. */
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

function run(words, isWhole) {
  const reporters = ['--reporter=default', '--reporter=./scripts/overdue.mjs', '--reporter=json'];
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', ...reporters, `--outputFile.json=${REPORT}`, ...words];
  // Compiled packages load much faster; single files run from the sources.
  const env = { PACKAGES: isWhole ? 'built' : 'source', ...process.env };
  const { status } = spawnSync(process.execPath, vitest, { stdio: 'inherit', env });
  const unfinished = existsSync(UNFINISHED) ? JSON.parse(readFileSync(UNFINISHED, 'utf8')) : [];
  const files = JSON.parse(readFileSync(REPORT, 'utf8')).testResults;
  return { status, unfinished, files: files.filter(({ name }) => !unfinished.includes(name)) };
}

const isPassed = ({ status }) => status === 'passed';
const isFailed = ({ status }) => status === 'failed';
const failuresOf = ({ assertionResults }) => assertionResults.filter(isFailed);

/**
 * Runs the tests. If few files failed or did not finish, they run once more alone, since a busy machine breaks any time bound. All
 * of them are named.
 */
function runTests(words) {
  const isWhole = words.length === 0;
  const first = run(words, isWhole);
  const failed = first.files.filter(isFailed);
  const again = [...first.unfinished, ...failed.map(({ name }) => name)];
  if (!isWhole || again.length === 0 || failed.length > 8) return first;
  const second = run(['--maxWorkers=1', ...again], isWhole);
  const titles = failed.flatMap((file) => failuresOf(file).map(({ fullName }) => fullName));
  const named = [...titles, ...first.unfinished].map((name) => `  ${name}\n`).join('');
  process.stdout.write(`Failed or did not finish beside other tests; run again alone:\n${named}`);
  const kept = first.files.filter(({ name }) => !again.includes(name));
  return { status: second.status, files: [...kept, ...second.files] };
}

/** Runs the tests; the last line counts them. */
export function test(words) {
  mkdirSync('.setup', { recursive: true });
  const { status, files: testResults } = runTests(words);
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const [numPassedTests, numFailedTests] = [tests.filter(isPassed).length, tests.filter(isFailed).length];
  const isWhole = words.length === 0;
  const cases = isWhole ? casesWithoutProof(testResults) : { skipped: [], unproved: [] };
  const unproved = isWhole ? [...cases.unproved, ...statementsWithoutProof(testResults)] : [];
  if (cases.skipped.length > 0)
    process.stdout.write(`Cases skipped because a program is missing, or left to CI: ${cases.skipped.join(', ')}\n`);
  if (unproved.length > 0) process.stdout.write(`Cases and statements without a passed test: ${unproved.join(', ')}\n`);
  const failed = numFailedTests + unproved.length || (status === 0 ? 0 : 1);
  if (numPassedTests + numFailedTests === 0) stop('No test ran.');
  process.stdout.write(`${numPassedTests} passed, ${failed} failed\n`);
  if (failed > 0) process.exit(1);
}
