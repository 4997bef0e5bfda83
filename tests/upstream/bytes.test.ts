import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { Caller, HEALTH } from './caller.ts';
import type { Answered } from './exchange.ts';

const gateway = await stopAfterTests(startTestGateway({}, WITHOUT_BREAKER));
afterEach(() => gateway.upstream.faults.reset());

const SUITE = join(import.meta.dirname, '../vectors/jsontestsuite/test_parsing');
const vectors = (prefix: string): [string, Buffer][] =>
  readdirSync(SUITE)
    .filter((name) => name.startsWith(prefix))
    .map((name) => [name, readFileSync(join(SUITE, name))]);

const HEAD = Buffer.from('{"ok":true,"provider":"tokens","surface":"tokens","method":"health","result":');

function expectRelayed({ status, bytes }: Answered, sent: Buffer): void {
  expect(status).toBe(200);
  expect(bytes.subarray(0, HEAD.length).equals(HEAD)).toBe(true);
  expect(bytes.subarray(HEAD.length, -1).equals(sent)).toBe(true);
  expect(bytes.subarray(-1).toString()).toBe('}');
}

function expectUnusable({ status, json }: Answered): void {
  expect([status, json.error]).toEqual([502, 'upstream_invalid_response']);
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

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

describe('U6 awkward JSON is passed on byte for byte', () => {
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
    ['depth 10,000', nested(10_000)],
    ['depth 200,000', nested(200_000)],
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
  ])('but not %s', async (_, bytes) => expectUnusable(await relay(bytes)));
});

describe('U6 JSONTestSuite as answers of the upstream', () => {
  it('has its 318 files', () => {
    expect([vectors('y_').length, vectors('n_').length, vectors('i_').length]).toEqual([95, 188, 35]);
  });

  it.each(vectors('y_'))('%s is passed on', async (_, bytes) => expectRelayed(await relay(bytes), bytes));

  it.each(vectors('n_'))('%s is refused', async (_, bytes) => expectUnusable(await relay(bytes)));

  it.each(vectors('i_'))('%s is passed on when it is Unicode that parses', async (_, bytes) => {
    const answer = await relay(bytes);
    if (isJson(bytes)) expectRelayed(answer, bytes);
    else expectUnusable(answer);
  });
});
