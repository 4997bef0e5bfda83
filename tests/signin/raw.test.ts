import { describe, expect, it } from 'vitest';
import { statusOf as rawStatusOf, sendRaw } from '../kit/raw.ts';
import { askWith, costsNothing, openSignIn, refusedWith, SEARCH, signInFor, statusOf } from './craft.ts';

const { gateway, asker } = await openSignIn();

/** A request of these lines and Connection. */
const request = (line: string, headers: readonly string[]): string =>
  `${[line, ...headers, 'Connection: close'].join('\r\n')}\r\n\r\n`;

const host = (): string => `Host: 127.0.0.1:${gateway.port}`;
const search = `GET ${SEARCH} HTTP/1.1`;
const bodyOf = (raw: string): { error?: string } => JSON.parse(raw.slice(raw.indexOf('\r\n\r\n') + 4));

async function expectRefused(raw: string, status: number, error: string): Promise<void> {
  const answer = await sendRaw(gateway.port, raw);
  expect([rawStatusOf(answer), bodyOf(answer).error]).toEqual([status, error]);
}

/** A request with one sign-in header line for each value. */
const withSignIns = (values: readonly string[]): string =>
  request(search, [
    host(),
    ...values.map((value, index) => `${index === 0 ? 'SIGN-IN-WITH-X' : 'sign-in-with-x'}: ${value}`),
  ]);

/** Expects one answer for one upstream call. */
async function expectOneAnswer(values: readonly string[]): Promise<void> {
  const arrivals = gateway.upstream.arrivals.length;
  expect(rawStatusOf(await sendRaw(gateway.port, withSignIns(values), 5000))).toBe(200);
  expect(gateway.upstream.arrivals.length).toBe(arrivals + 1);
}

const JUNK = 'e30=';

describe('S18 several sign-in headers: the last of two counts', () => {
  const lastIsGood: [string, (good: string) => string[]][] = [
    ['junk', (good) => [JUNK, good]],
    ['an empty one', (good) => ['', good]],
    ['itself', (good) => [good, good]],
    ['junk in the same line', (good) => [`${JUNK}, ${good}`]],
    ['junk in the same line, without a blank', (good) => [`${JUNK},${good}`]],
    ['junk in the same line, with many blanks', (good) => [`${JUNK},${' \t'.repeat(2000)}${good}`]],
    ['4,096 characters of junk', (good) => ['A'.repeat(4096), good]],
  ];

  it.each(lastIsGood)('a good one after %s: answered once', async (_, valuesFor) => {
    const good = await signInFor(asker);
    await expectOneAnswer(valuesFor(good));
    await costsNothing(gateway, asker, () => refusedWith('invalid_siwx_nonce', askWith(asker, good)));
  });

  it('a fresh one after a used one: answered once', async () => {
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

  it('two good ones: only the last is used up', async () => {
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
    ['4,097 characters of junk before it', (good) => ['A'.repeat(4097), good]],
    ['a blank inside it', (good) => [JUNK, `${good.slice(0, 40)} ${good.slice(40)}`]],
  ];

  it.each(refused)('a good one with %s: refused, and not used up', async (_, valuesFor) => {
    const good = await signInFor(asker);
    await costsNothing(gateway, asker, () => expectRefused(withSignIns(valuesFor(good)), 402, 'invalid_siwx_header'));
    expect(await statusOf(askWith(asker, good))).toBe(200);
  });
});

describe('S19 a sign-in outside its header is ignored', () => {
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
    const good = await signInFor(asker);
    await costsNothing(gateway, asker, () => expectRefused(requestWith(good), 402, 'sign_in_required'));
    expect(await statusOf(askWith(asker, good))).toBe(200);
  });
});
