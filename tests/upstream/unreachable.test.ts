import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Pool, ResponseHandler } from '../../packages/gateway/src/pool.ts';
import { pauseSeconds } from '../../packages/gateway/src/upstreams/exchange.ts';
import { freePort } from '../http/ports.ts';
import { startTestGateway, type TestGateway, WITHOUT_BREAKER } from '../kit/test-gateway.ts';
import { openDirect } from '../signin/direct-gateway.ts';
import { type Answered, Caller, codeOf, HEALTH, slotFreesIn, slotsLeft, TOKENS } from './caller.ts';
import { plainAnswer, startTrap } from './trap.ts';

let answer = '';
const upstream = await startTrap((socket) => socket.write(answer));
const JSON_TYPE = 'Content-Type: application/json';
const trap = await startTrap((socket) => socket.end(plainAnswer('200 OK', [JSON_TYPE], '"trapped"')));
const gateway = await startTestGateway({ TOKENS_API_BASE_URL: upstream.url }, WITHOUT_BREAKER);

async function ask(target = HEALTH) {
  const before = upstream.heard.length;
  const answered = await new Caller(gateway).ask({ target });
  expect(upstream.heard.length).toBe(before + 1);
  return answered;
}

describe('U11 a redirect is never followed', () => {
  const STATUSES = ['301 Moved', '302 Found', '303 See Other', '307 Temporary', '300 Choices', '304 Same'];
  it.each(STATUSES)('%s', async (status) => {
    const places = [`${trap.url}/v1/health`, `//${trap.url.slice(7)}/`, '/v1/health', 'file:///etc/passwd', ''];
    for (const place of [...places, `${upstream.url}/v1/health`, 'http://169.254.169.254/latest/meta-data/']) {
      answer = plainAnswer(status, [`Location: ${place}`, JSON_TYPE], status.startsWith('304') ? '' : '{}');
      const { status: given, json, text, headers } = await ask();
      expect([given, json.error]).toEqual([502, 'upstream_redirect']);
      expect(headers.has('location')).toBe(false);
      if (place !== '') expect(text).not.toContain(place);
    }
    expect(trap.connections()).toBe(0);
  });
});

describe('U3 invalid HTTP is 502 upstream_invalid_response', () => {
  const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
  it.each([
    ['a bad chunk size', `${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
    ['a chunk without its end', `${head}Transfer-Encoding: chunked\r\n\r\n5\r\n{}xx\r\n\r\n`],
    ['two lengths', `${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
    ['no length that is a number', `${head}Content-Length: two\r\n\r\n{}`],
    ['length and chunks', `${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
    ['an encoding named like a built-in', `${head}Content-Encoding: constructor\r\nContent-Length: 2\r\n\r\n{}`],
    ['another protocol', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['a status that is none', 'HTTP/1.1 abc OK\r\n\r\n'],
  ])('%s', async (_, bytes) => {
    answer = bytes;
    expect(codeOf(await ask())).toBe('502 upstream_invalid_response');
  });
});

describe('U17 response headers of the upstream', () => {
  const fields = [
    ...['Content-Type: application/json; evil', 'Set-Cookie: a=b', 'Access-Control-Allow-Origin: https://evil.test'],
    ...['Replay-Nonce: evil', 'X-Request-Id: evil', 'RateLimit: "upstream";r=9999;t=0', 'PAYMENT-REQUIRED: evil'],
    ...['Cache-Control: public, max-age=9', 'Retry-After: 9', 'X-Evil: a', 'Server: evil'],
  ];

  it.each(['200 OK', '400 Bad', '404 Not\u0001Found', '500 Oops', '401 No'])('are not relayed: %s', async (status) => {
    answer = plainAnswer(status.replace('\u0001', ' '), fields, '{"a":"\\r\\nSet-Cookie: c=d"}');
    const { headers } = await ask();
    expect([...headers.keys()]).not.toContain('set-cookie');
    for (const name of ['x-evil', 'server', 'retry-after', 'payment-required']) expect(headers.has(name)).toBe(false);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect([...headers.values()].join()).not.toMatch(/evil|r=9999/);
  });

  it('cannot split an answer by a bare CR or LF', async () => {
    const split = ['X-A: b\rSet-Cookie: a=b', 'Retry-After: 9\nSet-Cookie: a=b', 'X-A: b\r\n Set-Cookie: folded=1'];
    for (const field of [...split, 'X-A: \0']) {
      answer = plainAnswer('200 OK', [field, JSON_TYPE], '1');
      const { status, headers } = await ask();
      expect([200, 502]).toContain(status);
      expect([...headers.keys()]).not.toContain('set-cookie');
    }
  });
});

describe('U10 an upstream that is not there', () => {
  it.each([
    ['nobody listens', 'http://127.0.0.1:1'],
    ['it speaks no TLS', upstream.url.replace('http:', 'https:')],
  ])('is 502 upstream_unreachable: %s', async (_, url) => {
    const elsewhere = await startTestGateway({ TOKENS_API_BASE_URL: url });
    const answered = await new Caller(elsewhere).ask({ target: HEALTH });
    expect(codeOf(answered)).toBe('502 upstream_unreachable');
    expect(answered.text).not.toMatch(/ECONN|127\.0\.0\.1|SSL|TLS/i);
  });
});

const SHORT = { UPSTREAM_TIMEOUT_MS: '300' };
const silence = await startTrap(() => undefined);
const hasty = await startTestGateway(SHORT, WITHOUT_BREAKER);
const silent = await startTestGateway({ ...SHORT, TOKENS_API_BASE_URL: silence.url });
afterEach(() => hasty.upstream.faults.reset());

it.each([
  ['U1 an upstream that never answers', { hang: true }],
  ['U1 an upstream that answers later than it may', { delayMs: 5_000 }],
  ['U2 an upstream that sends a byte now and then', { drip: 100, body: JSON.stringify('a'.repeat(1_000)) }],
  ['U2 an upstream that drips a compressed body', { drip: 100, encoding: 'gzip' as const }],
])('%s is aborted at the deadline, and called once', async (_, knobs) => {
  Object.assign(hasty.upstream.faults, knobs);
  const before = hasty.upstream.arrivals.length;
  const answer = await new Caller(hasty).ask({ target: HEALTH });
  expect([answer.status, answer.json.error]).toEqual([504, 'upstream_timeout']);
  expect(answer.text).not.toContain('"result"');
  expect(hasty.upstream.arrivals.length).toBe(before + 1);
});

it('U2 a refusal with a slow body keeps its status, without its message', async () => {
  Object.assign(hasty.upstream.faults, { drip: 100, status: 404, message: 'slow words' });
  const { status, json } = await new Caller(hasty).ask({ target: HEALTH });
  expect([status, json.error, json.message]).toEqual([404, 'upstream_rejected', 'The upstream rejected the request.']);
});

it('U1 an aborted call closes its socket and is not sent again', async () => {
  const caller = new Caller(silent);
  for (const round of [1, 2, 3]) {
    expect((await caller.ask({ target: HEALTH })).status).toBe(504);
    while (silence.asked() > 0) await wait(5);
    expect(silence.heard).toHaveLength(round);
  }
});

describe('the slot of a call frees', () => {
  async function expectFreed(seconds: number, knobs: object, variables: object): Promise<void> {
    const fresh = await startTestGateway({ UPSTREAM_TIMEOUT_MS: '900', ...variables });
    Object.assign(fresh.upstream.faults, knobs);
    const freesIn = slotFreesIn(await new Caller(fresh).ask({ target: HEALTH })) ?? 0;
    // The rest of the deadline, and what of a second had begun.
    expect(freesIn).toBeGreaterThanOrEqual(seconds);
    expect(freesIn).toBeLessThanOrEqual(seconds + 1);
  }

  it.each([
    ['U1 a minute after it was answered', {}, 60],
    ['U10 a minute after it was refused', { status: 500 }, 60],
    ['U1 a minute and 5 s after its deadline when it was given up then, for it may be read late', { hang: true }, 65],
    ['U3 a minute and 5 s after its deadline when its connection was lost', { resetConnection: true }, 65],
  ])('%s', (_, knobs, seconds) => expectFreed(seconds, knobs, {}));

  it('U10 a minute after a failed connection', async () => {
    const unused = `http://127.0.0.1:${await freePort()}`;
    await expectFreed(60, {}, { TOKENS_API_BASE_URL: unused });
  });
});

it('U1 a request is not written after its deadline', async () => {
  const pool = new Pool(silence.url, { connections: 1 });
  const [heard, late] = [silence.heard.length, new ResponseHandler(-1, 1024)];
  pool.dispatch({ method: 'GET', path: '/' }, late);
  // Its timer may come before the connection does.
  await expect(late.head).rejects.toThrow(/^(too late to be written|no answer within -1 ms)$/);
  expect([silence.heard.length, late.isWritten]).toEqual([heard, false]);
  late.end();
  const inTime = new ResponseHandler(60_000, 1024);
  inTime.head.catch(() => undefined);
  pool.dispatch({ method: 'GET', path: '/' }, inTime);
  await wait(200);
  expect([silence.heard.length, inTime.isWritten]).toEqual([heard + 1, true]);
  inTime.end();
  await pool.destroy();
});

async function limitedNode(retryAfter: string | undefined): Promise<TestGateway> {
  const gateway = await startTestGateway();
  Object.assign(gateway.upstream.faults, { status: 429, retryAfter, times: 1 });
  return gateway;
}

function secondsOf({ status, json, headers }: Answered): number {
  expect([status, json.error]).toEqual([503, 'upstream_rate_limited']);
  expect(headers.get('retry-after')).toBe(String(json.retryAfterSeconds));
  return json.retryAfterSeconds ?? 0;
}

it.each([
  ['7', 7],
  [undefined, 60],
])('U9 a 429 that asks for %s pauses the upstream for all routes and clients', async (retryAfter, seconds) => {
  const gateway = await limitedNode(retryAfter);
  const first = await new Caller(gateway).ask({ target: HEALTH });
  expect(secondsOf(first)).toBe(seconds);
  for (const target of [HEALTH, `${TOKENS}/assets/solana`, `${TOKENS}/assets/search?q=a`]) {
    const paused = await new Caller(gateway).ask({ target });
    expect(secondsOf(paused)).toBeLessThanOrEqual(seconds);
    expect(slotsLeft(paused)).toBe(slotsLeft(first));
  }
  expect(gateway.upstream.arrivals).toHaveLength(1);
});

it('U9 a sign-in refused during the pause works after it, and the sign-in that caused the pause does not', async () => {
  const gateway = await limitedNode('1');
  const [caller, other] = [new Caller(gateway), new Caller(gateway)];
  const [signIn, waiting] = [await caller.signIn(), await other.signIn()];
  expect(secondsOf(await caller.askWith(signIn, { target: HEALTH }))).toBe(1);
  const seconds = secondsOf(await other.askWith(waiting, { target: HEALTH }));
  expect(gateway.upstream.arrivals).toHaveLength(1);
  await wait(seconds * 1000);
  expect((await other.askWith(waiting, { target: HEALTH })).status).toBe(200);
  const replayed = await caller.askWith(signIn, { target: HEALTH });
  expect([replayed.status, replayed.json.error]).toEqual([402, 'invalid_siwx_nonce']);
  expect(gateway.upstream.arrivals).toHaveLength(2);
});

describe('U9 how long a Retry-After asks to wait', () => {
  const NOW = Date.UTC(2026, 0, 1);
  it.each([
    ['0', 1],
    ['1', 1],
    ['299', 299],
    ['300', 300],
    ['301', 300],
    ['999999999999999999999', 300],
    ['Infinity', 60],
    ['Fri, 31 Dec 2199 23:59:59 GMT', 300],
    ['', 60],
    [undefined, 60],
    ['soon', 60],
    ['Thu, 01 Jan 2026 00:00:30 GMT', 30],
    ['Thu, 01 Jan 2026 01:00:00 GMT', 300],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 1],
  ])('%j: %i s', (retryAfter, seconds) => expect(pauseSeconds(retryAfter, NOW, 60)).toBe(seconds));
});

it.each([true, false])('U9 a pause is stored once, or logged if the store cannot do it (kept: %s)', async (isKept) => {
  const [pauses, failures]: [number[], unknown[]] = [[], []];
  const direct = await openDirect({
    onFailure: (error) => void failures.push(error),
    around(store) {
      const keep = store.pause.bind(store);
      store.pause = async (budget, milliseconds) => {
        pauses.push(milliseconds);
        if (!isKept) throw new Error('the store is down');
        return keep(budget, milliseconds);
      };
      return store;
    },
  });
  Object.assign(direct.upstream.faults, { status: 429, retryAfter: '7', times: 1 });
  const paused = await direct.askFreshly();
  expect([paused.status, paused.headers.get('retry-after'), pauses]).toEqual([503, '7', [7_000]]);
  expect(failures).toEqual(isKept ? [] : [new Error('the store is down')]);
  expect((await direct.askFreshly()).status).toBe(isKept ? 503 : 200);
  expect([pauses, direct.upstream.arrivals.length]).toEqual([[7_000], isKept ? 1 : 2]);
});
