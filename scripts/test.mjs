import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { stop } from './setup.mjs';

const REPORT = '.setup/tests.json';

/** Runs the tests; the last line is their count. */
export function test(words) {
  mkdirSync('.setup', { recursive: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`];
  const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', ...reporters, ...words], {
    stdio: 'inherit',
  });
  const { numPassedTests, numFailedTests, numFailedTestSuites } = JSON.parse(readFileSync(REPORT, 'utf8'));
  const failed = status === 0 ? numFailedTests : Math.max(1, numFailedTests, numFailedTests || numFailedTestSuites);
  process.stdout.write(`${numPassedTests} passed, ${failed} failed\n`);
  if (failed > 0) process.exit(1);
  if (numPassedTests === 0) stop('No test ran.');
}
