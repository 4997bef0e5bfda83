import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConfig } from '@asset-gateway/gateway';
import { describe, expect, it } from 'vitest';
import { check } from '../../packages/gateway/src/config/apis-file/check.ts';
import { readApisFile } from '../../packages/gateway/src/config/apis-file/file.ts';
import { makeFolder } from '../kit/folder.ts';

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

  it('in UTF-8 only', () => {
    expect(served(Buffer.from(`\ufeff${json()}`, 'utf16le'))).toEqual(['the file is not UTF-8; save it as UTF-8']);
    expect(served(Buffer.from(json({ ...ENTRY, title: 'Météo' }), 'latin1'))).toEqual([
      'the file is not UTF-8; save it as UTF-8',
    ]);
  });

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
    expect(served(json({ ...ENTRY, title: 'url\\":{"url":', operations: { getA: { set: {} } } }))).toEqual([
      'web.getA',
    ]);
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
      write(
        `apis: { web: { title: W, url: 'https://a.example', openapi: ${ENTRY.openapi}, operations: { getA: { access: exact, price: ${price} } } } }`,
      ),
    );

  it.each([
    ['0.002', 2000],
    ['"0.002"', 2000],
    ['1', 1_000_000],
    ['.5', 500_000],
    ['0.000001', 1],
  ])('of %s is %i millionths of a dollar', (price, micros) => {
    const { apis, faults } = priced(price);
    expect([faults, apis.flatMap(({ prices }) => [...prices.values()].map((each) => each.micros))]).toEqual([
      [],
      [micros],
    ]);
  });

  it.each([
    ['0', 'apis.web: operations.getA: a paid operation needs a price above 0, with up to six decimals'],
    ['0.0000015', 'apis.web: operations.getA: a paid operation needs a price above 0, with up to six decimals'],
    ['"$0.01"', 'apis.web.operations.getA.price must be dollars such as 0.002, above 0, with up to six decimals'],
    ['1000', 'apis.web.operations.getA.price must be dollars such as 0.002, above 0, with up to six decimals'],
    ['true', 'apis.web.operations.getA.price must be dollars such as 0.002, above 0, with up to six decimals'],
  ])('cannot be %s', (price, fault) => {
    expect(priced(price).faults).toEqual([fault]);
  });
});

describe('a sentence about a file', () => {
  it.each([
    [{ foo: 1 }, 'apis.web.key must have either header, query or bearer, and env, or basic alone'],
    [
      { header: 'X', bearer: true, env: 'A' },
      'apis.web.key must have either header, query or bearer, and env, or basic alone',
    ],
    [
      { basic: { user: 'A', password: 'B' }, env: 'C' },
      'apis.web.key must have either header, query or bearer, and env, or basic alone',
    ],
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
    const output: string[] = [];
    const into = { write: (line: string) => output.push(line) };
    expect(check([write(text)], { stdout: into, stderr: into })).toBe(0);
    expect(output.join('')).toContain('The file serves no operation.\n');
  });

  it.each(files)('%s: the start names the file', (text) => {
    expect(() => readConfig({ APIS_FILE: write(text) })).toThrow(
      'Nothing to serve: APIS_FILE serves no operation, and nothing else is configured.',
    );
  });
});

describe('letters other than Latin ones', () => {
  const get = (operationId: string | undefined, parameters: object[] = []) => ({
    get: { ...(operationId && { operationId }), parameters, responses: { 200: {} } },
  });
  const inPath = (name: string) => ({ name, in: 'path', required: true, schema: { type: 'string' } });
  const paths = {
    '/weather': get('Погода'),
    '/weather/{город}': get('Погода_город', [
      inPath('город'),
      { name: 'дни', in: 'query', schema: { type: 'integer' } },
    ]),
    '/news': get('新闻'),
    '/meteo': get('récupérerMétéo'),
  };
  const openapi = write(JSON.stringify({ openapi: '3.1.0', paths }));

  it('leave each operation a name of its own, and a parameter its name', () => {
    const operations = Object.fromEntries(
      ['Погода', 'Погода_город', '新闻', 'récupérerMétéo'].map((name) => [name, {}]),
    );
    const path = write(json({ ...ENTRY, openapi, operations }));
    const { apis, faults } = readApisFile(path);
    expect(faults).toEqual([]);
    const rows = apis.flatMap((api) => api.rows);
    expect(rows.map(({ method }) => method)).toEqual([
      'getWeather',
      'getWeatherU433u43eu440u43eu434',
      'getNews',
      'recupererMeteo',
    ]);
    expect(rows[1]?.path).toBe('/v1/x402/web/weather/:u433u43eu440u43eu434');
    expect(Object.keys(rows[1]?.input.query?.properties ?? {})).toEqual(['дни']);
  });
});
