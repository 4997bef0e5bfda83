import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Paths } from '../../packages/gateway/src/apis/paths.ts';
import { cpuMicrosSince } from '../kit/usage.ts';
import { askSigned, signedHeader } from '../kit/wallet.ts';
import { serveApis } from './apis.ts';
import { runCheck, writeDocument } from './document-files.ts';
import { text, writeOperations } from './hostile-documents.ts';

const of = (...names: string[]) => ({ parameters: names.map((name) => text(name, 'path')) });
const openapi = writeOperations({
  coin: ['get /coins/{id}', of('id')],
  markets: ['get /coins/markets'],
  makeList: ['post /coins/list'],
  top: ['get /coins/top10/'],
  sell: ['post /coins/{id}:sell', of('id')],
  ofMarket: ['get /coins/{id}/{market}', of('id', 'market')],
  history: ['get /coins/{id}/history', of('id')],
  allOfMarket: ['get /coins/all/{market}', of('market')],
  flag: ['get /flags/{flag}', { parameters: [{ ...text('flag', 'path'), schema: { type: 'boolean' } }] }],
  flags: ['get /flags/true'],
  alone: ['get /alone/{id}', of('id')],
  more: ['get /alone/{id}/more', of('id')],
});
const SOLD = { access: 'exact', price: '0.01' };
const OPERATIONS = { coin: {}, ofMarket: {}, allOfMarket: {}, flag: {}, alone: {}, markets: SOLD };
const coins = { title: 'Coins', openapi, operations: OPERATIONS };
const { gateway, stub, rows } = await serveApis({ coins });
const urlOf = (target: string): string => `${gateway.url}/v1/x402/coins/${target}`;

/** Targets whose values lead to another path of the document at a server of some kind. */
const LEADING = [
  ...['markets', 'list', 'top10', 'Markets', '%6Darkets', '%256Darkets', '%25256Darkets', '%25%36Darkets'],
  ...['markets%253Fa', 'markets%3Ba', 'markets%3Fa', 'markets%23a', 'markets%20', 'markets%00', 'markets.'],
  ...['markets.json', 'bitcoin:sell', 'bitcoin%3Asell'],
].map((id) => [`coins/${id}`, 'id']);
LEADING.push(
  ['coins/bitcoin/history', 'id,market'],
  ['coins/all/HISTORY', 'market'],
  ['coins/ALL/a', 'id,market'],
  ['coins/ALL/history', 'id,market'],
  ['flags/true', 'flag'],
);

describe('a value of a path', () => {
  it.each(LEADING)('X18 as in %s leads to no other path of the document', async (target, name) => {
    const before = stub.arrivals.length;
    const header = await signedHeader(urlOf(target));
    const ask = () => fetch(urlOf(target), { headers: { 'SIGN-IN-WITH-X': header } });
    // The second answer shows that the first one did not use up the sign-in.
    for (const response of [await ask(), await ask()]) {
      const { error, issues } = (await response.json()) as { error: string; issues: object[] };
      expect([response.status, error]).toEqual([400, 'invalid_request']);
      expect(issues).toEqual([
        { in: 'path', name, rule: 'samePath', message: 'Must not make this path another path of the API.' },
      ]);
    }
    expect(stub.arrivals).toHaveLength(before);
  });

  it.each([
    ...['%252e%252e', '%252e', '.%25252E', '..%3B', '..%253Ba', '%3Ba', '%252E%252e%252fmarkets'],
    ...['a%252f..%252fmarkets', 'all%252Fhistory', 'all%255chistory', 'markets%252Fa'],
  ])('X18 as in coins/%s leads to no other folder of the API', async (id) => {
    const before = stub.arrivals.length;
    const response = await askSigned(urlOf(`coins/${id}`));
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: 'invalid_request', issues: [{ in: 'path', name: 'id', rule: 'segment' }] },
    ]);
    expect(stub.arrivals).toHaveLength(before);
  });

  it.each([
    ...['coins/bitcoin', 'coins/marketsx', 'coins/market', 'coins/x.markets', 'coins/a%25', 'coins/a%3Ab'],
    ...['coins/..a%3Bb', 'coins/a%252e%252e', 'coins/sell', 'coins/markets/a', 'coins/a/markets'],
    ...['coins/all/market', 'flags/false', 'alone/more', 'alone/markets'],
  ])('X18 as in %s reaches the API', async (target) => {
    const response = await askSigned(urlOf(target));
    expect([response.status, stub.arrivals.at(-1)?.target]).toEqual([200, `/${target}`]);
  });
});

it("X18 if a value leads to another path, the row's rules name the refused values", () => {
  const withRule = rows.filter(({ rules }) => rules.length > 0).map(({ method }) => method);
  expect(withRule).toEqual(['coin', 'ofMarket', 'allOfMarket', 'flag']);
});

it('X18 asset-gateway check prints the paths that values of a row would lead to', () => {
  const file = writeDocument({ apis: { coins: { ...coins, url: 'https://coins.example' } } });
  const lines = [
    'Values that would lead to another path are refused:',
    '  coin         /coins/{id}           never as /coins/markets, /coins/list, /coins/top10/ and more',
    '  ofMarket     /coins/{id}/{market}  never as /coins/{id}/history, /coins/all/{market}',
    '  allOfMarket  /coins/all/{market}   never as /coins/{id}/history',
    '  flag         /flags/{flag}         never as /flags/true',
    'The other operations of coins:',
  ];
  expect(runCheck([file])).toMatchObject({ code: 0, stdout: expect.stringContaining(lines.join('\n')) });
});

describe('a search for other paths', () => {
  const visits = (paths: Paths, path: string, values?: Record<string, string>) => [
    ...paths.othersFor(path, values, values?.x === undefined ? [] : ['x']),
  ];

  it('reads text around parameters in its order', () => {
    const paths = new Paths(['/a/{id}', '/a/{from}...{to}.zip', '/b/{id}', '/b/{id}{format}']);
    const others = (id: string) => visits(paths, '/a/{id}', { id });
    expect(['1...2.zip', '...ZIP', '...x.zip'].map((id) => others(id).length)).toEqual([1, 0, 1]);
    expect(['1..2.zip', '1...2.zi', '.zip', '1...zip'].map((id) => others(id).length)).toEqual([0, 0, 0, 0]);
    // A segment of parameters alone is no more concrete than one parameter.
    expect(visits(paths, '/b/{id}')).toEqual([]);
  });

  it.each([
    ['m', []],
    ['m:stream', ['/m/{model}:stream']],
    ['m%3Astream', ['/m/{model}:stream']],
    ['m:STREAM', ['/m/{model}:stream']],
    ['m:other', []],
  ])('X18 finds the verb in %s beside a verb', (model, others) => {
    const paths = new Paths(['/m/{model}:generate', '/m/{model}:stream', '/m/{model}']);
    expect(visits(paths, '/m/{model}:generate', { model })).toEqual(others);
    expect(visits(paths, '/m/{model}:generate')).toEqual(['/m/{model}:stream']);
  });

  it.each([
    ['a', []],
    ['secret', []],
    ['a/secret', ['/c/{folder}/secret']],
    ['a/secre%74', ['/c/{folder}/secret']],
    ['a/b/c', []],
    ['x/1/2', ['/c/x/{a}/{b}']],
  ])('X18 finds what %s with slashes leads to', (path, others) => {
    const paths = new Paths(['/c/{path}', '/c/{folder}/secret', '/c/x/{a}/{b}']);
    expect([...paths.othersFor('/c/{path}', { path }, ['path'])]).toEqual(others);
  });

  it.each([
    ['/coins/{id}.json', 'markets', '/coins/markets'],
    ['/coins/{id}:sell', 'markets;', '/coins/markets'],
    ['/coins/{id}-a', 'b-c%3f', '/coins/{id}-c'],
  ])(
    'X18 finds that %s with %s leads to another path at a server that cuts the end of a segment',
    (path, id, other) => {
      const paths = new Paths([path, other]);
      expect([visits(paths, path, { id }), visits(paths, path)]).toEqual([[other], [other]]);
    },
  );

  it('X18 without values names each path that values lead to', () => {
    const segments = 'a ab b A {x} {y} {x}{y} a{x} b{x} {x}a {x}-{y} a{x}b {x}.json {x}:a a{x}:b';
    const segment = fc.constantFrom(...segments.split(' '));
    const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => `/${segments.join('/')}`);
    const values = 'a ab b aab a-b A ba a; ab%3F a.json b. a:b b:a:';
    const value = fc.constantFrom(...values.split(' '), ' a\\');
    const document = fc.uniqueArray(path, { minLength: 2, maxLength: 12 });
    fc.assert(
      fc.property(document, value, value, (all, x, y) => {
        const paths = new Paths(all);
        const named = all.map((each) => visits(paths, each));
        for (const [at, each] of all.entries())
          for (const other of visits(paths, each, { x, y })) expect(named[at]).toContain(other);
      }),
    );
  });

  it.each<[name: string, pathOf: (index: number) => string[]]>([
    ['a text before a parameter', (index) => [`/a${index}x{id}`]],
    ['a text after a parameter', (index) => [`/{id}x${index}`]],
    ['a text after three parameters', (index) => [`/{a}/{b}/{c}/k${index}`, `/q${index}/{b}/{c}/m${index}`]],
    ['a text under which no other fits', (index) => [`/{a}:v${index}/aa${index}`, `/{b}:w${index}/a{x}z${index}z{y}`]],
    ['plain text beside a parameter', (index) => [`/c/{id}/x${index}`, `/c/l${index}/y${index}`]],
  ])('takes time that grows with the number of paths that differ in %s, and not faster', (_, pathOf) => {
    const took = (count: number) => {
      const all = Array.from({ length: count }, (_, index) => pathOf(index)).flat();
      const start = process.cpuUsage();
      const paths = new Paths(all);
      for (const path of all) paths.mayLeadElsewhere(path);
      return cpuMicrosSince(start);
    };
    took(250);
    const ratios = [1, 2, 3].map(() => took(2_000) / Math.max(1, took(250)));
    // Eight times as long; a square would take 64 times as long.
    expect(Math.min(...ratios)).toBeLessThan(24);
  });

  it('takes time that grows with the document and the value, and not faster', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => `/a/${'{x}/'.repeat(6)}${index}`);
    const paths = new Paths(['/a/{x}', ...many(5_000)]);
    let serial = 0;
    const took = (part: string, count: number) => {
      // Of equal texts the engine remembers what an expression has found.
      const values = Array.from({ length: 20 }, () => `${part.repeat(count)}${serial++}`);
      const start = process.cpuUsage();
      for (const x of values) visits(paths, '/a/{x}', { x });
      return cpuMicrosSince(start);
    };
    for (const part of ['%25', '%', '.', ';', ' ', '%2525', 'a', ':', '/', 'a/']) {
      const ratios = [1, 2, 3].map(() => took(part, 8_000) / Math.max(1, took(part, 500)));
      // Sixteen times as long; a square would take 256 times as long.
      expect(Math.min(...ratios)).toBeLessThan(64);
    }
  });
});
