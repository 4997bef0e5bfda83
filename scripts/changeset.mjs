import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { withRelease } from './changelog.mjs';
import { followPackages } from './dependencies.mjs';
import { alone, installTool, stop } from './setup.mjs';

const CLI = 'release/node_modules/@changesets/cli/bin.js';

/** What names the version of the packages besides themselves, and what stands before it there. */
const NAMED_IN = {
  'package.json': '"version": "',
  'packages/cli/manifest.json': '"version": "',
  'packages/cli/server.json': '"version": "',
  'deploy/kubernetes/kustomization.yaml': 'newTag: ',
};

const versionNow = () => JSON.parse(readFileSync('packages/gateway/package.json', 'utf8')).version;

const edit = (path, change) => writeFileSync(path, change(readFileSync(path, 'utf8')));

function run(words) {
  const { status } = spawnSync(process.execPath, words, { stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}

/** The sentences of all changesets. */
async function readSentences() {
  const { default: getReleasePlan } = createRequire(resolve('release/package.json'))('@changesets/get-release-plan');
  const { changesets } = await getReleasePlan(process.cwd());
  return changesets.map(({ summary }) => summary).filter((summary) => summary !== '');
}

/** Makes the next version of all changesets: in the packages, in what names their version, in the lock and in the changelog. */
async function makeVersion() {
  const [before, sentences] = [versionNow(), await readSentences()];
  if (sentences.length === 0) stop('Nothing is to be released: npm run changeset writes down what is.');
  run([CLI, 'version']);
  const version = versionNow();
  for (const [path, start] of Object.entries(NAMED_IN))
    edit(path, (text) => text.replaceAll(start + before, start + version));
  edit('CHANGELOG.md', (text) => withRelease(text, version, sentences));
  const fault = followPackages();
  if (fault) stop(fault);
  process.stdout.write(`${version}: commit it, and CONTRIBUTING.md says how it is published\n`);
}

/** Runs changesets, which this installs first; `version` is ours around theirs. */
export async function changeset(words) {
  alone(() => installTool('release'));
  if (words[0] === 'version') await makeVersion();
  else run([CLI, ...words]);
}
