import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DECISIONS_PAGE, decisionsPage } from '../../scripts/decisions.mjs';
import { readYaml } from '../kit/yaml.ts';

const read = (path: string): string => readFileSync(path, 'utf8');
const json = (path: string) => JSON.parse(read(path));

const filesIn = (folder: string, recursive = false): string[] =>
  readdirSync(folder, { recursive, withFileTypes: true }).flatMap((entry) =>
    entry.isFile() ? [join(entry.parentPath, entry.name)] : [],
  );

const WORKFLOWS = filesIn('.github/workflows');
const PACKAGES = readdirSync('packages').map((name) => join('packages', name));
const MANIFESTS = PACKAGES.map((folder) => join(folder, 'package.json')).filter(existsSync);

interface Workflow {
  readonly jobs: {
    readonly tests: {
      readonly strategy: { readonly matrix: { readonly node: readonly number[] } };
      readonly steps: readonly { readonly run?: string }[];
    };
  };
}

/** The events of a workflow, and what its jobs run. */
interface Untrusted {
  readonly on: object;
  readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
}

/** The jobs of a release. */
interface Release {
  readonly jobs: Readonly<
    Record<string, { readonly permissions?: Readonly<Record<string, string>>; readonly steps: readonly object[] }>
  >;
}

/** A package in a lock. */
interface Locked {
  readonly integrity?: string;
  readonly link?: boolean;
  readonly resolved?: string;
}

/** Builds of the sandbox's runtime for other machines. CONTRIBUTING.md says how to add their hashes. */
const WITHOUT_HASH = /^node_modules\/litesvm-(?:darwin-(?:arm64|x64)|linux-(?:arm64-(?:gnu|musl)|x64-musl))$/;

describe('the repository as others see it', () => {
  it('names its owner in the files that release/owner.json lists and nowhere else', () => {
    const { owner, files } = json('release/owner.json');
    const folders = ['.', ...PACKAGES].flatMap((folder) => filesIn(folder));
    const trees = ['.github', 'docs', 'deploy'].flatMap((folder) => filesIn(folder, true));
    const named = [...folders, ...trees].filter(
      (path) =>
        /\.(?:md|json|ya?ml)$|CODEOWNERS$/.test(path) &&
        new RegExp(`(?://|github\\.com/|@)${owner}\\b`).test(read(path)),
    );
    expect(named.sort()).toEqual(files);
  });

  it.each(MANIFESTS)('%s says where its source, its issues and its page are', (path) => {
    const { repository, bugs, homepage, keywords } = json(path);
    const { repository: root } = json('package.json');
    expect(repository).toEqual({ ...root, directory: path.replace('/package.json', '') });
    const page = root.url.replace(/^git\+|\.git$/g, '');
    expect([bugs, homepage]).toEqual([`${page}/issues`, `${page}#readme`]);
    expect(keywords).toContain('x402');
  });

  it.each(['package.json', 'site/package.json', 'release/package.json', ...MANIFESTS])(
    '%s names exact versions of its dependencies, or a caret in a library',
    (path) => {
      const { dependencies, devDependencies, optionalDependencies } = json(path);
      const isLibrary = ['packages/protocol/package.json', 'packages/client/package.json'].includes(path);
      for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies }))
        expect(`${name} ${range}`).toMatch(
          isLibrary && !name.startsWith('@asset-gateway/') ? / \^\d+\.\d+\.\d+$/ : / (?:npm:\w+@)?\d+\.\d+\.\d+$/,
        );
    },
  );

  it.each(WORKFLOWS)('%s runs actions by their commit and may write nothing by default', (path) => {
    const { permissions } = readYaml<{ readonly permissions: unknown }>(path);
    expect(permissions).toEqual({ contents: 'read' });
    for (const [line] of read(path).matchAll(/uses: .*/g))
      expect(line).toMatch(/^uses: [\w-]+\/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  });

  it.each(WORKFLOWS)('%s runs no text of a stranger, and none with the rights of this repository', (path) => {
    const { on, jobs } = readYaml<Untrusted>(path);
    expect(Object.keys(on).filter((event) => !['push', 'pull_request', 'schedule'].includes(event))).toEqual([]);
    const scripts = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ run = [] }) => run));
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });

  it('gives rights only to jobs of a release that publish what others have built', () => {
    const { jobs } = readYaml<Release>('.github/workflows/release.yml');
    const mayRead = ({ permissions = { contents: 'read' } }: Release['jobs'][string]): boolean =>
      Object.entries(permissions).every(([name, right]) => name === 'contents' && right === 'read');
    const [builders, publishers] = [true, false].map((isBuilder) =>
      Object.entries(jobs).filter(([, job]) => mayRead(job) === isBuilder),
    );
    expect(builders?.map(([name]) => name)).toEqual(['tests', 'build', 'build-image']);
    expect(publishers?.map(([name]) => name)).toEqual(['packages', 'document', 'site', 'image']);
    for (const [name, { steps }] of publishers ?? [])
      expect(JSON.stringify(steps), name).not.toMatch(/checkout|node |npm (?:ci|install|run|pack)|docker buildx/);
    for (const [name, job] of builders ?? [])
      expect(JSON.stringify(job), name).not.toMatch(/secrets\.|github\.token|"environment"/);
  });

  it('publishes every package of a release after its dependencies', () => {
    const [, names = ''] = /for name in (.*); do\n/.exec(read('.github/workflows/release.yml')) ?? [];
    const places = names.split(' ').map((name) => `packages/${name}`);
    expect(places).toEqual(json('package.json').workspaces);
    const packages = places.map((place) => json(join(place, 'package.json')));
    const isLater = ({ dependencies = {} }, at: number) => packages.slice(at).some(({ name }) => name in dependencies);
    expect(packages.filter(isLater)).toEqual([]);
  });

  it.each(['.', 'site', 'release'])(
    'V7 the lock of %s names the hash of every package and no registry, and no package runs a script',
    (place) => {
      const { packages } = json(join(place, 'package-lock.json'));
      const foreign = Object.entries<Locked>(packages).filter(([path]) => path.includes('node_modules/'));
      const unhashed = foreign.filter(([, { integrity, link }]) => !link && !integrity?.startsWith('sha512-'));
      expect(unhashed.map(([path]) => path).filter((path) => !WITHOUT_HASH.test(path))).toEqual([]);
      expect(foreign.filter(([, { link, resolved }]) => !link && resolved !== undefined)).toEqual([]);
      expect(read(join(place, '.npmrc'))).toContain('\nignore-scripts=true\n');
    },
  );

  it('runs CI on the oldest supported Node and on every later one with long support', () => {
    const { tests } = readYaml<Workflow>('.github/workflows/ci.yml').jobs;
    const [, oldest] = json('package.json').engines.node.match(/^>=(\d+)/);
    expect(tests.strategy.matrix.node).toEqual([Number(oldest), 22, 24]);
    expect(tests.steps.at(-1)?.run).toBe('.ci/run');
  });

  it('lists every decision with its date, as npm run docs writes it', () => {
    expect(read(DECISIONS_PAGE)).toBe(decisionsPage());
  });

  it.each(filesIn('docs/decisions').filter((path) => path !== DECISIONS_PAGE))(
    '%s has a title, a status and a date',
    (path) => {
      const [title, , status] = read(path).split('\n');
      expect(title).toMatch(/^# \D/);
      expect(status).toMatch(/^(?:Accepted|Proposed|Superseded by \[\d{4}\]\(.+\)), \d{4}-\d\d-\d\d\.$/);
    },
  );
});
