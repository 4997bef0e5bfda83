import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { importCycles, misplaced, readSources, type Source, wrongImports, wrongSizes } from './rules.ts';

const sources = readSources();
const seeded = (path: string, text: string): Source[] => [...sources, { path: `packages/${path}`, text }];

describe('the structure of the packages', () => {
  it('imports only along the table', () => expect(wrongImports(sources)).toEqual([]));
  it('has no import cycle', () => expect(importCycles(sources)).toEqual([]));
  it('keeps files, functions and the pipeline small', () => expect(wrongSizes(sources)).toEqual([]));
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
  expect(paths).toContain('packages/gateway/src/payments/changes.ts');
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

describe('a seeded fault is found', () => {
  const wrong: readonly [string, string, string][] = [
    ['a store that knows the protocol', 'gateway/src/stores/x.ts', "import { routes } from '@asset-gateway/protocol';"],
    ['a gate that knows an upstream', 'gateway/src/gates/x.ts', "import { RestUpstream } from '../upstreams/rest.ts';"],
    [
      'a gate that knows a store',
      'gateway/src/gates/siwx/x.ts',
      "import { MemoryStore } from '../../stores/memory.ts';",
    ],
    ['a stage that knows a gate', 'gateway/src/stages/x.ts', "import type { Gate } from '../gates/gate.ts';"],
    ['a server that knows the pipeline', 'gateway/src/http/x.ts', "import { createGateway } from '../gateway.ts';"],
    ['a gate that knows the doctor', 'gateway/src/gates/x.ts', "import { examine } from '@asset-gateway/doctor';"],
    ['a protocol that reads files', 'protocol/src/x.ts', "import { readFileSync } from 'node:fs';"],
    ['a client that no page can load', 'client/src/x.ts', "import { sign } from 'node:crypto';"],
    ['a doctor that knows the gateway', 'doctor/src/x.ts', "import { startGateway } from '@asset-gateway/gateway';"],
    ['a client that knows the gateway', 'client/src/x.ts', "import { startGateway } from '@asset-gateway/gateway';"],
    ['a room that is not in the table', 'gateway/src/cellar/x.ts', 'export {};'],
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

  const places: readonly [string, string, string][] = [
    ['the environment outside config', 'gateway/src/stages/x.ts', 'const a = process.env.A;'],
    ['a path outside the table', 'gateway/src/stages/x.ts', "const a = '/v1/catalog';"],
    ['a request outside upstreams', 'gateway/src/gates/x.ts', 'await fetch(url);'],
    ['a suppression', 'gateway/src/gates/x.ts', '// @ts-ignore\nf();'],
    ['any', 'gateway/src/gates/x.ts', 'const a: any = 1;'],
    ['a default export', 'gateway/src/gates/x.ts', 'export default 1;'],
    ['an empty name', 'gateway/src/gates/utils.ts', 'export {};'],
  ];
  it.each(places)('%s', (_, path, text) => expect(misplaced([{ path: `packages/${path}`, text }])).toHaveLength(1));
});
