import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@asset-gateway/gateway';
import type { TSchema } from 'typebox';
import { describe, expect, it } from 'vitest';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
import { compile, Violations } from '../../packages/gateway/src/stages/schema.ts';
import { makeFolder } from '../kit/folder.ts';
import { writeDocument } from './document-files.ts';
import {
  aliasBomb,
  answering,
  asking,
  chained,
  doubling,
  NODE,
  nested,
  operation,
  posting,
  ref,
  text,
} from './hostile-documents.ts';

const folder = makeFolder();
let files = 0;

/** Writes a document and returns its path. */
function written(document: unknown): string {
  const path = join(folder, `document-${files++}.yaml`);
  writeFileSync(path, typeof document === 'string' ? document : JSON.stringify(document));
  return path;
}

const entryFor = (document: unknown, more: object = {}) => ({
  title: 'Weather',
  openapi: written(document),
  url: 'https://api.example',
  operations: { op: {} },
  ...more,
});

function read(document: unknown, more: object = {}) {
  const { apis, faults } = readApisFile(writeDocument({ apis: { weather: entryFor(document, more) } }));
  const notes = apis.flatMap((api) => [...api.notes.values()].flatMap((each) => [...each]));
  return { rows: apis.flatMap(({ rows }) => rows), faults, notes };
}

/** So many properties. */
const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at}`, {}]));

/** Names that every object has. */
const INHERITED = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

/** A fault of the served operation, which names the operation. */
const AT = /^apis\.weather: operations\.op: (?:GET|POST) \/\S*: /;

describe('a fault at the start, with its place, is', () => {
  it.each<[name: string, document: unknown, fault: string]>([
    ['a reference to itself', asking(ref('A'), { A: ref('A') }), 'leads to itself'],
    ['a reference to 40 more', asking(ref('R0'), chained(40)), 'is behind 32 others'],
    ['a reference to a prototype', asking({ $ref: '#/constructor/prototype' }), 'leads nowhere'],
    ['a reference to another site', asking({ $ref: 'https://api.example/a.json' }), 'is not local'],
    ['an enum of aliases of aliases', aliasBomb('schema: { enum: *i }'), 'is not a list of up to 2000 short values'],
    ['an enum of 100,000 values', asking({ enum: Array.from({ length: 100_000 }, String) }), 'q: enum is not a list'],
    ['an unknown type', asking({ type: 'strnig' }), 'type "strnig" is not a type'],
    ['a bound that is no number', asking({ type: 'integer', minimum: 'x' }), 'minimum "x" is not a number'],
    ['a parameter listed twice', operation('/a', { parameters: Array(2).fill(text('x', 'query')) }), 'is listed twice'],
    ['a path with an encoded slash', operation('/a%2fb'), 'neither plain text nor parameters'],
    ['a path with dots', operation('/a/../b'), 'neither plain text nor parameters'],
    ['a path with dots beside a parameter', operation('/a/{x}..{y}'), 'neither plain text nor parameters'],
    ['a path with an empty segment', operation('/a//b'), 'neither plain text nor parameters'],
    ['a path with a query', operation('/a?b=c'), 'neither plain text nor parameters'],
    ['a path with a parameter twice', operation('/a/{x}/{x}', { parameters: [text('x', 'path')] }), 'of the path'],
    ['a path with a parameter that is not described', operation('/a/{x}'), 'parameters of the path'],
  ])('%s', (_, document, fault) => {
    const { rows, faults } = read(document);
    expect([rows, faults]).toEqual([[], [expect.stringMatching(AT)]]);
    expect(faults[0]).toContain(fault);
  });

  it.each(INHERITED)('a required parameter named %s', (name) => {
    const document = operation('/a', { parameters: [{ ...text(name, 'query'), required: true }] });
    expect(read(document).faults).toEqual([expect.stringContaining('has an unusable name')]);
  });

  it.each<[name: string, document: unknown, fault: string]>([
    ['a path that leads to itself', { openapi: '3.1.0', paths: { '/a': { $ref: '#/paths/~1a' } } }, 'leads to itself'],
    ['YAML 10,000 deep', `openapi: 3.1.0\nx: ${'['.repeat(10_000)}`, 'line 2: nesting exceeded'],
    ['a key twice', 'openapi: 3.1.0\npaths: {}\npaths: {}', 'line 3: duplicated mapping key'],
    ['a tag that makes a function', 'openapi: 3.1.0\nx: !!js/function "x"', 'line 2: unknown scalar tag'],
    ['no YAML', 'a: b: c: [}', 'is not YAML or JSON, line 1'],
    ['a list', '- a', 'is not a YAML or JSON object'],
    ['nothing', '', 'is not YAML or JSON'],
    [
      'an operation in another file',
      { openapi: '3.1.0', paths: { '/a': { get: { $ref: './a.yaml' } } } },
      'the reference "./a.yaml" is not local; bundle the files into one',
    ],
    ['OpenAPI 2.0', 'swagger: "2.0"', 'is OpenAPI 2.0, not 3.0 or 3.1'],
    ['17 MB', `{"x":"${'x'.repeat(17e6)}"}`, 'is larger than 16 MiB'],
  ])('a document with %s', (_, document, fault) => {
    const { faults } = read(document);
    expect(faults).toEqual([expect.stringMatching(/^apis\.weather: openapi: \S+\.yaml /)]);
    expect(faults[0]).toContain(fault);
  });

  it('a document that is missing, and one that is a folder', () => {
    mkdirSync(join(folder, 'folder.yaml'));
    const faults = ['missing.yaml', 'folder.yaml'].flatMap((name) => read({}, { openapi: join(folder, name) }).faults);
    expect(faults).toEqual([
      expect.stringMatching(/missing\.yaml does not exist$/),
      expect.stringMatching(/folder\.yaml cannot be read \(EISDIR\)$/),
    ]);
  });

  it('a URL with a password, which it does not show', () => {
    const { faults } = read(operation('/a'), { url: 'https://user:CANARY@api.example' });
    expect(faults).toEqual([expect.stringContaining('url must be an http or https URL')]);
    expect(faults.join()).not.toContain('CANARY');
  });

  it.each(['tokens', 'rpc', 'solana', 'credit', 'catalog', 'Weather', '__proto__', 'a/b'])('an API %s', (name) => {
    const file = JSON.parse(`{"apis":{"${name}":${JSON.stringify(entryFor(operation('/a')))}}}`);
    expect(readApisFile(writeDocument(file)).faults.join()).toContain(`apis.${name}: is `);
  });

  it('a name that two operations have', () => {
    const { paths } = operation('/a');
    const { faults } = read({ ...operation('/a'), paths: { ...paths, '/b': paths['/a'] } });
    expect(faults).toEqual([expect.stringContaining('has several operations "op"')]);
  });

  it('an unset variable, or a variable of the gateway, without its value', () => {
    const file = (env: string) =>
      writeDocument({ apis: { weather: entryFor(operation('/a'), { key: { bearer: true, env } }) } });
    const faultsOf = (env: string): string => {
      try {
        return String(readConfig({ APIS_FILE: file(env), GATEWAY_SECRET: 'CANARY'.repeat(10), SPACED: 'CANARY x' }));
      } catch (error) {
        return String(error);
      }
    };
    const faults = ['UNSET', 'GATEWAY_SECRET', 'SPACED'].map(faultsOf);
    expect(faults).toEqual([
      expect.stringContaining('UNSET is not set'),
      expect.stringContaining('GATEWAY_SECRET configures the gateway'),
      expect.stringContaining('SPACED must be printable ASCII'),
    ]);
    expect(faults.join()).not.toContain('CANARY');
  });
});

describe('left to the API, with a line in `check`, is', () => {
  const pattern = (source: string) =>
    posting({ type: 'object', properties: { a: { type: 'string', pattern: source } } });

  it.each<[name: string, document: unknown, note: string]>([
    ['a body within itself', posting(ref('N'), NODE), 'body.next: not checked, since its schema contains itself'],
    ['a body 10,000 deep', nested(10_000, 'post'), `body${'.a'.repeat(16)}: not checked, since its schema is too deep`],
    ['a body that doubles 14 times', posting(ref('S0'), doubling(14)), 'is too deep'],
    ['a body of 3,000 parts', posting({ properties: many(3_000) }), 'body: not checked, since its schema is too large'],
    ['a pattern with a backreference', pattern('(a)\\1'), 'cannot be matched in linear time'],
    ['a pattern with a lookahead', pattern('(?=a)b'), 'cannot be matched in linear time'],
    ['a pattern that repeats too often', pattern('(a{0,30}){0,30}'), 'takes too long to match'],
    ['a long pattern', pattern('a?'.repeat(300)), 'is longer than 500 characters'],
    ['an optional parameter of an unknown type', asking({ type: 'strnig' }, {}, false), 'left out: q: type "strnig"'],
    ['an optional object', asking({ type: 'object' }, {}, false), 'left out: the query parameter "q" is neither'],
    ['an optional reference to nothing', asking(ref('X'), {}, false), 'leads nowhere'],
    ['propertyNames', posting({ type: 'object', propertyNames: { maxLength: 3 } }), 'body: not checked'],
  ])('%s', (_, document, note) => {
    const { rows, faults, notes } = read(document);
    expect([rows.length, faults]).toEqual([1, []]);
    expect(notes.join('\n')).toContain(note);
    expect(JSON.stringify(rows).length).toBeLessThan(200_000);
  });

  it.each(INHERITED)('a member named %s', (name) => {
    const body = JSON.parse(`{"type":"object","properties":{"${name}":{"type":"string"}}}`);
    const { rows, faults, notes } = read(posting(body));
    expect([faults, notes]).toEqual([[], [expect.stringContaining(`body.${name}: not checked`)]]);
    expect(Object.keys(rows[0]?.input.body?.properties ?? {})).toEqual([]);
  });
});

describe('a row has', () => {
  it.each([...INHERITED, '', 'n'.repeat(65), 'b}/{b'])(
    "its own parameter names if another operation's path has {%s}",
    (name) => {
      const second = name.includes('/') ? '/{c}' : '';
      const parameters = ['a', 'c'].slice(0, second ? 2 : 1).map((each) => text(each, 'path'));
      const { paths } = operation(`/x/{a}${second}`, { parameters }) as { paths: object };
      const other = { get: { responses: {} } };
      const { rows, faults } = read({ openapi: '3.1.0', paths: { [`/x/{${name}}`]: other, ...paths } });
      expect([faults, rows.map(({ path }) => path)]).toEqual([[], [`/v1/x402/weather/x/:a${second && '/:c'}`]]);
    },
  );

  it.each<[name: string, document: unknown]>([
    ['an answer that contains itself', answering(ref('N'), NODE)],
    ['an answer 10,000 deep', nested(10_000, 'get')],
    ['an answer that doubles 40 times', answering(ref('S0'), doubling(40))],
    ['an answer with lists of a billion items', answering({ type: 'array', minItems: 1e9, items: { minLength: 1e9 } })],
    ['a required list of a billion items', asking({ type: 'array', minItems: 1e9, items: { type: 'string' } })],
    ['an example of aliases of aliases', aliasBomb('schema: {}', 'example: *i')],
    ['an example that contains itself', aliasBomb('schema: {}', 'example: &x { a: *x }')],
    ['5 MB beside it', { ...operation('/a'), 'x-rest': Array.from({ length: 50_000 }, () => 'x'.repeat(100)) }],
  ])('%s', (_, document) => {
    const { rows, faults } = read(document);
    expect([rows.length, faults]).toEqual([1, []]);
    expect(JSON.stringify(rows).length).toBeLessThan(20_000);
  });

  it('a check of an enum of 2,000 values, but not of more', () => {
    const values = Array.from({ length: 2_001 }, (_, at) => `value ${at}`);
    const [row] = read(asking({ type: 'string', enum: values.slice(1) })).rows;
    const violations = new Violations();
    const check = compile(row?.input.query as TSchema, 'query');
    check({ q: 'value 2000' }, violations);
    expect(violations.issues).toEqual([]);
    check({ q: 'value 0' }, violations);
    expect(violations.issues).toMatchObject([{ in: 'query', name: 'q', rule: 'enum' }]);
    expect(read(asking({ type: 'string', enum: values })).rows).toEqual([]);
  });

  it('a description on one line, without characters that people do not see', () => {
    const summary = 'All\u2028items\rof\u202e the\u{e0041} shop\nand more';
    const [row] = read(operation('/a', { summary })).rows;
    expect(row?.description).toBe('All items of the shop');
  });

  it('each of 10,000 operations', () => {
    const names = Array.from({ length: 10_000 }, (_, index) => `op${index}`);
    const paths = Object.fromEntries(
      names.map((name) => [`/${name}`, operation('/a', { operationId: name }).paths['/a']]),
    );
    const operations = Object.fromEntries(names.map((name) => [name, {}]));
    expect(read({ openapi: '3.1.0', paths }, { operations }).rows).toHaveLength(10_000);
  });
});
