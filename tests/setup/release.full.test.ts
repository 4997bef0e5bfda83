import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withRelease } from '../../scripts/changeset.mjs';
import { node, type Outcome, runCommand } from '../kit/command.ts';
import { suiteWithInstallation } from '../kit/packages.ts';

const FILES = ['package.json', 'package-lock.json', '.npmrc', 'CHANGELOG.md', '.changeset/config.json', 'scripts'];
const TOOL = ['release/package.json', 'release/package-lock.json', 'release/.npmrc'];
const NAMING = ['packages/cli/manifest.json', 'packages/cli/server.json', 'deploy/kubernetes/kustomization.yaml'];
const MANIFESTS = readdirSync('packages').map((name) => `packages/${name}/package.json`);

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const changeset = (folder: string, ...words: string[]): Promise<Outcome> =>
  runCommand(node('scripts/run.mjs', 'changeset', ...words), { cwd: folder, env: process.env });

async function prepare(folder: string): Promise<{ code: number | null; stderr: string }> {
  for (const path of [...FILES, ...TOOL, ...NAMING, ...MANIFESTS]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(path, join(folder, path), { recursive: true });
  }
  const { code, stderr } = await changeset(folder, '--version');
  return { code, stderr };
}

describe('the changelog of a release', () => {
  it('has an item for each sentence, above the last release', () => {
    const before = '# Changelog\n\n## 0.1.0\n\n- Zero.\n';
    const after = '# Changelog\n\n## 0.2.0\n\n- One.\n- Two\n  goes on.\n\n## 0.1.0\n\n- Zero.\n';
    expect(withRelease(before, '0.2.0', ['One.', 'Two\ngoes on.\n'])).toBe(after);
    expect(withRelease('# Changelog\n', '0.1.0', ['One.'])).toBe('# Changelog\n\n## 0.1.0\n\n- One.\n');
  });
});

await suiteWithInstallation(
  'a release made of changesets',
  prepare,
  (folder) => {
    const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
    const manifest = (path: string): Manifest => JSON.parse(read(path));

    it('is not made without a changeset, and nothing changes', async () => {
      const { code, stderr } = await changeset(folder, 'version');
      expect([code, stderr]).toEqual([1, expect.stringContaining('npm run changeset adds one')]);
      for (const path of [...NAMING, ...MANIFESTS, 'CHANGELOG.md', 'package-lock.json'])
        expect(read(path)).toBe(readFileSync(path, 'utf8'));
    }, 60_000);

    it('has one version in every package, manifest, lock and changelog', async () => {
      const { version } = manifest('package.json');
      const [major, minor] = version.split('.').map(Number);
      const next = `${major}.${Number(minor) + 1}.0`;
      const write = (name: string, step: string, sentence: string) =>
        writeFileSync(
          join(folder, `.changeset/${name}.md`),
          `---\n"@asset-gateway/${name}": ${step}\n---\n\n${sentence}\n`,
        );
      write('gateway', 'minor', 'The gateway tells the time.');
      write('cli', 'patch', 'The command line shows it.');
      expect(await changeset(folder, 'version')).toMatchObject({ code: 0 });

      for (const path of ['package.json', ...MANIFESTS]) {
        const { version: own, dependencies, devDependencies } = manifest(path);
        const ours = Object.entries({ ...dependencies, ...devDependencies }).filter(([name]) =>
          name.startsWith('@asset-gateway/'),
        );
        expect([path, own, ...ours.map(([, each]) => each)]).toEqual([path, next, ...ours.map(() => next)]);
      }
      for (const path of NAMING) expect(read(path)).toBe(readFileSync(path, 'utf8').replaceAll(version, next));
      const [locked, before] = [read('package-lock.json'), readFileSync('package-lock.json', 'utf8')];
      for (const path of ['', ...MANIFESTS.map(dirname)]) expect(JSON.parse(locked).packages[path].version).toBe(next);
      expect(locked.split('\n')).toHaveLength(before.split('\n').length);

      const [, release] = read('CHANGELOG.md').split('\n## ');
      expect(release).toMatch(new RegExp(`^${next.replaceAll('.', '\\.')}\n`));
      for (const sentence of ['The gateway tells the time.', 'The command line shows it.'])
        expect(release).toContain(`\n- ${sentence}\n`);
      expect(readdirSync(join(folder, '.changeset'))).toEqual(['config.json']);
      for (const path of MANIFESTS) expect(existsSync(join(folder, dirname(path), 'CHANGELOG.md'))).toBe(false);
    }, 60_000);
  },
  { isOfReleases: true },
);
