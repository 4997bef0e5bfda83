import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { isFull } from '../kit/rounds.ts';
import { json, startStrangeGateway } from '../kit/strange-gateway.ts';

/** The manifest of a published package. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly scripts?: Readonly<Record<string, string>>;
}

const fileOf = ({ name, version }: Manifest): string => `${name}-${version}.tgz`;

/** Starts a registry of npm packages on this machine: packs these, and gives them out on a free port. */
async function startRegistry(folder: string, first: readonly Manifest[]) {
  const manifests: Manifest[] = [];
  const packages = new Map<string, Buffer>();
  const publish = (manifest: Manifest): void => {
    const source = join(folder, `${manifest.name}-${manifest.version}`);
    mkdirSync(join(source, 'package'), { recursive: true });
    writeFileSync(join(source, 'package/package.json'), JSON.stringify(manifest));
    execFileSync('tar', ['-czf', join(folder, fileOf(manifest)), 'package'], { cwd: source });
    packages.set(fileOf(manifest), readFileSync(join(folder, fileOf(manifest))));
    manifests.push(manifest);
  };
  for (const manifest of first) publish(manifest);
  const integrityOf = (name: string, version: string) => {
    const bytes = packages.get(fileOf({ name, version })) ?? '';
    return `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  };
  const { url, answer } = await startStrangeGateway();
  answer(({ path }, response) => {
    const asked = path.slice(1);
    const file = packages.get(asked);
    if (file) return void response.end(file);
    const published = manifests.filter(({ name }) => name === asked);
    const versions = published.map((each) => {
      const dist = { tarball: `${url}/${fileOf(each)}`, integrity: integrityOf(each.name, each.version) };
      return [each.version, { ...each, dist }];
    });
    const latest = published.at(-1)?.version;
    const document = { name: asked, 'dist-tags': { latest }, versions: Object.fromEntries(versions) };
    json(response, latest === undefined ? 404 : 200, document);
  });
  return {
    url,
    /** The hash of a package as it is given out. */
    integrityOf,
    /** Gives out one more, which is its package's newest from then on. */
    publish,
  };
}

const SETUP = pathToFileURL(resolve('scripts/setup.mjs')).href;
const SCRIPT = `import { install } from ${JSON.stringify(SETUP)}; install();`;
const WRONG = `sha512-${Buffer.alloc(64, 1).toString('base64')}`;
const builds = { 'tool-build': '1.0.0' };

/** The packages of a lock, by name. */
type Locked = Record<string, object>;

let folder: string;
let registry: Awaited<ReturnType<typeof startRegistry>>;
let serial = 0;

beforeAll(async () => {
  folder = makeFolder();
  registry = await startRegistry(folder, [
    { name: 'tool', version: '1.0.0', optionalDependencies: builds },
    { name: 'tool', version: '1.1.0', optionalDependencies: builds },
    { name: 'tool-build', version: '1.0.0' },
    { name: 'other', version: '1.0.0' },
    { name: 'tool', version: '1.3.0', scripts: { postinstall: `touch ${join(folder, 'ran')}` } },
  ]);
});

const goodLock = (): Locked => ({
  tool: { version: '1.0.0', integrity: registry.integrityOf('tool', '1.0.0'), optionalDependencies: builds },
  'tool-build': { version: '1.0.0', integrity: registry.integrityOf('tool-build', '1.0.0'), optional: true },
});

/** A project that depends on the tool in some 1.x version, with this lock. */
function makeProject(locked: Locked): string {
  const project = join(folder, `project-${serial++}`);
  mkdirSync(project);
  const root = { name: 'project', version: '1.0.0', dependencies: { tool: '^1.0.0' } };
  const packages = Object.entries(locked).map(([name, entry]) => [`node_modules/${name}`, entry]);
  const lock = { ...root, lockfileVersion: 3, requires: true, packages: Object.fromEntries([['', root], ...packages]) };
  writeFileSync(join(project, 'package.json'), JSON.stringify(root));
  writeFileSync(join(project, 'package-lock.json'), JSON.stringify(lock));
  const ours = readFileSync('.npmrc', 'utf8');
  writeFileSync(join(project, '.npmrc'), `${ours}registry=${registry.url}\ncache=${folder}/cache\n`);
  return project;
}

async function run(cwd: string, words: readonly string[]) {
  const { code, stderr } = await runCommand(words, { cwd, env: { HOME: folder } });
  return { code, stderr };
}

const install = (project: string) => run(project, [process.execPath, '--input-type=module', '-e', SCRIPT]);

/** A project after `npm ci`, and a marker file in node_modules that a new installation removes. */
async function installByHand(locked: Locked): Promise<{ project: string; mark: string }> {
  const project = makeProject(locked);
  expect(await run(project, ['npm', 'ci'])).toMatchObject({ code: 0 });
  const mark = join(project, 'node_modules/mark');
  writeFileSync(mark, '');
  return { project, mark };
}

const versionOf = (project: string, name: string): string =>
  JSON.parse(readFileSync(join(project, 'node_modules', name, 'package.json'), 'utf8')).version;

function expectNothingInstalled(project: string): void {
  for (const name of ['node_modules/tool', 'node_modules/tool-build'])
    expect(existsSync(join(project, name))).toBe(false);
}

/** A case in which npm does the same as in another one, once more. */
const itAlso = it.runIf(isFull);

describe('the set-up', () => {
  itAlso('installs a version that is newer than the npm cache', async () => {
    await installByHand(goodLock());
    registry.publish({ name: 'tool', version: '1.2.0' });
    const project = makeProject({ tool: { version: '1.2.0', integrity: registry.integrityOf('tool', '1.2.0') } });
    const { code, stderr } = await install(project);
    expect([code, versionOf(project, 'tool')]).toEqual([0, '1.2.0']);
    expect(stderr).toContain('npm error code ETARGET');
  });

  it('keeps an installation made by npm ci, with or without extra packages', async () => {
    const { project, mark } = await installByHand(goodLock());
    expect(await install(project)).toEqual({ code: 0, stderr: '' });
    expect(existsSync(mark)).toBe(true);
    expect(await run(project, ['npm', 'install', '--no-save', 'other'])).toMatchObject({ code: 0 });
    expect(await install(project)).toEqual({ code: 0, stderr: '' });
    expect(versionOf(project, 'other')).toBe('1.0.0');
  });

  itAlso('skips a missing build for another machine, and installs one for this machine', async () => {
    const build = { os: [process.platform], cpu: [process.arch === 'x64' ? 'arm64' : 'x64'] };
    const { project, mark } = await installByHand({ tool: { ...goodLock().tool, optionalDependencies: {} } });
    const path = join(project, 'package-lock.json');
    const lock = JSON.parse(readFileSync(path, 'utf8'));
    const withBuild = (entry: object) => {
      const packages = { ...lock.packages, 'node_modules/tool-build': { ...goodLock()['tool-build'], ...entry } };
      packages['node_modules/tool'] = { ...goodLock().tool };
      writeFileSync(path, JSON.stringify({ ...lock, packages }));
    };
    withBuild(build);
    expect(await install(project)).toEqual({ code: 0, stderr: '' });
    withBuild({ ...build, cpu: [process.arch] });
    expect(await install(project)).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Installing/) });
    expect([existsSync(mark), versionOf(project, 'tool-build')]).toEqual([false, '1.0.0']);
  });

  itAlso.each([
    ['another version', { version: '1.1.0' }],
    ['a package that is gone', undefined],
  ])('installs the lock if it finds %s', async (_, newer) => {
    const { project } = await installByHand(goodLock());
    if (newer) {
      const lock = { ...goodLock(), tool: { ...newer, integrity: registry.integrityOf('tool', newer.version) } };
      cpSync(join(makeProject(lock), 'package-lock.json'), join(project, 'package-lock.json'));
    } else rmSync(join(project, 'node_modules/tool'), { recursive: true });
    expect(await install(project)).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Installing/) });
    expect(versionOf(project, 'tool')).toBe(newer?.version ?? '1.0.0');
  });

  it('V7 installs nothing if a hash differs from the lock', async () => {
    const lock = goodLock();
    const project = makeProject({ ...lock, tool: { ...lock.tool, integrity: WRONG } });
    const { code, stderr } = await install(project);
    expect(code).toBe(1);
    expect(stderr).toContain('npm error code EINTEGRITY');
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^A dependency is not the one .* package-lock\.json names/);
    expectNothingInstalled(project);
  });

  it('V7 runs no script of a dependency', async () => {
    const tool = { version: '1.3.0', integrity: registry.integrityOf('tool', '1.3.0'), hasInstallScript: true };
    const project = makeProject({ tool });
    expect(await install(project)).toMatchObject({ code: 0 });
    expect([versionOf(project, 'tool'), existsSync(join(folder, 'ran'))]).toEqual(['1.3.0', false]);
  });

  it('V7 installs nothing when the lock lacks a package', async () => {
    const project = makeProject({});
    const { code, stderr } = await install(project);
    expect(code).toBe(1);
    expect(stderr.trimEnd().split('\n').at(-1)).toContain('does not fit package.json');
    expectNothingInstalled(project);
  });
});

it.each(['.', 'site', 'release'])('the lock of %s has the builds of every platform', (place) => {
  const { packages } = JSON.parse(readFileSync(join(place, 'package-lock.json'), 'utf8')) as { packages: Locked };
  const locked = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)));
  const builds = Object.values(packages).flatMap((each) =>
    Object.keys('optionalDependencies' in each ? (each.optionalDependencies as object) : {}),
  );
  expect(builds.filter((name) => !locked.has(name))).toEqual([]);
});
