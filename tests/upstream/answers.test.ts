import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import type { FaultKnobs } from '../../packages/sandbox/src/tokens/api.ts';
import { everyThird } from '../kit/rounds.ts';
import { startTestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { jsonTestSuite } from '../signin/vectors.ts';
import { type Answered, Caller, codeOf, HEALTH } from './caller.ts';

const gateway = await startTestGateway({}, WITHOUT_BREAKER);
afterEach(() => gateway.upstream.faults.reset());

const LIMIT_BYTES = 5 * 1024 * 1024;

/** Sends one request and expects one upstream call. */
async function askOnce(): Promise<Answered> {
  const before = gateway.upstream.arrivals.length;
  const answer = await new Caller(gateway).ask({ target: HEALTH });
  expect(gateway.upstream.arrivals.length).toBe(before + 1);
  return answer;
}

function expectUnusable({ status, json, text }: Answered): void {
  expect([status, json.error]).toEqual([502, 'upstream_invalid_response']);
  expect(Object.keys(json)).toEqual(['ok', 'error', 'message', 'requestId']);
  expect(text).not.toContain('"result"');
}

const LONG = JSON.stringify('a'.repeat(100_000));
const text = (bytes: number): string => JSON.stringify('a'.repeat(bytes - 2));

it.each<[string, FaultKnobs]>([
  ...[0, 0.5, 0.99].map((truncate): [string, FaultKnobs] => [`U3 a body cut at ${truncate}`, { body: LONG, truncate }]),
  ...(['gzip', 'br', 'deflate'] as const).map((encoding): [string, FaultKnobs] => [
    `U3 a body packed as ${encoding} that is cut in the middle`,
    { encoding, truncate: 0.5 },
  ]),
  ['U4 one byte more than 5 MiB', { body: text(LIMIT_BYTES + 1) }],
  ['U4 one byte more than 5 MiB, packed', { gzipBomb: LIMIT_BYTES + 1 }],
  ...[201, 206, 299].map((status): [string, FaultKnobs] => [`U5 a ${status}`, { status }]),
  ['U5 a page', { body: '<!doctype html><p>fine</p>', contentType: 'text/html; charset=utf-8' }],
  ['U5 JSON that says it is a page', { body: '{}', contentType: 'text/html' }],
  ['U5 JSON that says it is text', { body: '{}', contentType: 'text/plain' }],
  ['U5 JSON of no type', { body: '{}', contentType: '' }],
  ['U5 JSON of a type that begins alike', { body: '{}', contentType: 'application/jsonx' }],
  ['U5 a script', { body: 'f({})', contentType: 'application/javascript' }],
  ['U5 nothing', { body: '' }],
  ['U5 blanks', { body: ' \n' }],
  ['U5 a page that says it is JSON', { body: '<!doctype html>' }],
  ['U5 a byte order mark', { body: '\ufeff{}' }],
  ['U5 two values', { body: '{}{}' }],
  ['U5 gzip without Content-Encoding', { body: gzipSync('{}') }],
])('%s is an unusable answer', async (_, knobs) => {
  if (knobs.body !== undefined) gateway.upstream.faults.contentType = 'application/json';
  Object.assign(gateway.upstream.faults, knobs);
  expectUnusable(await askOnce());
});

const LARGEST: readonly FaultKnobs[] = [{ body: text(LIMIT_BYTES) }, { gzipBomb: LIMIT_BYTES }];
it.each(LARGEST)('U4 an answer of 5 MiB is taken, plain or packed (%#)', async (knobs) => {
  Object.assign(gateway.upstream.faults, knobs);
  expect((await askOnce()).status).toBe(200);
});

describe('U5 JSON is an answer', () => {
  const TYPES = ['application/json', 'application/json; charset=utf-8', 'Application/JSON', 'application/problem+json'];
  it.each(TYPES)('of type %s', async (contentType) => {
    Object.assign(gateway.upstream.faults, { body: '{"a":1}', contentType });
    expect((await askOnce()).json.result).toEqual({ a: 1 });
  });

  it.each(['gzip', 'br', 'deflate'] as const)('packed as %s', async (encoding) => {
    gateway.upstream.faults.encoding = encoding;
    expect((await askOnce()).json.result).toEqual({ ok: true });
  });
});

describe('an upstream that refuses or fails', () => {
  const OWN_WORDS = 'Numbers only, please (limit)';

  it.each([400, 404, 422])('U7 %i keeps its status and its short message', async (status) => {
    Object.assign(gateway.upstream.faults, { status, message: OWN_WORDS });
    const answer = await askOnce();
    const message = `The upstream says: ${OWN_WORDS}`;
    expect([answer.status, answer.json]).toMatchObject([status, { ok: false, error: 'upstream_rejected', message }]);
    expect(Object.keys(answer.json)).toEqual(['ok', 'error', 'message', 'requestId']);
  });

  it.each([
    ['one of 200 characters is quoted', 'a'.repeat(200), true],
    ['one of 201 characters is not', 'a'.repeat(201), false],
    ['an empty one is not', '', false],
    ['one with a line break is not', 'a\nb', false],
    ['one with a header is not', 'a\r\nSet-Cookie: b=c', false],
    ['one with a terminal escape is not', '\u001b[31mred', false],
    ['one with a right-to-left override is not', 'abc\u202edef', false],
    ['one with a zero byte is not', 'a\0b', false],
  ])('U7 of messages, %s', async (_, message, quoted) => {
    Object.assign(gateway.upstream.faults, { status: 400, message });
    const answer = await askOnce();
    expect(answer.status).toBe(400);
    expect(answer.json.message).toBe(quoted ? `The upstream says: ${message}` : 'The upstream rejected the request.');
  });

  it('U7 quotes nothing from a page', async () => {
    Object.assign(gateway.upstream.faults, { status: 404, message: OWN_WORDS, contentType: 'text/html' });
    const answer = await askOnce();
    expect([answer.status, answer.json.message]).toEqual([404, 'The upstream rejected the request.']);
  });

  it.each([401, 403])('U8 %i is upstream_auth_failed, without details', async (status) => {
    Object.assign(gateway.upstream.faults, { status, message: OWN_WORDS });
    const answer = await askOnce();
    expect(codeOf(answer)).toBe('502 upstream_auth_failed');
    expect(answer.text).not.toContain(OWN_WORDS);
    expect(answer.text.replace(answer.json.requestId ?? '', '')).not.toContain(String(status));
    const line = JSON.parse(gateway.logLines.at(-1) ?? '') as Record<string, unknown>;
    const reason = expect.stringContaining(String(status));
    expect(line).toMatchObject({ level: 50, error: 'upstream_auth_failed', reason });
  });

  it.each([402, 405, 409, 418, 451, 500, 503, 599])('U10 %i is 502 upstream_error without message', async (status) => {
    Object.assign(gateway.upstream.faults, { status, message: OWN_WORDS, retryAfter: '7' });
    const answer = await askOnce();
    expect([answer.status, answer.json.error]).toEqual([502, 'upstream_error']);
    expect(answer.text).not.toContain(OWN_WORDS);
    expect(answer.headers.has('retry-after')).toBe(false);
  });
});

const HEAD = Buffer.from('{"ok":true,"provider":"tokens","surface":"tokens","method":"health","result":');

function expectRelayed({ status, bytes }: Answered, sent: Buffer): void {
  expect(status).toBe(200);
  expect(bytes.subarray(0, HEAD.length).equals(HEAD)).toBe(true);
  expect(bytes.subarray(HEAD.length, -1).equals(sent)).toBe(true);
  expect(bytes.subarray(-1).toString()).toBe('}');
}

async function relay(body: Buffer): Promise<Answered> {
  Object.assign(gateway.upstream.faults, { body, contentType: 'application/json' });
  return new Caller(gateway).ask({ target: HEALTH });
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/** Members with this many different names, of which each but the first two is in an object of its own. */
const members = (names: number): string =>
  `{"a:" : 0, "a\\"" : "b:", "c": [${Array.from({ length: names - 3 }, (_, at) => `{"n${at}"\n: "a"}`)}], "c": 1}`;

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('U6 unusual JSON is relayed byte for byte', () => {
  it.each([
    ['u64', '{"a":18446744073709551615,"b":9007199254740993,"c":-9223372036854775808}'],
    ['numbers that overflow', '[1E400,-1e400,1e-400]'],
    ['minus zero', '[-0,-0.0,0e0]'],
    ['trailing zeros', '[1.10,1.0,100e-2,1E+2]'],
    ['duplicate keys', '{"a":1,"a":2,"a":3}'],
    ['a prototype', '{"__proto__":{"ok":false},"constructor":null}'],
    ['keys of the envelope', '{"ok":false,"result":1,"error":"no"}'],
    ['lone surrogates', '["\\ud800","\\udc00\\ud800"]'],
    ['escapes', '"\\u0041\\/\\b\\f\\n\\r\\t\\"\\\\\\u0000\\u2028"'],
    ['separators that scripts break at', '"\u2028\u2029\u0085"'],
    ['blanks', ' \r\n\t{ "a" : [ 1 , 2 ] }\n\n'],
    ['every script', '"ünï 資産 🦄 עברית"'],
    ['depth 512', nested(512)],
    ['brackets in texts', JSON.stringify(['[{'.repeat(300_000), `"\\${'['.repeat(1_000)}`])],
    ['500,000 lists and objects', `[${'[],{},'.repeat(249_999)}[]]`],
    ['100,000 names', members(100_000)],
    ['many members of few names', `[${'{"a":1,"b":2},'.repeat(150_000)}0]`],
    ['null', 'null'],
    ['a string', '"a"'],
  ])('%s', async (_, text) => {
    const bytes = Buffer.from(text);
    expectRelayed(await relay(bytes), bytes);
  });

  it.each([
    ['a byte that is no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['an overlong form', Buffer.from([0x22, 0xc0, 0xaf, 0x22])],
    ['a surrogate in UTF-8', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['half a character', Buffer.from([0x22, 0xf0, 0x9f, 0xa6])],
    ['UTF-16', Buffer.from('\ufeff{"a":1}', 'utf16le')],
    ['depth without an end', Buffer.from('['.repeat(200_000))],
    ['depth 513', Buffer.from(nested(513))],
    ['depth 513 of objects', Buffer.from(`${'{"a":'.repeat(513)}1${'}'.repeat(513)}`)],
    ['one list more than 500,000', Buffer.from(`[${'[],'.repeat(499_999)}[]]`)],
    ['one name more than 100,000', Buffer.from(members(100_001))],
  ])('but not %s', async (_, bytes) => expectUnusable(await relay(bytes)));
});

it('U6 JSONTestSuite as answers of the upstream: valid JSON is relayed, other text is refused', async () => {
  const files = jsonTestSuite();
  expect(files).toHaveLength(318);
  for (const { name, bytes } of everyThird(files, 1)) {
    if (!name.startsWith('i_')) expect([name, isJson(bytes)]).toEqual([name, name.startsWith('y_')]);
    const answer = await relay(bytes);
    if (isJson(bytes)) expectRelayed(answer, bytes);
    else expectUnusable(answer);
  }
}, 90_000);
