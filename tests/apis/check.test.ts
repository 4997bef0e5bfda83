import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { harmless } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { makeFolder } from '../kit/folder.ts';
import { documentPath, runCheck, writeDocument } from './document-files.ts';
import { inBody, inQuery, text, writeOperations } from './hostile-documents.ts';

/** The exit code and the output of the command, for a file of this text. */
function checked(text: string) {
  const path = join(makeFolder(), 'apis.yaml');
  writeFileSync(path, text);
  return runCheck([path]);
}

/** The same for a file with one API, `bb`, of this document. */
const checkedApi = (openapi: string, operations: string) =>
  checked(`apis: { bb: { title: B, openapi: ${openapi}, url: 'https://b.example', operations: ${operations} } }`);

/** Expects success, and these lines. */
const expectLines = (text: string, ...lines: string[]) =>
  expect(checked(text)).toMatchObject({ code: 0, stdout: [...lines, ''].join('\n') });

const WEATHER = `
apis:
  weather:
    title: Weather
    openapi: ${documentPath('weather.yaml')}
    url: https://api.weather.example
    key: { header: X-Api-Key, env: WEATHER_API_KEY }
`;

describe('asset-gateway check', () => {
  it('prints the rows, the other operations, and the variables of the keys', () => {
    expectLines(
      `${WEATHER}    operations: { getHistory: { access: exact, price: '0.002' } }`,
      'Weather:',
      '  POST /v1/x402/solana/mainnet/weather/history  $0.002  getHistory',
      'The other operations of weather:',
      '  getForecast  not named',
      'The gateway reads keys from WEATHER_API_KEY.',
    );
  });

  it('W24 prints texts of a document on one line, without characters that a terminal obeys', () => {
    const evil = 'op\u001b[2J\nforged\u009b\u202e';
    const responses = { 200: { description: '', content: { 'application/json': {} } } };
    const parameters = [{ name: 'q', in: 'query', schema: { type: 'string', pattern: '\u009b\u202e(' } }];
    const paths = {
      '/a': { get: { operationId: evil, responses } },
      '/b': { get: { operationId: 'op', responses, parameters } },
      '/{id}': { get: { responses, parameters: [{ name: 'id', in: 'path', required: true, schema: {} }] } },
      '/\u009b\u202eother': { get: { responses } },
    };
    const api = { title: 'Evil', openapi: writeDocument({ openapi: '3.1.0', paths }), url: 'https://evil.example' };
    const outputOf = (operations: object) => runCheck([writeDocument({ apis: { evil: { ...api, operations } } })]);
    const served = outputOf({ op: {}, 'GET /{id}': {} });
    const faulty = outputOf({ [evil.slice(1)]: {} });
    expect([served.code, faulty.code]).toEqual([0, 1]);
    for (const text of [served.stdout, faulty.stderr]) {
      expect(text).toMatch(/op\[2J forged/);
      expect([harmless(text), text.match(/^forged/m)]).toEqual([text, null]);
    }
  });

  it('prints what is added to a price', () => {
    const priced = `{ access: exact, price: '0.002', settlementFee: true }`;
    const { stdout } = checked(`${WEATHER}    operations: { getHistory: ${priced} }`);
    expect(stdout).toContain('history  $0.002 plus the settlement fee, SETTLEMENT_FEE_USD_MICROS  getHistory\n');
  });

  it('prints the parts of an operation that only the API checks', () => {
    const filter = { name: 'filter', in: 'query', style: 'deepObject', schema: { type: 'object' } };
    const parameters = [filter, { ...text('ref', 'path'), example: 'heads/main' }];
    const schema = { type: 'object', properties: { tags: { propertyNames: { maxLength: 3 } } } };
    const key = (name: string) => ({ type: 'apiKey', in: 'header', name });
    const mark = { security: [{ id: [], secret: [] }], parameters, ...inBody(schema) };
    const components = { securitySchemes: { id: key('Id'), secret: key('Secret') } };
    const openapi = writeOperations({ mark: ['post /refs/{ref}', mark] }, { components });
    expectLines(
      `apis: { bb: { title: B, openapi: ${openapi}, url: 'https://b.example', operations: { mark: {} } } }`,
      'B:',
      '  POST /v1/x402/bb/refs/:ref  free for a signature  mark',
      'What the gateway does not check or send:',
      '  mark  left out: the query parameter "filter" has the style "deepObject"',
      '  mark  body.tags: not checked, since its schema uses propertyNames',
      '  mark  path.ref: its example has a slash, which only `slashes: true` allows',
      '  mark  needs "id and secret", of which the gateway sends one',
    );
  });

  it("prints the file's changes to the gateway's own routes", () => {
    expectLines(
      `
das: { enabled: false }
tokens:
  requestsPerMinute: 60
  operations:
    search: { cache: { freshSeconds: 1, maxStaleSeconds: 2 } }
rpc:
  operations:
    mainnet.helius.getBalance: { price: '0.002' }
    devnet.helius.getBalance: { enabled: false }
`,
      "The gateway's own routes:",
      '  das                            disabled',
      '  tokens                         60 requests a minute',
      '  rpc.devnet.helius.getBalance   disabled',
      '  rpc.mainnet.helius.getBalance  $0.002',
      '  tokens.search                  cached: fresh 1 s, at most 2 s',
    );
  });

  it.each([
    ['titel: x', 'apis.weather has no "titel"; the nearest is title.'],
    ['operations: { getForcast: {} }', '"getForcast"; the nearest is getForecast.'],
    ['operations: { getForecast: { price: "1" } }', 'it has a price, but its access is siwx.'],
    ['operations: { getForecast: { access: exact } }', 'needs a price above 0, with up to six decimals.'],
    ['operations: { getForecast: { access: free } }', 'apis.weather.operations.getForecast.access must be'],
    ['operations: [', 'is not YAML or JSON, line'],
  ])('names the fault of %s', (line, fault) => {
    const { code, stdout, stderr } = checked(`${WEATHER}    ${line}`);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toContain(fault);
  });

  it('names the parameters that make an operation dangerous to sell', () => {
    const limit = inQuery('limit', { type: 'integer' });
    const openapi = writeOperations({
      coin: ['get /coins/{id}', { parameters: [text('id', 'path'), limit] }],
      markets: ['get /coins/markets', { parameters: [limit] }],
    });
    const dangers = (document: string, operations: string) => {
      const { stdout } = checkedApi(document, operations);
      const [, lines] = stdout.split(/Look at these before you serve them:\n|\n(?=\S)/).slice(1);
      return lines
        ?.split('\n')
        .filter(Boolean)
        .map((line) => line.trim().replace(/ {2,}/g, ' '));
    };
    const paid = "access: exact, price: '0.01'";
    expect(dangers(openapi, `{ coin: {}, markets: { ${paid} } }`)).toEqual([
      'coin free, beside the paid /coins/markets; values that lead there are refused',
      expect.stringMatching(/^markets shares its limit with free operations, whose clients can use it up/),
      'markets limit: has no maximum; bound, set or forbid it',
    ]);
    expect(dangers(openapi, `{ markets: { ${paid} } }`)).toEqual([
      'markets limit: has no maximum; bound, set or forbid it',
    ]);
    const chat = documentPath('chat.yaml');
    expect(dangers(chat, `{ createChatCompletion: { ${paid} } }`)).toEqual([
      expect.stringContaining('createChatCompletion stream: the gateway cannot deliver a streamed answer'),
      expect.stringContaining('createChatCompletion max_tokens: has no maximum'),
      expect.stringContaining('createChatCompletion max_completion_tokens: has no maximum'),
    ]);
    const forbid = 'forbid: [stream, max_tokens, max_completion_tokens]';
    expect(dangers(chat, `{ createChatCompletion: { ${paid}, ${forbid} } }`)).toBeUndefined();
  });

  it('lists an operation with a name that every object inherits', () => {
    const openapi = writeOperations(Object.fromEntries(['a', 'toString'].map((name) => [name, [`get /${name}`]])));
    const { stdout } = checkedApi(openapi, '{ a: {} }');
    expect(stdout).toContain('The other operations of bb:\n  toString  not named\n');
  });

  it('prints the JSON Schema of the file', () => {
    const { code, stdout } = runCheck(['--schema']);
    const schema = JSON.parse(stdout) as { properties: { apis: { patternProperties?: object } } };
    expect([code, Object.keys(schema.properties.apis)]).toEqual([0, expect.arrayContaining(['description'])]);
    expect(stdout).toBe(readFileSync('docs/apis.schema.json', 'utf8'));
  });

  it('explains itself', () => {
    const usage = expect.stringContaining('Usage: asset-gateway check');
    expect(runCheck(['--help'])).toMatchObject({ code: 0, stdout: usage });
    expect(runCheck([])).toMatchObject({ code: 2, stderr: usage });
  });
});
