import { join, resolve } from 'node:path';
import { type Route, routes } from '@asset-gateway/protocol';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { catalog } from '../../packages/gateway/src/describe/catalog.ts';
import { openApi } from '../../packages/gateway/src/describe/openapi.ts';
import { routesPage } from '../../packages/gateway/src/describe/pages.ts';
import { exampleOf, rpcRowOf, walletRowOf } from '../../packages/sandbox/src/solana/examples.ts';
import { upstreamOf } from '../../packages/sandbox/src/tokens/routes.ts';
import { isFull } from '../kit/rounds.ts';

/** A change that a recipe of CONTRIBUTING.md begins with: in a file, one text in place of another. */
type Step = readonly [path: string, from: string, to: string];

const CONFIG = ts.getParsedCommandLineOfConfigFile(
  'packages/gateway/tsconfig.json',
  { noEmit: true, composite: false, incremental: false, customConditions: ['@asset-gateway/source'] },
  { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (fault) => expect.fail(String(fault.messageText)) },
);
const { rootDir: _, outDir: __, tsBuildInfoFile: ___, ...OPTIONS } = CONFIG?.options ?? {};
const FILES = CONFIG?.fileNames ?? [];

let last: ts.Program | undefined;
const programs = new Map<readonly Step[], ts.Program>();
const parsed = new Map<string, ts.SourceFile | undefined>();

/** Compiles the gateway with changes that are nowhere on the disk. */
function compiled(steps: readonly Step[]): ts.Program {
  const host = ts.createCompilerHost(OPTIONS);
  // The same files each time, so that the compiler reuses them.
  const texts = new Map([...RECIPES].map((name) => [name, ts.sys.readFile(name) ?? 'export {};\n']));
  for (const [path, from, to] of steps) {
    const name = resolve(path);
    const text = texts.get(name) ?? ts.sys.readFile(name) ?? '';
    if (from !== '') expect(text).toContain(from);
    texts.set(name, from === '' ? to : text.replace(from, to));
  }
  const parse = host.getSourceFile.bind(host);
  host.getSourceFile = (name, options) => {
    const text = texts.get(name);
    if (text !== undefined) return ts.createSourceFile(name, text, options);
    if (!parsed.has(name)) parsed.set(name, parse(name, options));
    return parsed.get(name);
  };
  host.fileExists = (name) => texts.has(name) || ts.sys.fileExists(name);
  last = ts.createProgram([...new Set([...FILES, ...RECIPES, ...texts.keys()])], OPTIONS, host, last);
  return last;
}

/** Compiler messages about these files. */
function diagnostics(steps: readonly Step[], paths: readonly string[]): string[] {
  const program = programs.get(steps) ?? compiled(steps);
  programs.set(steps, program);
  return paths.flatMap((path) => {
    const file = program.getSourceFile(resolve(path));
    if (!file) return [`${path} is not compiled`];
    return program
      .getSemanticDiagnostics(file)
      .map(({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`);
  });
}

const PROTOCOL = 'packages/protocol/src';
const GATEWAY = 'packages/gateway/src';
const FACTS = `${PROTOCOL}/providers.ts`;
const TRANSPORTS = `${GATEWAY}/compose/providers.ts`;
const ENDPOINTS = `${GATEWAY}/compose/endpoints.ts`;
const SURFACES = `${GATEWAY}/describe/service.ts`;

const PROVIDER_NAME: Step = [
  FACTS,
  "'alchemy' | 'helius' | 'tokens';",
  "'alchemy' | 'helius' | 'tokens' | 'quicknode';",
];
const PROVIDER_FACTS: Step = [
  FACTS,
  '  tokens: { label',
  "  quicknode: { label: 'QuickNode', rate: 1 },\n  tokens: { label",
];
const PROVIDER_ENTRY: Step = [
  TRANSPORTS,
  '  tokens: { inFlight',
  '  quicknode: { inFlight: 1, channels: () => [] },\n  tokens: { inFlight',
];
const SURFACE_NAME: Step = [`${PROTOCOL}/route.ts`, "| 'credit';", "| 'credit' | 'nfts';"];
const ACCESS: Step = [
  `${PROTOCOL}/route.ts`,
  "'public' | 'siwx' | 'exact';",
  "'public' | 'siwx' | 'exact' | 'voucher';",
];

const missing = (path: string, name: string) =>
  expect.stringMatching(new RegExp(`^${path.replaceAll('.', '\\.')}: Property '${name}' is missing in type `));

/** A class in a folder that is to implement the type of a port, and does nothing yet. */
const unwritten = (folder: string, port: string): Step => {
  const [file, type] = port.split(' ');
  const text = `import type { ${type} } from '${file}';\nexport class Recipe implements ${type} {}\n`;
  return [join(GATEWAY, folder, 'recipe.ts'), '', text];
};
const PORTS = [
  ['gates', '../call.ts Gate', 'admit, challenge'],
  ['budget', './store.ts Store', 'now, wallNow, ready, epoch'],
  ['upstreams', './upstream.ts KeyedUpstream', 'answer'],
] as const;

/** The first step of every recipe, and nothing that it asks for; compiled together, as it takes a second. */
const BEGUN: readonly Step[] = [
  PROVIDER_NAME,
  SURFACE_NAME,
  ACCESS,
  ...PORTS.map(([folder, port]) => unwritten(folder, port)),
];

const RECIPES = new Set(BEGUN.map(([path]) => resolve(path)));

// The recipes change seldom, and to compile the gateway takes seconds.
describe.runIf(isFull)('the recipes of CONTRIBUTING.md, which the compiler follows', { timeout: 240_000 }, () => {
  it('a provider is named and has its facts and its transport, or the compiler names what it lacks', () => {
    expect(FILES.length).toBeGreaterThan(50);
    const paths = [FACTS, TRANSPORTS];
    const steps = [PROVIDER_NAME, PROVIDER_FACTS, PROVIDER_ENTRY];
    expect(diagnostics(BEGUN, paths)).toEqual([missing(FACTS, 'quicknode'), missing(TRANSPORTS, 'quicknode')]);
    expect(diagnostics(steps.slice(0, 2), paths)).toEqual([missing(TRANSPORTS, 'quicknode')]);
    expect(diagnostics(steps, [...paths, ENDPOINTS, SURFACES])).toEqual([]);
  });

  it('the sources compile as they are', () => {
    expect(diagnostics([], [FACTS, TRANSPORTS, ENDPOINTS, SURFACES])).toEqual([]);
  });

  it('a surface has a title in the documents', () => {
    expect(diagnostics(BEGUN, [SURFACES])).toEqual([missing(SURFACES, 'nfts')]);
  });

  it('a gate is made for the routes behind it', () => {
    expect(diagnostics(BEGUN, [ENDPOINTS])).toEqual([missing(ENDPOINTS, 'voucher')]);
  });

  it.each(PORTS)('%s: the compiler lists the missing members', (folder, port, members) => {
    const [path] = unwritten(folder, port);
    const [fault = '', ...others] = diagnostics(BEGUN, [path]);
    expect(others).toEqual([]);
    expect(fault).toContain(`Class 'Recipe' incorrectly implements interface '${port.split(' ')[1]}'.`);
    expect(fault).toContain(members);
  });
});

describe('the recipe for a route', () => {
  it('is one row: the catalog, OpenAPI and the page of routes have it', () => {
    const [like] = routes.filter(({ surface }) => surface === 'tokens');
    if (!like) throw new Error('there is no such surface');
    const row = { ...like, id: 'tokens.recipe', method: 'recipe', path: '/v1/x402/tokens/recipe' };
    const told = (table: typeof routes) => {
      const service = { name: 'asset-gateway', routes: table, priceUsd: () => '0' };
      return [catalog(service), openApi(service, 'http://localhost').paths, routesPage(service)].map(
        (each) => JSON.stringify(each).split(row.path).length > 1,
      );
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
    const upstream = upstreamOf(table)('/v1/assets/recipe');
    expect(upstream?.route.answer({ reference: '', query: new URLSearchParams(), body: '', now: 0 })).toBe(free);
    const paid = [
      rpcRowOf({ provider: 'helius', cluster: 'devnet' }, 'recipe', table),
      walletRowOf({ method: 'GET', path: '/v1/wallet/a/recipe' }, table)?.row,
    ];
    expect(paid.map((row) => row && exampleOf(row))).toEqual([rpc, wallet]);
  });
});
