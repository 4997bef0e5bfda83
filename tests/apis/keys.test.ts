import { describe, expect, it } from 'vitest';
import { askSigned } from '../kit/wallet.ts';
import { serveApis } from './apis.ts';
import { faultsOf, KEY, runCheck, writeDocument } from './document-files.ts';
import { writeOperations } from './hostile-documents.ts';

const tenant = { name: 'X-Tenant', in: 'header', required: true, schema: { type: 'string' } };
const openapi = writeOperations({ read: ['get /read'], mine: ['get /mine', { parameters: [tenant] }] });
const shared = { title: 'One', openapi, requestsPerMinute: 10_000, operations: { read: {} } };
const basic = { user: 'TEST_USER', password: 'TEST_PASSWORD' };
const PASSWORD = 'pass:word 0123456789';
const AGENT = 'shop (a@b.example)';
const variables = { TEST_USER: 'AC0123', TEST_PASSWORD: PASSWORD };
const { gateway, stub } = await serveApis(
  {
    prefixed: { ...shared, key: { header: 'Authorization', prefix: 'DeepL-Auth-Key ', env: 'TEST_API_KEY' } },
    token: {
      ...shared,
      key: { bearer: true, prefix: 'Token ', env: 'TEST_API_KEY' },
      headers: { 'User-Agent': AGENT },
    },
    tenant: { ...shared, operations: { mine: {} }, headers: { 'x-tenant': 'blue 1' } },
    query: { ...shared, key: { query: 'auth', prefix: 'k:', env: 'TEST_API_KEY' } },
    basic: { ...shared, key: { basic } },
  },
  variables,
);
const ask = (api: string, path = '/read') => askSigned(`${gateway.url}/v1/x402/${api}${path}`);

describe('the API gets', () => {
  it.each<[api: string, headers: Readonly<Record<string, string>>, target: string]>([
    ['prefixed', { authorization: `DeepL-Auth-Key ${KEY}` }, '/read'],
    ['token', { authorization: `Token ${KEY}`, 'user-agent': AGENT }, '/read'],
    ['query', {}, `/read?auth=k%3A${KEY}`],
    ['basic', { authorization: `Basic ${ENCODED}` }, '/read'],
  ])('the key of %s', async (api, headers, target) => {
    expect((await ask(api)).status).toBe(200);
    expect(stub.arrivals.at(-1)).toMatchObject({ target, headers });
  });

  it('the header that an operation requires and the file names', async () => {
    expect((await ask('tenant', '/mine')).status).toBe(200);
    expect(stub.arrivals.at(-1)).toMatchObject({ target: '/mine', headers: { 'x-tenant': 'blue 1' } });
  });
});

const ENCODED = Buffer.from(`AC0123:${PASSWORD}`).toString('base64');
it.each([PASSWORD, ENCODED])('an answer with the password is refused: %s', async (secret) => {
  stub.text = JSON.stringify({ sent: secret });
  const response = await ask('basic');
  stub.text = undefined;
  expect([response.status, await response.json()]).toMatchObject([502, { error: 'upstream_invalid_response' }]);
});

const one = { ...shared, url: 'https://one.example' };
const faultsIn = (entry: object): string => faultsOf({ one: { ...one, ...entry } }).join('\n');

const OF_HTTP = 'Host content-length Transfer-Encoding Cookie Connection Accept User-Agent Expect TE';
it.each(OF_HTTP.split(' '))('no key is in the header %s, which HTTP owns', (header) => {
  expect(faultsIn({ key: { header, env: 'TEST_API_KEY' } })).toContain(`the header ${header} belongs to HTTP`);
});

it('without that header in the file, the fault says where to write it', () => {
  expect(faultsIn({ operations: { mine: {} } })).toContain(
    'the header parameter "X-Tenant" is required; give its value in `headers` of the API, or name it in `key` if it is secret',
  );
});

it.each([
  ['a prefix with a line feed', { key: { bearer: true, env: 'A', prefix: 'a\nb' } }],
  ['a User-Agent with a line feed', { headers: { 'User-Agent': 'a\r\nb: c' } }],
  ['a header that HTTP owns', { headers: { 'Content-Length': '1' } }],
  ['a header that carries the key', { headers: { 'x-key': 'a' }, key: { header: 'X-Key', env: 'A' } }],
  ['the same header twice', { headers: { 'X-A': 'a', 'x-a': 'b' } }],
  ['a header whose name has a space', { headers: { 'X A': 'a' } }],
  ['half of a user and password', { key: { basic: { user: 'A' } } }],
  ['a status that refuses no key', { key: { bearer: true, env: 'A', refused: [404] } }],
])('a file with %s is refused', (_, entry) => {
  expect(faultsIn(entry)).not.toBe('');
});

it.each([
  [{ TEST_USER: 'a' }, 1, 'TEST_PASSWORD is not set.\n'],
  [{ TEST_USER: ' ', TEST_PASSWORD: 'b' }, 1, 'TEST_USER is not set.\n'],
  [variables, 0, ''],
])('`check --env` says which variables are missing: %o', (environment, code, text) => {
  const file = writeDocument({ apis: { one: { ...one, key: { basic } } } });
  expect(runCheck(['--env', file], environment)).toMatchObject({ code, stderr: text });
  expect(runCheck([file]).code).toBe(0);
});
