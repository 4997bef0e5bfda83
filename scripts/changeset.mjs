import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { followPackages } from './dependencies.mjs';
import { alone, installTool, stop } from './setup.mjs';

/** A list item; further lines are indented below the first. */
const itemOf = (sentence) => `- ${sentence.trim().replaceAll('\n', '\n  ').replaceAll(/^ +$/gm, '')}\n`;

/** The changelog with a new release below its title: one item for each sentence. */
export function withRelease(changelog, version, sentences) {
  const [title, ...older] = changelog.split('\n## ');
  const release = `${version}\n\n${sentences.map(itemOf).join('')}`;
  return [title, release, ...older]
    .map((part) => part.trimEnd())
    .join('\n\n## ')
    .concat('\n');
}

const CLI = 'release/node_modules/@changesets/cli/bin.js';

/** Other files that contain the packages' version, and the text before it. */
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

/** The summaries of all changesets. */
async function readSentences() {
  const { default: getReleasePlan } = createRequire(resolve('release/package.json'))('@changesets/get-release-plan');
  const { changesets } = await getReleasePlan(process.cwd());
  return changesets.map(({ summary }) => summary).filter((summary) => summary !== '');
}

/** Applies all changesets: new version in the packages, the lock and other files, new entries in the changelog. */
async function makeVersion() {
  const [before, sentences] = [versionNow(), await readSentences()];
  if (sentences.length === 0) stop('There is no changeset to release: npm run changeset adds one.');
  run([CLI, 'version']);
  const version = versionNow();
  for (const [path, start] of Object.entries(NAMED_IN))
    edit(path, (text) => text.replaceAll(start + before, start + version));
  edit('CHANGELOG.md', (text) => withRelease(text, version, sentences));
  const fault = followPackages();
  if (fault) stop(fault);
  process.stdout.write(`${version}: commit it, then publish as CONTRIBUTING.md says\n`);
}

/** Runs the changesets CLI, installed on first use; `version` adds our own steps. */
export async function changeset(words) {
  await alone(() => installTool('release'));
  if (words[0] === 'version') await makeVersion();
  else run([CLI, ...words]);
}
