import { createServer } from 'node:net';
import { challengeIn } from '@asset-gateway/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statusOf as rawStatusOf, sendRaw } from '../kit/raw.ts';
import { startTestGateway, type TestGateway } from '../kit/test-gateway.ts';
import { askWith, costsNothing, HEALTH, overHttp, refusedWith, SEARCH, signInFor, statusOf } from './craft.ts';

const EVIL = 'evil.test';
const PUBLIC_ORIGIN = 'https://gw.example';

let gateway: TestGateway;
let published: TestGateway;
let publishedPort: number;

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });

beforeAll(async () => {
  publishedPort = await freePort();
  gateway = await startTestGateway({}, { windowMs: 3_600_000 });
  published = await startTestGateway({ PORT: String(publishedPort), GATEWAY_BASE_URL: PUBLIC_ORIGIN });
});
afterAll(() => Promise.all([gateway.stop(), published.stop()]));

/** A request as text, with these lines and no others but Connection. */
const request = (line: string, headers: readonly string[]): string =>
  `${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`;

const host = (): string => `Host: 127.0.0.1:${gateway.port}`;
const search = `GET ${SEARCH} HTTP/1.1`;
const bodyOf = (raw: string): { error?: string } => JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4));

async function expectRefused(raw: string, status: number, error: string): Promise<void> {
  const answer = await sendRaw(gateway.port, raw);
  expect([rawStatusOf(answer), bodyOf(answer).error]).toEqual([status, error]);
  expect(answer.toLowerCase()).not.toContain('evil');
}

/** The request with these values of the sign-in header, a line each. */
const withSignIns = (values: readonly string[]): string =>
  request(search, [
    host(),
    ...values.map((value, index) => `${index === 0 ? 'SIGN-IN-WITH-X' : 'sign-in-with-x'}: ${value}`),
  ]);

/** Sends these values, and shows that they bought one answer with one upstream call. */
async function expectOneAnswer(values: readonly string[]): Promise<void> {
  const arrivals = gateway.upstream.arrivals.length;
  expect(rawStatusOf(await sendRaw(gateway.port, withSignIns(values), 5000))).toBe(200);
  expect(gateway.upstream.arrivals.length).toBe(arrivals + 1);
}

const JUNK = 'e30=';

describe('S18 of two sign-in headers the last counts', () => {
  const lastIsGood: [string, (good: string) => string[]][] = [
    ['junk', (good) => [JUNK, good]],
    ['an empty one', (good) => ['', good]],
    ['itself', (good) => [good, good]],
    ['junk in the same line', (good) => [`${JUNK}, ${good}`]],
    ['junk in the same line, without a blank', (good) => [`${JUNK},${good}`]],
    ['junk in the same line, with many blanks', (good) => [`${JUNK},${' \t'.repeat(2000)}${good}`]],
    ['as much junk as may be', (good) => ['A'.repeat(4096), good]],
  ];

  it.each(lastIsGood)('a good one after %s opens the route once', async (_, valuesFor) => {
    const asker = overHttp(gateway);
    const good = await signInFor(asker);
    await expectOneAnswer(valuesFor(good));
    await costsNothing(gateway, asker, () => refusedWith('invalid_siwx_nonce', askWith(asker, good)));
  });

  it('a fresh one after a used one opens the route once', async () => {
    const asker = overHttp(gateway);
    const [used, fresh] = [await signInFor(asker), await signInFor(asker)];
    await expectOneAnswer([used]);
    await expectOneAnswer([used, fresh]);
    for (const values of [
      [used, fresh],
      [fresh, used],
    ]) {
      await costsNothing(gateway, asker, () => expectRefused(withSignIns(values), 402, 'invalid_siwx_nonce'));
    }
  });

  it('of two good ones only the last is burnt', async () => {
    const asker = overHttp(gateway);
    const [first, last] = [await signInFor(asker), await signInFor(asker)];
    await expectOneAnswer([first, last]);
    await costsNothing(gateway, asker, () => refusedWith('invalid_siwx_nonce', askWith(asker, last)));
    expect(await statusOf(askWith(asker, first))).toBe(200);
  });

  const refused: [string, (good: string) => string[]][] = [
    ['junk after it', (good) => [good, JUNK]],
    ['an empty one after it', (good) => [good, '']],
    ['junk after it in the same line', (good) => [`${good},${JUNK}`]],
    ['two before it', (good) => [JUNK, JUNK, good]],
    ['two empty ones before it', (good) => ['', '', good]],
    ['two of itself before it', (good) => [good, good, good]],
    ['two before it in the same line', (good) => [`${JUNK},${JUNK},${good}`]],
    ['a thousand commas before it', (good) => [`${','.repeat(1000)}${good}`]],
    ['more junk before it than may be', (good) => ['A'.repeat(4097), good]],
    ['a blank inside it', (good) => [JUNK, `${good.slice(0, 40)} ${good.slice(40)}`]],
  ];

  it.each(refused)('a good one with %s is refused, and not burnt', async (_, valuesFor) => {
    const asker = overHttp(gateway);
    const good = await signInFor(asker);
    await costsNothing(gateway, asker, () => expectRefused(withSignIns(valuesFor(good)), 402, 'invalid_siwx_header'));
    expect(await statusOf(askWith(asker, good))).toBe(200);
  });
});

describe('S19 a sign-in is taken from its header alone, and not from', () => {
  const places: [string, (good: string) => string][] = [
    ['a header with underscores', (good) => request(search, [host(), `SIGN_IN_WITH_X: ${good}`])],
    ['a cookie', (good) => request(search, [host(), `Cookie: SIGN-IN-WITH-X=${good}`])],
    ['Authorization', (good) => request(search, [host(), `Authorization: SIWX ${good}`])],
    ['a prefixed header', (good) => request(search, [host(), `X-SIGN-IN-WITH-X: ${good}`])],
    ['the query', (good) => request(`GET ${SEARCH}&SIGN-IN-WITH-X=${encodeURIComponent(good)} HTTP/1.1`, [host()])],
    [
      'a trailer',
      (good) => {
        const head = request(search, [host(), 'Transfer-Encoding: chunked', 'Trailer: SIGN-IN-WITH-X']);
        return `${head}0\r\nSIGN-IN-WITH-X: ${good}\r\n\r\n`;
      },
    ],
  ];

  it.each(places)('%s', async (_, requestWith) => {
    const asker = overHttp(gateway);
    const good = await signInFor(asker);
    await costsNothing(gateway, asker, () => expectRefused(requestWith(good), 402, 'sign_in_required'));
    expect(await statusOf(askWith(asker, good))).toBe(200);
  });
});

describe('S20 no client names the origin of the challenge', () => {
  it.each([
    ['Host of another', search, [`Host: ${EVIL}`]],
    ['Host of another with our port', search, [`Host: ${EVIL}:PORT`]],
    ['Host with ours as user', search, [`Host: 127.0.0.1:PORT@${EVIL}`]],
    ['Host that begins with ours', search, [`Host: 127.0.0.1:PORT.${EVIL}`]],
    ['an empty Host', search, ['Host:']],
    ['absolute form', `GET http://${EVIL}${SEARCH} HTTP/1.1`, ['Host: 127.0.0.1:PORT']],
    ['absolute form of ours', `GET http://127.0.0.1:PORT${SEARCH} HTTP/1.1`, ['Host: 127.0.0.1:PORT']],
    ['two slashes', `GET //${EVIL}${SEARCH} HTTP/1.1`, ['Host: 127.0.0.1:PORT']],
    ['a backslash', `GET /\\${EVIL}${HEALTH} HTTP/1.1`, ['Host: 127.0.0.1:PORT']],
    ['no slash', `GET ${EVIL}${HEALTH} HTTP/1.1`, ['Host: 127.0.0.1:PORT']],
    ['dot segments', `GET /${EVIL}/..${HEALTH} HTTP/1.1`, ['Host: 127.0.0.1:PORT']],
    ['two Hosts', search, ['Host: 127.0.0.1:PORT', `Host: ${EVIL}`]],
    ['two Hosts, ours last', search, [`Host: ${EVIL}`, 'Host: 127.0.0.1:PORT']],
  ])('%s: 400', async (_, line, headers) => {
    const raw = request(line, headers).replaceAll('PORT', String(gateway.port));
    await costsNothing(gateway, overHttp(gateway), () => expectRefused(raw, 400, 'bad_request'));
  });

  it.each([
    'X-Forwarded-Host',
    'X-Forwarded-Server',
    'X-Original-Host',
    'X-Host',
    'Origin',
    'Referer',
    'X-Original-URL',
    'X-Rewrite-URL',
  ])('%s is left out of account', async (name) => {
    const raw = request(search, [host(), `${name}: http://${EVIL}`]);
    await costsNothing(gateway, overHttp(gateway), () => expectRefused(raw, 402, 'sign_in_required'));
  });

  it('Forwarded and X-Forwarded-Proto are left out of account', async () => {
    const lines = [`Forwarded: host=${EVIL};proto=https`, 'X-Forwarded-Proto: evil', `X-Forwarded-For: ${EVIL}`];
    await expectRefused(request(search, [host(), ...lines]), 402, 'sign_in_required');
  });

  it('no Host in HTTP/1.0: 400', async () => {
    await expectRefused(request(`GET ${SEARCH} HTTP/1.0`, []), 400, 'bad_request');
  });

  it.each([EVIL, '127.0.0.1', 'gw.example'])(
    'with a public origin set, Host %s: the challenge is for that origin',
    async (name) => {
      const raw = await sendRaw(publishedPort, request(search, [`Host: ${name}`, `X-Forwarded-Host: ${EVIL}`]));
      expect(rawStatusOf(raw)).toBe(402);
      expect(raw).not.toContain('evil');
      const info = challengeIn(bodyOf(raw))?.info;
      expect([info?.domain, info?.uri]).toEqual(['gw.example', `${PUBLIC_ORIGIN}${SEARCH}`]);
      expect(raw).toContain(`realm="${PUBLIC_ORIGIN}"`);
    },
  );

  it.each(['127.0.0.1', 'localhost'])('who dials %s is challenged for that name', async (name) => {
    const asker = overHttp({ url: `http://${name}:${gateway.port}` });
    expect(await statusOf(askWith(asker, await signInFor(asker)))).toBe(200);
  });

  it('a sign-in for one loopback name does not open the other', async () => {
    const [one, other] = [overHttp(gateway), overHttp({ url: `http://localhost:${gateway.port}` })];
    const header = await signInFor(one);
    await costsNothing(gateway, one, async () => expect(await statusOf(askWith(other, header))).toBe(402));
    expect(await statusOf(askWith(one, header))).toBe(200);
  });
});
