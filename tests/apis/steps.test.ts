import { objectAt, type Route, typed } from '@asset-gateway/protocol';
import type { TSchema } from 'typebox';
import { describe, expect, it, vi } from 'vitest';
import { patternOf } from '../../packages/gateway/src/apis/patterns.ts';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
import { createDescribe, type Describe } from '../../packages/gateway/src/describe/discovery.ts';
import { compile, Violations } from '../../packages/gateway/src/stages/schema.ts';
import { createReader } from '../../packages/gateway/src/stages/validate.ts';
import { jsonInit } from '../http/targets.ts';
import { standIn } from '../kit/stand-in.ts';
import { signedHeader } from '../kit/wallet.ts';
import { serveApis } from './apis.ts';
import { writeDocument } from './document-files.ts';
import { inQuery, operation, posting } from './hostile-documents.ts';

const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Objects that differ in their last member. */
const kinds = (count: number) =>
  times(count, (index) => ({
    type: 'object',
    required: ['kind'],
    properties: { size: { type: 'integer' }, kind: { const: `kind ${index}` } },
  }));

const listOf = (items: object) => ({ type: 'array', items });
const lastOf = 'kind 899';

describe('V18 a body whose check would take too many steps', async () => {
  const schema = { oneOf: kinds(900) };
  const parameter = inQuery('q', listOf({ anyOf: times(900, (at) => ({ type: 'integer', const: at })) }));
  const serving = (document: object) => ({ openapi: writeDocument(document), operations: { op: {} } });
  const { gateway, stub } = await serveApis({
    body: serving(posting({ type: 'object', properties: { list: listOf(schema) } })),
    query: serving(operation('/b', { parameters: [parameter] })),
  });
  const post = (count: number) => jsonInit({ list: times(count, () => ({ kind: lastOf })) });

  it.each<[place: string, path: string, init: (count: number) => RequestInit, queryOf: (count: number) => string]>([
    ['body', 'body/a', post, () => ''],
    ['query', 'query/b', () => ({}), (count) => `?q=${times(count, () => 899).join()}`],
  ])('in the %s is refused, and its sign-in then serves a short one', async (place, path, init, queryOf) => {
    const before = stub.arrivals.length;
    const urlOf = (count: number) => `${gateway.url}/v1/x402/${path}${queryOf(count)}`;
    const headerOf = (count: number) => signedHeader(urlOf(count), init(count));
    const header = await headerOf(500);
    const ask = async (count: number, own: string) => {
      const { headers, ...rest } = init(count);
      return fetch(urlOf(count), { ...rest, headers: { ...(headers as object), 'SIGN-IN-WITH-X': own } });
    };
    for (const response of [await ask(500, header), await ask(500, header)]) {
      const message = 'Takes too long to check. Send fewer values or shorter texts.';
      const issues = [{ in: place, name: place, rule: 'maxSteps', message }];
      expect([response.status, await response.json()]).toMatchObject([400, { error: 'invalid_request', issues }]);
    }
    expect(stub.arrivals).toHaveLength(before);
    expect((await ask(10, place === 'body' ? header : await headerOf(10))).status).toBe(200);
    expect(stub.arrivals).toHaveLength(before + 1);
  });
});

/** Checks a value. Returns the broken rules, and how often a member was read. */
function readsOf(schema: object, make: (member: (value: unknown) => object) => unknown) {
  let reads = 0;
  const member = (value: unknown) =>
    Object.defineProperty({ size: 1 }, 'kind', {
      enumerable: true,
      get: () => {
        reads++;
        return value;
      },
    });
  const violations = new Violations();
  compile(schema as TSchema, 'body')(make(member), violations);
  return { rules: [...new Set(violations.issues.map(({ rule }) => rule))], reads };
}

describe('V18 a check reads at most 30,000 members', () => {
  const alternatives = kinds(900);
  const nested = (depth: number): object =>
    depth === 0 ? listOf({ oneOf: kinds(100) }) : { anyOf: [listOf(nested(depth - 1)), { type: 'null' }] };
  const inLists = (depth: number, value: unknown): unknown => (depth === 0 ? value : [inLists(depth - 1, value)]);
  const lists = (member: (value: unknown) => object, last: string) => [
    ...times(499, () => member(lastOf)),
    member(last),
  ];

  it.each<[name: string, schema: object, make: (member: (value: unknown) => object) => unknown]>([
    ['oneOf', listOf({ oneOf: alternatives }), (member) => lists(member, lastOf)],
    ['anyOf', listOf({ anyOf: alternatives }), (member) => lists(member, lastOf)],
    ['anyOf, the last item invalid', listOf({ anyOf: alternatives }), (member) => lists(member, 'other')],
    ['allOf', listOf({ allOf: times(900, () => kinds(900)[899] ?? {}) }), (member) => lists(member, lastOf)],
    [
      'a map of alternatives',
      { type: 'object', additionalProperties: { oneOf: alternatives } },
      (member) => Object.fromEntries(lists(member, 'other').entries()),
    ],
    ['alternatives deep in lists', nested(14), (of) => inLists(14, [...times(99, () => of('kind 99')), of('other')])],
    ['few values, none of which fits', listOf({ anyOf: alternatives }), (member) => times(10, () => member('other'))],
  ])('of %s', (_, schema, make) => {
    const { rules, reads } = readsOf(schema, make);
    expect(reads).toBeLessThanOrEqual(30_000);
    expect(rules.length > 0 || reads > 0).toBe(true);
  });

  it('and still names what is wrong', () => {
    const anyOf = kinds(100);
    expect(readsOf(listOf({ anyOf }), (member) => [member('kind 7'), member('other')]).rules).toEqual(['const']);
  });
});

describe('V18 a pattern', () => {
  const check = (source: string, texts: readonly string[]) => {
    const pattern = patternOf(source);
    const test = vi.spyOn(pattern, 'test');
    test.mockClear();
    const violations = new Violations();
    compile(standIn<TSchema>(listOf({ type: 'string', pattern })), 'body')(texts, violations);
    return { rules: violations.issues.map(({ rule }) => rule), tests: test.mock.calls.length };
  };
  /** Texts that need a new state of the automaton at most characters. */
  const texts = (count: number, length: number) =>
    times(count, (index) => times(length, (at) => 'ab'[((at * at * (index + 3)) % 7) & 1]).join('') + 'a'.repeat(22));

  it('that needs many states matches no text of a long list', () => {
    expect(check('(a|b)*a(a|b){20}(c|a)$', texts(60, 900))).toEqual({ rules: ['maxSteps'], tests: 0 });
  });

  it.each([
    ['that needs many states, short texts', '(a|b)*a(a|b){20}(c|a)$', texts(20, 20)],
    ['of addresses', String.raw`^[^@\s]+@[^@\s]+\.[^@\s]+$`, times(900, (at) => `${at}${'x'.repeat(50)}@a.example`)],
    ['of links', '^https?://', times(1_000, () => `https://a.example/${'x'.repeat(45)}`)],
    ['of identifiers', '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', times(1_000, () => crypto.randomUUID())],
    ['of 60 long texts', '^[a-z ]+$', times(60, () => 'a '.repeat(500))],
  ])('%s matches every text', (_, source, all) => {
    expect(check(source, all)).toEqual({ rules: [], tests: all.length });
  });
});

const inPath = (schema: object) =>
  operation('/a/{id}', { parameters: [{ name: 'id', in: 'path', required: true, schema }] });

/** The row of a document's only operation. */
function rowOf(document: object): Route {
  const some = { title: 'Some', url: 'https://some.example', openapi: writeDocument(document), operations: { op: {} } };
  const [row] = readApisFile(writeDocument({ apis: { some } })).apis.flatMap(({ rows }) => rows);
  return row as Route;
}

it('a list in a path with more items than are read is refused', () => {
  const row = rowOf(inPath(listOf({ type: 'string' })));
  const read = createReader(row);
  const inputOf = (count: number) =>
    read({
      inbound: { headers: {}, body: new Uint8Array() },
      parameters: { id: times(count, String).join() },
      query: undefined,
      route: row,
    } as never);
  expect(inputOf(1_024).path.id).toHaveLength(1_024);
  const issue = expect.objectContaining({ in: 'path', name: 'id', rule: 'maxValues' });
  const details = expect.objectContaining({ issues: [issue] });
  expect(() => inputOf(1_025)).toThrow(expect.objectContaining({ details }));
});

describe('V18 a challenge, for which nothing was signed,', () => {
  const slow = '(a|b)*a(a|b){20}(c|a)$';
  const describeOf = (document: object) => createDescribe(rowOf(document), { name: 'gateway', priceUsd: () => '0.00' });
  const valuesIn = (describeRoute: Describe, id: string) =>
    describeRoute({ id }).discoveries.map(({ info }) => objectAt(info, 'input', 'pathParams').id);

  it('matches a long value against no slow pattern', () => {
    const test = vi.spyOn(patternOf(slow), 'test');
    const describeRoute = describeOf(inPath({ type: 'string', pattern: slow }));
    const short = `a${'b'.repeat(20)}c`;
    expect(valuesIn(describeRoute, short)).toEqual([short, short, short, short]);
    test.mockClear();
    expect(valuesIn(describeRoute, short.repeat(40))).not.toContain(short.repeat(40));
    expect(test).not.toHaveBeenCalled();
  });

  it('is given for values of a schema that is too wide to be compiled', () => {
    const wide = inPath({ anyOf: times(1_900, (at) => ({ const: `v${at}` })) });
    expect(describeOf(wide)({ id: 'v7' }).resource.mimeType).toBe('application/json');
  });

  it('writes no schema that is longer than a challenge', () => {
    const properties = Object.fromEntries(times(1_900, (at) => [`p${at}`, { type: 'string', description: 'Long.' }]));
    const { discoveries } = describeOf(posting({ type: 'object', properties }))({});
    expect(discoveries).toEqual([]);
  });
});

it('V18 the type of a text is looked up in each alternative once', () => {
  let reads = 0;
  const type = { get: () => (reads++ < 899 ? 'string' : 'integer') };
  const schema = { anyOf: times(900, () => Object.defineProperty({}, 'type', type)) };
  expect(times(1_000, (at) => typed(String(at), schema)).at(-1)).toBe(999);
  expect(reads).toBe(900);
});

it('a schema too wide to be compiled is still checked', () => {
  const properties = Object.fromEntries(times(1_900, (at) => [`p${at}`, { type: 'integer' }]));
  const rulesOf = (value: object) => readsOf({ type: 'object', properties }, () => value).rules;
  expect([rulesOf({ p1: 1, p1899: 2 }), rulesOf({ p1: 1, p1899: 'a' })]).toEqual([[], ['type']]);
});
