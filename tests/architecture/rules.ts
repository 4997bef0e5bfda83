import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, normalize } from 'node:path';
import type { Node } from 'typescript';
import allowedImports from './allowed-imports.json' with { type: 'json' };

/** Loaded by `require`: for an import, Node first reads all of it to find what it exports. */
export const ts = createRequire(import.meta.url)('typescript') as typeof import('typescript');

/** A source file by its path from the root of the repository. */
export interface Source {
  readonly path: string;
  readonly text: string;
}

const MAX_FILE_LINES = 200;
const MAX_FUNCTION_LINES = 40;
const MAX_PARAMETERS = 4;
const MAX_PIPELINE_LINES = 45;

/** Tables of pure data, which may be longer than other files. */
const DATA_TABLES =
  /^packages\/(?:client\/src\/methods|gateway\/src\/(?:stores\/sql\/changes|metrics\/alert-texts)|protocol\/src\/routes\/\w+)\.ts$/;
const FORBIDDEN_NAMES = /(?:^|\/)(?:utils?|helpers?|common|misc)(?:\.ts$|\/)/;
const GATEWAY = 'packages/gateway/src/';

/** What every folder may import. */
const FOR_ALL = ['background.ts', 'call.ts', 'closing.ts', 'stack.ts'];

/** Who may import whom inside the gateway, and which other package than the protocol; a folder may also import from itself. */
const ALLOWED_IMPORTS: Readonly<Record<string, readonly string[]>> = allowedImports;

/** Files and folders that do not speak the protocol. */
const WITHOUT_PROTOCOL =
  'background.ts closing.ts stack.ts native-fetch.ts pool.ts proxies.ts tallies.ts stores/ secrets.ts run.ts start.ts main.ts index.ts'.split(
    ' ',
  );

const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  protocol: [],
  doctor: ['protocol'],
  gateway: ['protocol', 'doctor'],
  client: ['protocol'],
  console: ['protocol', 'client'],
  cli: ['protocol', 'client'],
  sandbox: ['protocol', 'gateway'],
};

export function readSources(): Source[] {
  const folders = readdirSync('packages').map((name) => `packages/${name}/src`);
  const paths = folders
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder, { recursive: true }).map((name) => join(folder, String(name))));
  return paths
    .filter((path) => /\.tsx?$/.test(path) && statSync(path).isFile())
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

/** Works something out of a source once, however many rules ask for it. */
function once<Value>(read: (source: Source) => Value): (source: Source) => Value {
  const known = new WeakMap<Source, Value>();
  return (source) => {
    const value = known.get(source) ?? read(source);
    known.set(source, value);
    return value;
  };
}

/** The imports of a file: our own paths, or package names. */
export const importsOf = once(({ path, text }): readonly string[] => {
  const specifiers = ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => fileName);
  return specifiers.map((name) => (name.startsWith('.') ? normalize(join(path, '..', name)) : name));
});

/** The syntax tree of a file. */
export const syntaxOf = once(({ path, text }) => ts.createSourceFile(path, text, ts.ScriptTarget.ES2022));

function importerOf(path: string): string {
  const inside = path.slice(GATEWAY.length);
  return inside.includes('/') ? `${inside.split('/')[0]}/` : inside;
}

function wrongInGateway(source: Source): string[] {
  const importer = importerOf(source.path);
  const names = ALLOWED_IMPORTS[importer];
  if (names === undefined) return [`${source.path} is not in the table of imports`];
  const allowed = [...FOR_ALL, ...(importer.endsWith('/') ? [importer] : []), ...names];
  const isWrong = (name: string): boolean => {
    if (name.startsWith('@asset-gateway/protocol')) return WITHOUT_PROTOCOL.includes(importer);
    if (name.startsWith('@asset-gateway/')) return !allowed.includes(name);
    const isAllowed = allowed.some((each) => name.slice(GATEWAY.length).startsWith(each));
    return name.startsWith(GATEWAY) && !isAllowed;
  };
  return importsOf(source)
    .filter(isWrong)
    .map((name) => `${source.path} must not import ${name}`);
}

/** Browsers load the console and the client, except its keypair reader. */
const isForBrowsers = (path: string): boolean => /^packages\/(?:client\/src\/(?!node\.ts$)|console\/src\/)/.test(path);

function wrongBetweenPackages(source: Source): string[] {
  const own = source.path.split('/')[1] ?? '';
  const isWrong = (name: string): boolean => {
    if (name.startsWith('packages/')) return !name.startsWith(`packages/${own}/`);
    if (name.startsWith('node:') && (own === 'protocol' || isForBrowsers(source.path))) return true;
    const other = /^@asset-gateway\/(\w+)/.exec(name)?.[1];
    return other !== undefined && !PACKAGES[own]?.includes(other);
  };
  return importsOf(source)
    .filter(isWrong)
    .map((name) => `${source.path} must not import ${name}`);
}

export function wrongImports(sources: readonly Source[]): string[] {
  const inGateway = sources.filter(({ path }) => path.startsWith(GATEWAY));
  return [...sources.flatMap(wrongBetweenPackages), ...inGateway.flatMap(wrongInGateway)];
}

/** Files that import each other in a circle. */
export function importCycles(sources: readonly Source[]): string[] {
  const graph = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(' -> '));
    if (done.has(path) || trail.includes(path)) return;
    for (const next of graph.get(path) ?? []) if (graph.has(next)) visit(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) visit(path, []);
  return cycles;
}

/** Lines that hold code: neither blank nor comment alone. */
export function codeLines(text: string): number {
  const withoutBlocks = text.replace(/\/\*[\s\S]*?\*\//g, '');
  return withoutBlocks.split('\n').filter((line) => line.trim() !== '' && !line.trim().startsWith('//')).length;
}

function tooLongFunctions(source: Source): string[] {
  const { path } = source;
  const file = syntaxOf(source);
  const faults: string[] = [];
  const visit = (node: Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body) {
      const name = node.name?.getText(file) ?? 'a function';
      const lines = codeLines(node.getText(file));
      if (lines > MAX_FUNCTION_LINES) faults.push(`${path}: ${name} has ${lines} lines`);
      if (node.parameters.length > MAX_PARAMETERS)
        faults.push(`${path}: ${name} has ${node.parameters.length} parameters`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return faults;
}

export function wrongSizes(sources: readonly Source[]): string[] {
  return sources.flatMap((source) => {
    const lines = codeLines(source.text);
    const limit = source.path === `${GATEWAY}gateway.ts` ? MAX_PIPELINE_LINES : MAX_FILE_LINES;
    const tooLong = lines > limit && !DATA_TABLES.test(source.path);
    return [...(tooLong ? [`${source.path} has ${lines} code lines`] : []), ...tooLongFunctions(source)];
  });
}

/** Type names that two files of a package declare: each name means one thing there. */
export function sharedTypeNames(sources: readonly Source[]): string[] {
  const places = new Map<string, string[]>();
  for (const source of sources) {
    const [, own = ''] = source.path.split('/');
    for (const node of syntaxOf(source).statements) {
      const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || ts.isEnumDeclaration(node);
      if (!isType && !ts.isClassDeclaration(node)) continue;
      const name = `${own}: ${node.name?.text}`;
      places.set(name, [...(places.get(name) ?? []), source.path]);
    }
  }
  return [...places]
    .filter(([, paths]) => new Set(paths).size > 1)
    .map(([name, paths]) => `${name} in ${paths.join(', ')}`);
}

/** What may stand only in certain files. */
const ONLY_IN: readonly { readonly what: string; readonly pattern: RegExp; readonly allowed: RegExp }[] = [
  { what: 'the environment', pattern: /process\.env\b/, allowed: /\/config\.ts$/ },
  {
    what: 'a path of the API',
    pattern: /['"`]\/v1\//,
    allowed:
      /protocol\/src\/routes\/|(?:client\/src\/methods|console\/src\/routes\/system-rows)\.ts$|cli\/src\/request\.ts$|sandbox\/src\/tokens\//,
  },
  {
    what: 'an outgoing request',
    pattern: /from 'undici'|\bfetch\(|\brequest\(\{/,
    allowed:
      /gateway\/src\/(?:upstreams\/|pool\.ts|payments\/facilitator\/)|doctor\/src\/http-client\.ts$|(?:cli|client|console)\/src\/|sandbox\/src\//,
  },
  {
    what: 'work that repeats by itself',
    pattern: /\bsetInterval\(/,
    allowed: /^packages\/(?:(?!gateway\/)|gateway\/src\/background\.ts$)/,
  },
  {
    what: 'a suppression',
    pattern: /biome-ignore|@ts-ignore|@ts-expect-error|@ts-nocheck|eslint-disable/,
    allowed: /^$/,
  },
  { what: 'any', pattern: /[:<|&(,]\s*any\b(?!\w)|\bas any\b/, allowed: /^$/ },
  {
    what: 'an assertion over unknown',
    pattern: /\bas unknown as\b/,
    // A type of a library or of the platform lacks what the value has.
    allowed:
      /^packages\/(?:client\/src\/paying-wallet|gateway\/src\/(?:apis\/parameters|metrics\/meter)|protocol\/src\/foreign|sandbox\/src\/upstream)\.ts$/,
  },
  { what: 'a default export', pattern: /^export default\b/m, allowed: /\.d\.ts$/ },
];

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');

export function misplaced(sources: readonly Source[]): string[] {
  return sources.flatMap(({ path, text }) => {
    const names = FORBIDDEN_NAMES.test(path) ? [`${path} has a name that says nothing`] : [];
    const found = ONLY_IN.filter(({ what, pattern, allowed }) => {
      const searched = what === 'a suppression' ? text : withoutComments(text);
      return pattern.test(searched) && !allowed.test(path);
    });
    return [...names, ...found.map(({ what }) => `${path} holds ${what}`)];
  });
}
