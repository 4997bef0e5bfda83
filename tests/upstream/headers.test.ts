import { afterEach, describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { CANARY_KEY, startTestGateway } from '../kit/test-gateway.ts';
import { Caller, HEALTH, JSON_BODY, SNAPSHOTS, TOKENS } from './caller.ts';

const gateway = await stopAfterTests(startTestGateway());
afterEach(() => gateway.upstream.faults.reset());

/** Client headers, of which none may reach the upstream. */
const CLIENT_HEADERS = {
  'X-Api-Key': 'mine',
  'x-api-key': 'mine-too',
  Cookie: 'session=mine',
  Authorization: 'Bearer mine',
  'Proxy-Authorization': 'Basic mine',
  Accept: 'text/html',
  'Accept-Encoding': 'zstd, identity;q=0',
  'Accept-Language': 'tlh',
  'User-Agent': 'mine/1.0',
  'X-Request-Id': 'mine',
  'X-Forwarded-For': '6.6.6.6',
  'X-Forwarded-Host': 'mine.test',
  Forwarded: 'for=6.6.6.6',
  Via: '1.1 mine',
  Referer: 'http://mine.test/',
  Origin: 'http://mine.test',
  'If-None-Match': '"mine"',
  Range: 'bytes=0-1',
  TE: 'trailers',
  Expires: 'mine',
  'X-HTTP-Method-Override': 'DELETE',
  'PAYMENT-SIGNATURE': 'mine',
  'X-Mine': 'mine',
};

const CONNECTIONS = [
  'x-api-key, close',
  'close, host',
  'close, content-length',
  'close, accept, accept-encoding',
  'close',
];

const ALWAYS = ['accept', 'accept-encoding', 'connection', 'host', 'x-api-key'];

describe('U14 the upstream gets its own headers and none of the client’s', () => {
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
