import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import type { CompilerOptions } from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { importsOf, ts } from '../architecture/rules.ts';
import { startEverything } from '../discovery/everything.ts';
import { node, runCommand } from '../kit/command.ts';
import { makeFolder } from '../kit/folder.ts';
import { isFull } from '../kit/rounds.ts';
import { DEFAULT_PRICES } from '../kit/test-gateway.ts';

interface Packed {
  readonly name: string;
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

interface Manifest {
  readonly version: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
  readonly peerDependencies?: object;
  readonly exports: Readonly<Record<string, unknown>>;
}

const NAMES = readdirSync('packages');
/** What programs import; the console is files for browsers. */
const LIBRARIES = NAMES.filter((name) => name !== 'console');
const SOURCE = /^(?!.*\.d\.ts$).*\.ts$/;
const MAX_WAIT_MS = 240_000;

const manifestOf = (name: string): Manifest => JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'));
const sourcesOf = (name: string): string[] =>
  readdirSync(`packages/${name}/src`, { recursive: true })
    .map(String)
    .filter((path) => SOURCE.test(path));

let folder: string;
let packed: readonly Packed[];

async function run(words: readonly string[], cwd: string, variables = {}): Promise<string> {
  const env = { HOME: folder, npm_config_cache: join(folder, 'cache'), npm_config_update_notifier: 'false' };
  const { code, stdout, stderr } = await runCommand(words, { cwd, env: { ...env, ...variables } });
  if (code !== 0) throw new Error(`${words.join(' ')}: ${code} ${stdout}${stderr}`);
  return stdout;
}

/** The folder of a package as it is after an install of its tarball. */
const installed = (name: string): string => join(folder, 'node_modules/@asset-gateway', name);
const packedAs = (name: string): Packed => {
  const found = packed.find((each) => each.name === `@asset-gateway/${name}`);
  if (!found) throw new Error(`${name} is not packed`);
  return found;
};

beforeAll(async () => {
  folder = makeFolder('repository');
  packed = JSON.parse(await run(['npm', 'pack', '--workspaces', '--json', '--pack-destination', folder], '.'));
  for (const name of NAMES) {
    mkdirSync(installed(name), { recursive: true });
    await run(['tar', '-xzf', packedAs(name).filename, '--strip-components=1', '-C', installed(name)], folder);
  }
}, MAX_WAIT_MS);

/** How programs find the packages that they import. */
const RESOLUTIONS: Readonly<Record<string, CompilerOptions>> = {
  Node: { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  'a bundler': { module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
};

/** Compiler messages about a program that imports all packages, and about their declarations. */
function complaints(options: CompilerOptions): string[] {
  const entries = LIBRARIES.flatMap((name) =>
    Object.keys(manifestOf(name).exports).map((path) => `@asset-gateway/${name}${path.slice(1)}`),
  );
  const program = join(folder, 'program.ts');
  writeFileSync(program, entries.map((entry, at) => `export * as entry${at} from '${entry}';\n`).join(''));
  const built = ts.createProgram([program], { ...options, target: ts.ScriptTarget.ES2022, strict: true, noEmit: true });
  return built
    .getSourceFiles()
    .filter(({ fileName }) => fileName.startsWith(folder))
    .flatMap((file) => [...built.getSyntacticDiagnostics(file), ...built.getSemanticDiagnostics(file)])
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
}

describe('the published package', { timeout: MAX_WAIT_MS }, () => {
  it.each(LIBRARIES)('of %s has the compiled code, its licence and a README', (name) => {
    const paths = packedAs(name).files.map(({ path }) => path);
    const compiled = sourcesOf(name).map((path) => `dist/${path.slice(0, -3)}`);
    const needed = compiled.flatMap((path) => [`${path}.js`, `${path}.js.map`, `${path}.d.ts`]);
    expect(paths).toEqual(expect.arrayContaining(['LICENSE', 'README.md', 'package.json', ...needed]));
    const other = paths.filter(
      (path) => !/^(?:LICENSE|README\.md|package\.json|dist\/.+\.(?:js|js\.map|d\.ts|json))$/.test(path),
    );
    expect(other).toEqual([]);
    expect(readFileSync(join(installed(name), 'LICENSE'), 'utf8')).toBe(readFileSync('LICENSE', 'utf8'));
  });

  it('of console has only files that browsers load', () => {
    const built = readdirSync('packages/console/dist', { recursive: true, withFileTypes: true });
    const files = built.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    expect(
      packedAs('console')
        .files.map(({ path }) => `packages/console/${path}`)
        .sort(),
    ).toEqual([...files, ...['LICENSE', 'README.md', 'package.json'].map((name) => `packages/console/${name}`)].sort());
  });

  it('of console has the licences of bundled packages', () => {
    const licences = readFileSync(join(installed('console'), 'dist/console/licenses.txt'), 'utf8');
    expect(licences).toMatch(/^## preact - .+ \(MIT\)$/m);
  });

  it.each(NAMES)('of %s has no fault that publint knows', async (name) => {
    const bytes = readFileSync(join(folder, packedAs(name).filename));
    const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    const { messages, pkg = {} } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it.each(NAMES)('of %s imports only packages that package.json names', (name) => {
    const { dependencies, optionalDependencies, peerDependencies } = manifestOf(name);
    const files = packedAs(name).files.filter(({ path }) => /\.(?:js|d\.ts)$/.test(path));
    const imported = files.flatMap(({ path }) =>
      importsOf({ path, text: readFileSync(join(installed(name), path), 'utf8') }).filter(
        (specifier) => !specifier.startsWith('dist/') && !isBuiltin(specifier),
      ),
    );
    const packages = imported.map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0]);
    expect(Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })).toEqual(
      expect.arrayContaining([...new Set(packages)]),
    );
  });

  it.each(LIBRARIES)('of %s has source maps that hold their sources', (name) => {
    for (const path of sourcesOf(name)) {
      const map = JSON.parse(readFileSync(join(installed(name), `dist/${path.slice(0, -3)}.js.map`), 'utf8'));
      expect(map.sourcesContent).toEqual([readFileSync(`packages/${name}/src/${path}`, 'utf8')]);
    }
  });

  it('suffices to run an example, once installed', async () => {
    const gateway = await startEverything(DEFAULT_PRICES);
    copyFileSync('examples/our-client.mjs', join(folder, 'our-client.mjs'));
    const variables = { ASSET_GATEWAY_URL: gateway.url, ASSET_GATEWAY_RPC_URL: gateway.solana.mainnet.url };
    const output = await run(node('our-client.mjs'), folder, variables);
    expect(output).toMatch(/^free: gold.*\ncall 1: paid .*\ncall 2: paid .*\ncall 3: spending_limit\n$/);
    expect(gateway.solana.mainnet.transfers).toHaveLength(2);
  });

  it.runIf(isFull).each(Object.entries(RESOLUTIONS))('has types for programs compiled for %s', (_, options) => {
    expect(complaints(options)).toEqual([]);
  });

  // publint looks at them in each run.
  it.runIf(isFull)('has commands that npm links and a shell starts', async () => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true }));
    await run(['npm', 'rebuild', '--ignore-scripts', '--offline'], folder);
    const links = join(folder, 'node_modules/.bin');
    const commands = NAMES.flatMap((name) => Object.keys(manifestOf(name).bin ?? {}));
    expect(readdirSync(links).sort()).toEqual(commands.sort());
    expect(await run([join(links, 'asset-gateway'), '--version'], folder)).toBe(`${manifestOf('gateway').version}\n`);
    expect(await run([join(links, 'asset-gateway-doctor'), '--help'], folder)).toMatch(/^Usage: /);
    expect(await run([join(links, 'asset-gateway-client'), 'wallet', 'new'], folder)).toMatch(/^\w{32,44}\n$/);
    const sandbox = await runCommand([join(links, 'asset-gateway-sandbox')], { cwd: folder, env: { PORT: '65535' } });
    expect([sandbox.code, sandbox.stderr]).toEqual([1, expect.stringContaining('PORT must be at most 65533')]);
  });
});
