import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
import { makeFolder } from '../kit/folder.ts';
import { runCheck } from './document-files.ts';
import { inQuery, type Operations, text, writeOperations } from './hostile-documents.ts';

/** Writes a text or bytes, and returns its path. */
function write(text: string | Uint8Array, name = 'file.yaml'): string {
  const path = join(makeFolder(), name);
  writeFileSync(path, text);
  return path;
}

const PATHS = 'paths: { /a: { get: { operationId: getA, responses: { "200": {} } } } }';
const ENTRY = {
  title: 'W',
  url: 'https://a.example',
  openapi: write(`openapi: 3.1.0\n${PATHS}`),
  operations: { getA: {} },
};
const json = (entry: object = ENTRY): string => JSON.stringify({ apis: { web: entry } });

/** The ids of the rows of a file, or its faults without the file's name. */
function served(text: string | Uint8Array): readonly string[] {
  const path = write(text);
  const { apis, faults } = readApisFile(path);
  if (faults.length > 0) return faults.map((fault) => fault.replace(path, 'the file').replace(/\S+\.yaml/, 'it'));
  return apis.flatMap(({ rows }) => rows.map(({ id }) => id));
}

describe('a file is read', () => {
  it.each<[what: string, text: string]>([
    ['JSON with a byte order mark', `\ufeff${json()}`],
    ['YAML with a byte order mark', `\ufeffapis:\n  web: ${JSON.stringify(ENTRY)}\n`],
    ['YAML that begins with a brace', json().replace('"apis"', 'apis')],
    ['JSON with comments', json().replace('{', '{ # mine\n')],
  ])('%s', (_, text) => {
    expect(served(text)[0]).toBe('web.getA');
  });

  it.each([Buffer.from(`\ufeff${json()}`, 'utf16le'), Buffer.from(json({ ...ENTRY, title: 'Météo' }), 'latin1')])(
    'in UTF-8 only',
    (bytes) => expect(served(bytes)).toEqual(['the file is not UTF-8; save it as UTF-8']),
  );

  it('with merge keys whose members another entry changes', () => {
    const web = `  web: &web ${JSON.stringify(ENTRY)}\n`;
    expect(served(`apis:\n${web}  more:\n    <<: *web\n    title: M\n`)).toEqual(['web.getA', 'more.getA']);
  });

  it.each([
    ['a member', json().replace('"title"', '"url":"https://b.example","title"'), 'url'],
    ['an operation', json().replace('{"getA":{}}', '{"getA":{},"getA":{"access":"exact"}}'), 'getA'],
    ['a member with an escape', json().replace('"title"', '"\\u0075rl":"https://b.example","title"'), 'url'],
  ])('unless JSON has %s twice', (_, text, name) => {
    expect(served(text)).toEqual([`the file has "${name}" twice in one object`]);
  });

  it('with the same name in two objects, as a value, and beside escaped quotes', () => {
    const entry = { ...ENTRY, title: 'url\\":{"url":', operations: { getA: { set: {} } } };
    expect(served(json(entry))).toEqual(['web.getA']);
  });
});

describe('the version of a document', () => {
  const versioned = (version: string) => served(json({ ...ENTRY, openapi: write(`openapi: ${version}\n${PATHS}`) }));

  it.each(['3.0', '3.1', "'3.1'", '3.0.4', "'3.1.0-rc1'"])('may be %s', (version) => {
    expect(versioned(version)).toEqual(['web.getA']);
  });

  it.each([
    ['3.2.0', '3.2.0'],
    ['3.10.0', '3.10.0'],
    ["'3'", '3'],
  ])('cannot be %s', (version, shown) => {
    expect(versioned(version)).toEqual([`apis.web: openapi: it is OpenAPI ${shown}, not 3.0 or 3.1`]);
  });

  it('cannot be 2.0, and the fault names a converter', () => {
    const fault = 'it is OpenAPI 2.0, not 3.0 or 3.1; convert it, for example with npx swagger2openapi';
    expect(versioned('2.0')).toEqual([`apis.web: openapi: ${fault}`]);
  });
});

describe('a price', () => {
  const priced = (price: string) =>
    readApisFile(
      write(json().replace('"getA":{}', `"getA":{"access":"exact","price":${price}}`).replace('"apis"', 'apis')),
    );
  const [TOO_FINE, NO_DOLLARS] = [
    'apis.web: operations.getA: a paid operation needs a price above 0, with up to six decimals',
    'apis.web.operations.getA.price must be dollars such as 0.002, above 0, with up to six decimals',
  ];

  it.each([
    ['0.002', 2000],
    ['"0.002"', 2000],
    ['1', 1_000_000],
    ['.5', 500_000],
    ['0.000001', 1],
  ])('of %s is %i millionths of a dollar', (price, micros) => {
    const { apis, faults } = priced(price);
    const found = apis.flatMap(({ prices }) => [...prices.values()].map((each) => each.micros));
    expect([faults, found]).toEqual([[], [micros]]);
  });

  it.each([
    ['0', TOO_FINE],
    ['0.0000015', TOO_FINE],
    ['"$0.01"', NO_DOLLARS],
    ['1000', NO_DOLLARS],
    ['true', NO_DOLLARS],
  ])('cannot be %s', (price, fault) => {
    expect(priced(price).faults).toEqual([fault]);
  });
});

describe('a sentence about a file', () => {
  const ONE_PLACE = 'apis.web.key must have either header, query or bearer, and env, or basic alone';
  it.each([
    [{ foo: 1 }, ONE_PLACE],
    [{ header: 'X', bearer: true, env: 'A' }, ONE_PLACE],
    [{ basic: { user: 'A', password: 'B' }, env: 'C' }, ONE_PLACE],
    [{ header: 'X', env: 'A', prefx: 'Token ' }, 'apis.web.key has no "prefx"; the nearest is prefix'],
  ])('names the fault of the key %j once', (key, fault) => {
    const faults = served(json({ ...ENTRY, key } as object));
    expect(faults).toContain(fault);
    expect(faults.join()).not.toContain('undefined');
    expect(faults.length).toBeLessThan(3);
  });

  it('cuts a list between its values', () => {
    const statuses = [400, 401, 402, 403, 404, 405, 409, 410, 422, 500];
    const responses = Object.fromEntries(statuses.map((status) => [status, {}]));
    const paths = { '/a': { get: { operationId: 'getA', responses } } };
    const openapi = write(JSON.stringify({ openapi: '3.1.0', paths }));
    expect(served(json({ ...ENTRY, openapi }))).toEqual([
      'apis.web: operations.getA: GET /a: it answers 400, 401, 402, 403, 404, 405, 409, 410 and more, not 200, 201, 202 or 204',
    ]);
  });
});

describe('a file that serves no operation', () => {
  const files = [['apis: {}'], [json({ ...ENTRY, operations: {} })]];

  it.each(files)('%s: check says so', (text) => {
    const stdout = expect.stringContaining('The file serves no operation.\n');
    expect(runCheck([write(text)])).toMatchObject({ code: 0, stdout });
  });

  it.each(files)('%s: the start names the file', (text) => {
    expect(() => readConfig({ APIS_FILE: write(text) })).toThrow(
      'Nothing to serve: APIS_FILE serves no operation, and nothing else is configured.',
    );
  });
});

describe('letters other than Latin ones', () => {
  const OPERATIONS: Operations = {
    Погода: ['get /weather'],
    Погода_город: [
      'get /weather/{город}',
      { parameters: [text('город', 'path'), inQuery('дни', { type: 'integer' })] },
    ],
    新闻: ['get /news'],
    récupérerMétéo: ['get /meteo'],
  };
  const openapi = writeOperations(OPERATIONS);

  it('leave each operation a name of its own, and a parameter its name', () => {
    const operations = Object.fromEntries(Object.keys(OPERATIONS).map((name) => [name, {}]));
    const path = write(json({ ...ENTRY, openapi, operations }));
    const { apis, faults } = readApisFile(path);
    expect(faults).toEqual([]);
    const rows = apis.flatMap((api) => api.rows);
    const methods = ['getWeather', 'getWeatherU433u43eu440u43eu434', 'getNews', 'recupererMeteo'];
    expect(rows.map(({ method }) => method)).toEqual(methods);
    expect(rows[1]?.path).toBe('/v1/x402/web/weather/:u433u43eu440u43eu434');
    expect(Object.keys(rows[1]?.input.query?.properties ?? {})).toEqual(['дни']);
  });
});
