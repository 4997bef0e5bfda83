import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { everyThird } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { jsonTestSuite } from '../signin/vectors.ts';
import { type Ask, Caller, JSON_BODY, refusedForFree, SNAPSHOTS } from '../upstream/caller.ts';

const gateway = await startTestGateway({}, { windowMs: 3_600_000 });

const LIMIT_BYTES = 64 * 1024;
const GOOD = '{"mints":["So11111111111111111111111111111111111111112"]}';

const snapshots = (body: string | Buffer, headers: Readonly<Record<string, string>> = JSON_BODY): Ask => ({
  method: 'POST',
  target: SNAPSHOTS,
  headers,
  body,
});

const vectors = (prefix: string): Ask[] =>
  jsonTestSuite()
    .filter(({ name }) => name.startsWith(prefix))
    .map(({ bytes }) => snapshots(bytes));

const sizeOf = ({ body = '' }: Ask): number => Buffer.from(body).length;

describe('H6 JSONTestSuite as bodies', () => {
  it.each<[string, string, number, readonly string[]]>([
    ['invalid', 'n_', 188, ['400 invalid_json']],
    ['valid', 'y_', 95, ['400 invalid_request']],
    ['undefined', 'i_', 35, ['400 invalid_json', '400 invalid_request']],
  ])('its %s files are refused', { timeout: 90_000 }, async (_, prefix, count, answers) => {
    const asks = vectors(prefix);
    expect(asks).toHaveLength(count);
    await refusedForFree(gateway, everyThird(asks, 2), ({ status, json }, ask) =>
      expect(sizeOf(ask) > LIMIT_BYTES ? ['413 body_too_large'] : answers).toContain(`${status} ${json.error}`),
    );
  });
});

describe('a body', () => {
  const nested = (depth: number): string => `{"mints":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

  it.each([
    ['32 deep', nested(32), 'invalid_request'],
    ['33 deep', nested(33), 'invalid_json'],
    ['10,000 deep', nested(10_000), 'invalid_json'],
    ['of objects 33 deep', `${'{"a":'.repeat(33)}1${'}'.repeat(33)}`, 'invalid_json'],
    ['with a very long number', `{"mints":${'9'.repeat(60_000)}}`, 'invalid_request'],
    ['that is a list', '[]', 'invalid_request'],
    ['with __proto__', '{"__proto__":{"mints":["x"]}}', 'invalid_request'],
    ['that is empty', '', 'invalid_json'],
    ['with a byte order mark', `\ufeff${GOOD}`, 'invalid_json'],
    ['that is no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'invalid_json'],
    ['in UTF-16', Buffer.from(GOOD, 'utf16le'), 'invalid_json'],
    ['in JSON with comments', `/* */${GOOD}`, 'invalid_json'],
    ['after another', `${GOOD}${GOOD}`, 'invalid_json'],
  ])('%s is refused', async (_, body, code) => {
    await refusedForFree(gateway, [snapshots(body)], ({ status, json }) =>
      expect([status, json.error]).toEqual([400, code]),
    );
  });

  it('with a duplicate key reaches the upstream with the value that was validated', async () => {
    const before = gateway.upstream.arrivals.length;
    await new Caller(gateway).ask(snapshots('{"mints":["a"],"mints":["b"]}'));
    expect(gateway.upstream.arrivals.slice(before).map((arrival) => arrival.body)).toEqual(['{"mints":["b"]}']);
  });

  it('may hold brackets in its strings', async () => {
    const body = JSON.stringify({ mints: ['[{'.repeat(40), '\\"[[['.repeat(12)] });
    const before = gateway.upstream.arrivals.length;
    await new Caller(gateway).ask(snapshots(body));
    expect(gateway.upstream.arrivals.slice(before).map((arrival) => arrival.body)).toEqual([body]);
  });

  it.each([
    ['text', { 'Content-Type': 'text/plain' }],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }],
    ['JSON of a kind', { 'Content-Type': 'application/problem+json' }],
    ['two types', { 'Content-Type': 'application/json, text/plain' }],
    ['an empty type', { 'Content-Type': '' }],
    ['JSON in a parameter', { 'Content-Type': 'text/plain; application/json' }],
    ['no type', {}],
    ['gzip', { ...JSON_BODY, 'Content-Encoding': 'gzip' }],
    ['brotli', { ...JSON_BODY, 'Content-Encoding': 'br' }],
    ['two encodings', { ...JSON_BODY, 'Content-Encoding': 'identity, gzip' }],
    ['an unknown encoding', { ...JSON_BODY, 'Content-Encoding': 'aes128gcm' }],
  ])('is not taken as %s', async (_, headers) => {
    const bodies = [GOOD, gzipSync(GOOD), brotliCompressSync(GOOD)];
    await refusedForFree(
      gateway,
      bodies.map((body) => snapshots(body, headers)),
      ({ status, json }) => {
        expect([status, json.error]).toEqual([415, 'unsupported_media_type']);
      },
    );
  });

  it.each([
    ['application/json'],
    ['application/json; charset=utf-8'],
    ['application/json;charset=UTF-8'],
    ['Application/JSON ; charset="utf-8"'],
  ])('is taken as %s', async (type) => {
    const headers = { 'Content-Type': type, 'Content-Encoding': 'identity' };
    expect((await new Caller(gateway).ask(snapshots(GOOD, headers))).status).toBe(200);
  });
});
