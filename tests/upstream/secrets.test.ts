import { afterEach, describe, expect, it } from 'vitest';
import { LIMITS } from '../../packages/gateway/src/limits.ts';
import { assertHoldsNoSecret } from '../../packages/gateway/src/upstreams/secret-search.ts';
import type { FaultKnobs } from '../../packages/sandbox/src/tokens/api.ts';
import { CANARY_KEY, CANARY_SECRET, startTestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { type Ask, Caller, codeOf, HEALTH, JSON_BODY, SNAPSHOTS, secretsIn, send, TOKENS } from './caller.ts';

const gateway = await startTestGateway({ UPSTREAM_TIMEOUT_MS: '300', LOG_LEVEL: 'trace' }, WITHOUT_BREAKER);
afterEach(() => gateway.upstream.faults.reset());

const CODES = [...Buffer.from(CANARY_KEY)];
const spellings: readonly (readonly [string, string])[] = [
  ['as it is', CANARY_KEY],
  ['in base64', Buffer.from(CANARY_KEY).toString('base64')],
  ['in base64 within a longer text', Buffer.from(`x-api-key: ${CANARY_KEY};`).toString('base64')],
  ['in base64url', Buffer.from(CANARY_KEY).toString('base64url')],
  ['in entities of HTML', CODES.map((code) => `&#${code};`).join('')],
  ['in hexadecimal entities', CODES.map((code) => `&#x${code.toString(16)};`).join('')],
  ['in hex', Buffer.from(CANARY_KEY).toString('hex')],
  ['in upper-case hex', Buffer.from(CANARY_KEY).toString('hex').toUpperCase()],
  ['URL-encoded', CODES.map((code) => `%${code.toString(16)}`).join('')],
];

/** JSON text that says a character by its number. */
const escaped = `"\\u0043${CANARY_KEY.slice(1)}"`;

describe('U13 an upstream that repeats its key', () => {
  it.each(spellings)('%s: in the message of a refusal: not quoted', async (_, spelled) => {
    for (const status of [400, 401]) {
      Object.assign(gateway.upstream.faults, { status, message: `Invalid API key ${spelled}` });
      const { text } = await new Caller(gateway).ask({ target: HEALTH });
      expect(text).not.toContain('Invalid API key');
    }
  });

  it.each([
    ...spellings.map(([name, spelled]) => [name, JSON.stringify({ a: [spelled] })] as const),
    ['in a JSON escape', escaped] as const,
  ])('%s: in an answer: refused', async (_, body) => {
    gateway.upstream.faults.body = body;
    expect(codeOf(await new Caller(gateway).ask({ target: HEALTH }))).toBe('502 upstream_invalid_response');
  });

  it('by echoing the request: refused', async () => {
    gateway.upstream.faults.echo = true;
    const post = { method: 'POST', target: SNAPSHOTS, headers: JSON_BODY, body: '{"mints":["a"]}' };
    for (const ask of [{ target: HEALTH }, post])
      expect(codeOf(await new Caller(gateway).ask(ask))).toBe('502 upstream_invalid_response');
    expect(gateway.upstream.arrivals.at(-1)?.headers['x-api-key']).toBe(CANARY_KEY);
  });
});

describe('U13 a search for a key in an answer', () => {
  const KEY = 'key/of "8 \\\\ signs&';
  const isFound = (json: string): boolean => {
    try {
      assertHoldsNoSecret(json, [KEY]);
      return false;
    } catch {
      return true;
    }
  };
  const byNumber = (text: string): string =>
    [...text].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

  it.each([
    ['as JSON writes it', JSON.stringify(KEY)],
    ['with an escaped slash', JSON.stringify(KEY).replace('/', '\\/')],
    ['by numbers', `"${byNumber(KEY)}"`],
    ['by numbers in capitals', `"${byNumber(KEY).replace(/[a-f]/g, (digit) => digit.toUpperCase())}"`],
    ['with entities', JSON.stringify(KEY.replace('&', '&amp;').replace('"', '&QUOT;').replace('k', '&#0000107;'))],
    ['with an entity by numbers', JSON.stringify(KEY).replace('&', byNumber('&#X26;'))],
    ['after other escapes', JSON.stringify(`\n\udbff&#9999999;&;&&${KEY}`)],
  ])('finds it %s', (_, json) => expect([isFound(json), isFound(json.replace('8', '9'))]).toEqual([true, false]));

  const objects = JSON.stringify(
    Array.from({ length: 100_000 }, (_, at) => ({ time: at, open: 1.5, close: 2.25, volume: 3 })),
  );
  it.each(['&amp;', '\\u0041', '\\u0026#65;'])(
    'of nothing but %s takes hardly longer than parsing an answer',
    (spelled) => {
      const took = (work: () => unknown): number => {
        const start = process.cpuUsage();
        work();
        const { user, system } = process.cpuUsage(start);
        return user + system;
      };
      const json = `"${spelled.repeat(LIMITS.oneAnswerBytes / spelled.length)}"`;
      const ratios = [1, 2, 3].map(() => took(() => isFound(json)) / took(() => JSON.parse(objects)));
      expect(Math.min(...ratios)).toBeLessThan(6);
    },
  );
});

it('U13 no answer and no log line of any kind holds a secret', async () => {
  const caller = new Caller(gateway);
  const asks: readonly Ask[] = [
    { target: HEALTH },
    { target: '/healthz' },
    { target: '/v1/catalog' },
    { target: `${TOKENS}/assets/solana?limit=9` },
    { target: '/nowhere' },
    { target: HEALTH, method: 'OPTIONS' },
    { target: SNAPSHOTS, method: 'POST', headers: JSON_BODY, body: '{' },
    { target: HEALTH, headers: { 'SIGN-IN-WITH-X': CANARY_KEY } },
  ];
  for (const ask of asks) await send(gateway, ask);
  const faults: readonly FaultKnobs[] = [
    { hang: true },
    { resetConnection: true },
    { truncate: 0.5 },
    { redirect: `http://127.0.0.1:1/?key=${CANARY_KEY}` },
    { contentType: `text/${CANARY_KEY}` },
    { body: CANARY_KEY },
    { status: 401, message: CANARY_KEY },
    { status: 500, message: CANARY_SECRET, retryAfter: CANARY_KEY },
  ];
  for (const fault of faults) {
    Object.assign(gateway.upstream.faults, fault);
    await caller.ask({ target: HEALTH, headers: { 'X-Request-Id': 'a.b' } });
    gateway.upstream.faults.reset();
  }
  expect(gateway.logLines.length).toBeGreaterThan(asks.length + faults.length);
  expect(gateway.logLines.flatMap(secretsIn)).toEqual([]);
});

/** Client headers, of which none may reach the upstream. */
const CLIENT_HEADERS = {
  'X-Api-Key': 'mine',
  'x-api-key': 'mine-too',
  Cookie: 'session=mine',
  Authorization: 'Bearer mine',
  Accept: 'text/html',
  'Accept-Encoding': 'zstd, identity;q=0',
  'User-Agent': 'mine/1.0',
  'X-Request-Id': 'mine',
  'X-Forwarded-For': '6.6.6.6',
  Via: '1.1 mine',
  'If-None-Match': '"mine"',
  TE: 'trailers',
  'X-HTTP-Method-Override': 'DELETE',
  'PAYMENT-SIGNATURE': 'mine',
  'X-Mine': 'mine',
};

const CONNECTIONS = ['x-api-key, close', 'close, host', 'close, content-length', 'close, accept, accept-encoding'];

const ALWAYS = ['accept', 'accept-encoding', 'connection', 'host', 'x-api-key'];

describe('U14 the upstream gets its own headers and no header of the client', () => {
  it.each(CONNECTIONS)('with Connection: %s', async (connection) => {
    const headers = { ...CLIENT_HEADERS, Connection: connection };
    const { status } = await new Caller(gateway).ask({ target: HEALTH, headers });
    expect(status).toBe(200);
    const arrival = gateway.upstream.arrivals.at(-1);
    expect(Object.keys(arrival?.headers ?? {}).sort()).toEqual(ALWAYS);
    expect(arrival?.headers).toMatchObject({
      accept: 'application/json',
      'accept-encoding': 'gzip, br',
      host: new URL(gateway.upstream.url).host,
      'x-api-key': CANARY_KEY,
    });
    expect(JSON.stringify(arrival)).not.toContain('mine');
  });

  it('and those of a rewritten body', async () => {
    const headers = { ...CLIENT_HEADERS, ...JSON_BODY, 'Content-Language': 'tlh' };
    const body = '{ "addresses" : [ "\\u0061" ] }';
    expect((await new Caller(gateway).ask({ method: 'POST', target: SNAPSHOTS, headers, body })).status).toBe(400);
    const arrival = gateway.upstream.arrivals.at(-1);
    expect(Object.keys(arrival?.headers ?? {}).sort()).toEqual([...ALWAYS, 'content-length', 'content-type'].sort());
    expect(arrival?.headers['content-type']).toBe('application/json');
    expect(arrival?.body).toBe('{"mints":["a"]}');
  });

  it('also if the client sends a body with a GET', async () => {
    await new Caller(gateway).ask({ target: `${TOKENS}/assets/solana`, headers: JSON_BODY, body: '{"mine":1}' });
    expect(gateway.upstream.arrivals.at(-1)).toMatchObject({ method: 'GET', body: '' });
    expect(Object.keys(gateway.upstream.arrivals.at(-1)?.headers ?? {}).sort()).toEqual(ALWAYS);
  });
});
