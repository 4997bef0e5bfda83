import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { type Route, routes } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { catalogTexts } from '../../packages/gateway/src/describe/catalog.ts';
import { openApi } from '../../packages/gateway/src/describe/openapi.ts';
import { routesPage } from '../../packages/gateway/src/describe/routes-page.ts';
import { upstreamRows } from '../../packages/sandbox/src/rows.ts';
import { rpcRowOf } from '../../packages/sandbox/src/solana/answers.ts';
import { routeAnswer } from '../../packages/sandbox/src/tokens/serve.ts';
import { droppedIn, type Expression, expressionsIn, faultOf, madeOfText, patternsIn } from './expressions.ts';
import {
  importCycles,
  misplaced,
  readSources,
  type Source,
  sharedTypeNames,
  wrongImports,
  wrongSizes,
} from './rules.ts';

const sources = readSources();
const seeded = (path: string, text: string): Source[] => [...sources, { path: `packages/${path}`, text }];

describe('the structure of the packages', () => {
  it('imports only along the table', () => expect(wrongImports(sources)).toEqual([]));
  it('has no import cycle', () => expect(importCycles(sources)).toEqual([]));
  it('keeps files, functions and the pipeline small', () => expect(wrongSizes(sources)).toEqual([]));
  it('declares a type name once in a package', () => expect(sharedTypeNames(sources)).toEqual([]));
  it('restricts the environment, API paths and outgoing requests to certain files', () => {
    expect(misplaced(sources)).toEqual([]);
  });
  it('finds the sources', () => expect(sources.length).toBeGreaterThan(40));

  it('names no provider, mode, header or status in the pipeline', () => {
    const pipeline = readFileSync('packages/gateway/src/gateway.ts', 'utf8');
    expect(pipeline).not.toMatch(/siwx|exact|tokens|helius|alchemy|SIGN-IN|X-|\b[2-5]\d\d\b/i);
  });
});

/** The paths in a document, with braces expanded as a shell does. */
function pathsIn(text: string): string[] {
  const paths = text.match(/(?<=`)(?:packages|tests)\/[^`\s]+/g) ?? [];
  return paths.flatMap((path) => {
    const [, before = '', names = '', after = ''] = /^(.*)\{(.*)\}(.*)$/.exec(path) ?? [];
    return names === '' ? [path] : names.split(',').map((name) => `${before}${name}${after}`);
  });
}

it('ARCHITECTURE.md names files and folders that exist', () => {
  const paths = pathsIn(readFileSync('ARCHITECTURE.md', 'utf8'));
  expect(paths).toContain('packages/gateway/src/gateway.ts');
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

/** The file that a path of ARCHITECTURE.md's questions names. */
const fileOf = (path: string): string => {
  const [, name = 'gateway', rest = path] = /^(protocol|client|cli)\/(.+)$/.exec(path) ?? [];
  return `packages/${name}/src/${rest}`;
};

const isDeclaredIn = (text: string, name: string): boolean =>
  new RegExp(`\\b(?:function\\*?|class|const|interface|type) ${name}\\b`).test(text);

/** The rows of a section of ARCHITECTURE.md whose tables have columns `file` and `name`, by the header of each cell. */
function rowsOf(section: string, end: string): Readonly<Record<string, string>>[] {
  const text = readFileSync('ARCHITECTURE.md', 'utf8');
  const lines = text.slice(text.indexOf(`## ${section}`), text.indexOf(`## ${end}`)).split('\n');
  const cellsOf = (line: string) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim());
  let header: string[] = [];
  return lines.flatMap((line, at) => {
    if (lines[at + 1]?.startsWith('|---')) header = cellsOf(line);
    else if (line.startsWith('| '))
      return [Object.fromEntries(cellsOf(line).map((cell, column) => [header[column], cell]))];
    return [];
  });
}

const codeIn = (cell = ''): string[] => (cell.match(/`[^`]+`/g) ?? []).map((code) => code.slice(1, -1));

/** The names of a row that none of its files declares, and those that a cell says to be in another file. */
function missingIn(row: Readonly<Record<string, string>>): string[] {
  const isDeclared = (files: readonly string[], name: string) =>
    files.some((file) => isDeclaredIn(readFileSync(fileOf(file), 'utf8'), name));
  const others = Object.values(row).flatMap((cell) => [
    ...cell.matchAll(/((?:`\w+`(?: and |, )?)+) in `([\w/-]+\.ts)`/g),
  ]);
  return [
    ...codeIn(row.name).filter((name) => !isDeclared(codeIn(row.file), name)),
    ...others.flatMap(([, names, file = '']) => codeIn(names).filter((name) => !isDeclared([file], name))),
  ];
}

it.each([
  ['Life cycles', 'Questions', 45],
  ['Questions', 'Rules', 25],
])('each row of ARCHITECTURE.md under %s names a file and a declaration in it', (section, end, least) => {
  const rows = rowsOf(section, end);
  expect(rows.length).toBeGreaterThan(least);
  expect(rows.filter(({ file, name }) => codeIn(file).length === 0 || codeIn(name).length === 0)).toEqual([]);
  expect(rows.flatMap(missingIn)).toEqual([]);
});

/** What the table of a folder's README names: a file or folder, and declarations in it. */
const namedBy = (path: string) =>
  Array.from(
    readFileSync(path, 'utf8').matchAll(/^\| (`.+?`) \| (.*?) ?\| .+ \|$/gm),
    ([, files = '', names = '']) => ({
      files: files.split(', ').map((each) => join(dirname(path), each.slice(1, -1))),
      names: names.split(', ').flatMap((each) => each.match(/\w+/) ?? []),
    }),
  );

const MAPS = readdirSync('packages', { recursive: true })
  .map((path) => join('packages', String(path)))
  .filter((path) => /^packages\/\w+\/src\/(?:\w+\/)?README\.md$/.test(path));

it('every folder of the gateway has a README', () => {
  const folders = readdirSync('packages/gateway/src', { withFileTypes: true }).filter((each) => each.isDirectory());
  for (const { name } of folders) expect(MAPS).toContain(`packages/gateway/src/${name}/README.md`);
});

it.each(MAPS)('%s names files that exist and declarations in them', (path) => {
  const rows = namedBy(path);
  expect(rows.length).toBeGreaterThan(0);
  for (const { files, names } of rows) {
    expect(files.filter((file) => !existsSync(file))).toEqual([]);
    const text = names.length > 0 ? readFileSync(String(files[0]), 'utf8') : '';
    expect(names.filter((name) => !isDeclaredIn(text, name))).toEqual([]);
  }
});

/** The files that the README at a path is about: those of its folder, without those of folders with a README of their own. */
function filesOf(path: string): string[] {
  const folder = dirname(path);
  const others = MAPS.map(dirname).filter((other) => other.startsWith(`${folder}/`));
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && each.name !== 'README.md')
    .map((each) => join(each.parentPath, each.name))
    .filter((file) => !others.some((other) => file.startsWith(`${other}/`)))
    .map((file) => relative(folder, file));
}

it.each(MAPS)('%s names each file of its folder, or the inner folder that holds it', (path) => {
  const named = new Set(readFileSync(path, 'utf8').match(/(?<=`)[\w./-]+(?=`)/g));
  const isNamed = (file: string) => named.has(file) || (dirname(file) !== '.' && named.has(dirname(file)));
  expect(filesOf(path).length).toBeGreaterThan(0);
  expect(filesOf(path).filter((file) => !isNamed(file))).toEqual([]);
});

describe('a seeded fault is found', () => {
  const wrong: readonly [string, string, string][] = [
    ['a store that knows the protocol', 'gateway/src/stores/x.ts', "import { routes } from '@asset-gateway/protocol';"],
    ['a gate that knows an upstream', 'gateway/src/gates/x.ts', "import { openRest } from '../upstreams/rest.ts';"],
    ['a gate that knows the doctor', 'gateway/src/gates/x.ts', "import { examine } from '@asset-gateway/doctor';"],
    ['a protocol that reads files', 'protocol/src/x.ts', "import { readFileSync } from 'node:fs';"],
    ['a client that no page can load', 'client/src/x.ts', "import { sign } from 'node:crypto';"],
    ['a doctor that knows the gateway', 'doctor/src/x.ts', "import { startGateway } from '@asset-gateway/gateway';"],
    ['a folder that is not in the table', 'gateway/src/cellar/x.ts', 'export {};'],
    [
      'a way around what a package exports',
      'client/src/x.ts',
      "import { a } from '../../gateway/src/config/config.ts';",
    ],
  ];
  it.each(wrong)('%s', (_, path, text) => expect(wrongImports(seeded(path, text))).toHaveLength(1));

  it('a circle', () => {
    const a = { path: 'packages/protocol/src/a.ts', text: "import './b.ts';" };
    const b = { path: 'packages/protocol/src/b.ts', text: "import './a.ts';" };
    expect(importCycles([a, b])).toHaveLength(1);
  });

  it('a long file, a long function, many parameters', () => {
    expect(wrongSizes([{ path: 'packages/protocol/src/a.ts', text: 'f();\n'.repeat(201) }])).toHaveLength(1);
    const long = `function f() {\n${'  g();\n'.repeat(40)}}`;
    expect(wrongSizes([{ path: 'packages/protocol/src/a.ts', text: long }])).toHaveLength(1);
    const wide = 'const f = (a, b, c, d, e) => {};';
    expect(wrongSizes([{ path: 'packages/protocol/src/a.ts', text: wide }])).toHaveLength(1);
    expect(wrongSizes([{ path: 'packages/gateway/src/gateway.ts', text: 'f();\n'.repeat(46) }])).toHaveLength(1);
  });

  it.each(['interface Route {}', 'type Route = 1;', 'class Route {}', 'enum Route {}'])('a second %s', (text) => {
    const path = 'packages/protocol/src/seeded.ts';
    expect(sharedTypeNames([...sources, { path, text: `export ${text}` }])).toHaveLength(1);
    expect(sharedTypeNames([...sources, { path, text }])).toHaveLength(1);
    expect(sharedTypeNames([...sources, { path: 'packages/doctor/src/seeded.ts', text }])).toEqual([]);
  });

  const places: readonly [string, string, string][] = [
    ['the environment outside config', 'gateway/src/stages/x.ts', 'const a = process.env.A;'],
    ['a path outside the table', 'gateway/src/stages/x.ts', "const a = '/v1/catalog';"],
    ['a request outside upstreams', 'gateway/src/gates/x.ts', 'await fetch(url);'],
    ['a suppression', 'gateway/src/gates/x.ts', '// @ts-ignore\nf();'],
    ['any', 'gateway/src/gates/x.ts', 'const a: any = 1;'],
    ['an assertion over unknown', 'gateway/src/gates/x.ts', 'const a = b as unknown as string;'],
    ['a default export', 'gateway/src/gates/x.ts', 'export default 1;'],
    ['an empty name', 'gateway/src/gates/utils.ts', 'export {};'],
  ];
  it.each(places)('%s', (_, path, text) => expect(misplaced([{ path: `packages/${path}`, text }])).toHaveLength(1));
});

describe('the recipe for a route', () => {
  it('is one row: the catalog, OpenAPI and the page of routes have it', () => {
    const [like] = routes.filter(({ surface }) => surface === 'tokens');
    if (!like) throw new Error('there is no such surface');
    const row = { ...like, id: 'tokens.recipe', method: 'recipe', path: '/v1/x402/tokens/recipe' };
    const told = (table: typeof routes) => {
      const service = { name: 'asset-gateway', routes: table, priceUsd: () => '0' };
      return [
        catalogTexts(service).get(undefined),
        openApi(service, 'http://localhost').paths,
        routesPage(service),
      ].map((each) => JSON.stringify(each).split(row.path).length > 1);
    };
    expect(told(routes)).toEqual([false, false, false]);
    expect(told([...routes, row])).toEqual([true, true, true]);
  });

  it('is one row: the sandbox answers it with its example', () => {
    const changed = (id: string): Route => {
      const like = routes.find((row) => row.id === id);
      if (!like) throw new Error(`there is no row ${id}`);
      const path = like.upstream.path.replace(/[\w-]+$/, 'recipe');
      return {
        ...like,
        method: 'recipe',
        result: { ...like.result, example: id },
        upstream: { ...like.upstream, path },
      };
    };
    const [free, rpc, wallet] = ['tokens.search', 'rpc.devnet.helius.getBalance', 'wallet.mainnet.helius.history'];
    const table = [...routes, ...[free, rpc, wallet].map(changed)];
    const rowAt = (surface: 'tokens' | 'wallet', path: string) =>
      upstreamRows(surface, table)(path)?.rows.get('GET')?.row;
    const found = [
      rowAt('tokens', '/v1/assets/recipe'),
      rpcRowOf({ kind: 'helius', cluster: 'devnet' }, 'recipe', table),
      rowAt('wallet', '/v1/wallet/a/recipe'),
    ];
    const request = { reference: '', query: new URLSearchParams(), body: '', now: 0 };
    expect(found.map((row) => row && routeAnswer(row).answer(request))).toEqual([free, rpc, wallet]);
  });
});

// redos-detector, because it is small and judges searches that fail from every position as well as backtracking: recheck is more
// exact but lets loops of the flag g pass and brings 30 MB, and safe-regex2 sees exponential growth only.

const literals = sources.flatMap(expressionsIn);
const patterns = routes.flatMap(({ id, input, result }) => patternsIn({ input, result }, id));

/** Each once, however many rows share it. */
const distinct = (expressions: readonly Expression[]): Expression[] => [
  ...new Map(expressions.map((expression) => [`${expression.pattern}/${expression.flags}`, expression])).values(),
];
const faultsOf = (expressions: readonly Expression[]) => distinct(expressions).map(faultOf).filter(Boolean);

describe('V2 no regular expression has super-linear time', () => {
  it('no literal in the sources', () => {
    expect(literals.length).toBeGreaterThan(80);
    expect(faultsOf(literals)).toEqual([]);
  });

  it('no pattern of a schema', () => {
    expect(distinct(patterns).length).toBeGreaterThan(8);
    expect(faultsOf(patterns)).toEqual([]);
  });

  it('none is built from text at run time', () => {
    expect(sources.flatMap(madeOfText)).toEqual([]);
  });
});

describe('a call whose result is unused', () => {
  it('is none that the bundler drops', () => {
    expect(sources.flatMap(droppedIn)).toEqual([]);
  });

  it.each(['decodeURIComponent(text);', 'if (a) String.fromCodePoint(a);'])('is reported: %s', (text) => {
    expect(droppedIn({ path: 'a.ts', text: `try { ${text} } catch { f(); }` })).toHaveLength(1);
  });

  it('is not reported if the bundler keeps it', () => {
    const text = 'JSON.parse(text); const a = decodeURIComponent(text); f(String(a)); decode(text);';
    expect(droppedIn({ path: 'a.ts', text })).toEqual([]);
  });
});

describe('V2 a regular expression is reported', () => {
  it.each([
    ['that splits at blanks, from each of which it tries again', String.raw`text.split(/\s*,\s*/)`],
    ['that goes back over its own repetition', '/^(?:a+)+$/.test(text)'],
    ['that splits one run between two repetitions', String.raw`/^\d+\d+$/.test(text)`],
    ['that is searched from every position of a run', '/[a-z]+x/.exec(text)'],
    ['that looks for the end of a run from each of its members', "text.replace(/0+$/, '')"],
    ['that matches a little and reads on each time', '[...text.matchAll(/a*b|a/g)]'],
    ['that hides in a template', '`$' + '{/x*y/.test(text)}`'],
  ])('%s', (_, text) => {
    expect(expressionsIn({ path: 'a.ts', text }).map(faultOf)).toEqual([expect.stringContaining('a.ts: /')]);
  });

  it('in a schema', () => {
    const schema = { properties: { name: { anyOf: [{ pattern: '^[a-z]*[a-z0-9]*$' }] } } };
    expect(patternsIn(schema, 'row').map(faultOf)).toEqual([expect.stringContaining('row: /')]);
  });

  it('that is made of a text', () => {
    for (const text of ['new RegExp(name)', "RegExp(name, 'g')", 'x(new RegExp(`^$' + '{name}`).test(y))']) {
      expect(madeOfText({ path: 'a.ts', text })).toHaveLength(1);
    }
  });

  it('but not a harmless one', () => {
    const text = String.raw`f(/^[a-z]{1,63}(?:\.[a-z]{1,63})+$/, /\s+/g, /^(?:\/[\w.-]*)+$/, /={1,2}$/)`;
    expect(expressionsIn({ path: 'a.ts', text }).map(faultOf)).toEqual([undefined, undefined, undefined, undefined]);
  });
});
