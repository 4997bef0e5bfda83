import { HEADERS } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { expectRefusal } from '../http/error-table.ts';
import { exampleOf, gated } from '../http/targets.ts';
import { askFor, askOne, requestTo, type WireRequest, wireRequest, writeAndRead } from '../http/wire.ts';
import { isFull, rounds } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { decodeHeader, encodeHeader, newSigner } from '../kit/wallet.ts';
import { openSignIn, overHttp, refusedWith, statusOf } from './craft.ts';
import { openDirect } from './direct-gateway.ts';
import { HEALTH, SEARCH, signedPayload } from './payload.ts';

const { gateway, asker } = await openSignIn();

/** Asks with one sign-in header line for each value. */
const askSignedBy = (values: readonly string[]) => {
  const lines = values.map((value, index) => `${index === 0 ? 'SIGN-IN-WITH-X' : 'sign-in-with-x'}: ${value}`);
  return askFor(gateway.port, 'GET', SEARCH, ...lines);
};

/** Expects one answer for one upstream call. */
async function expectOneAnswer(values: readonly string[]): Promise<void> {
  const arrivals = gateway.upstream.arrivals.length;
  expect((await askSignedBy(values))?.status).toBe(200);
  expect(gateway.upstream.arrivals.length).toBe(arrivals + 1);
}

const expectRefused = (values: readonly string[], refusal: string): Promise<void> =>
  asker.costsNothing(async () => expectRefusal(await askSignedBy(values), refusal));

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
    const good = await asker.signIn();
    await expectOneAnswer(valuesFor(good));
    await asker.costsNothing(() => refusedWith('invalid_siwx_nonce', asker.askWith(good)));
  });

  it('a fresh one after a used one: answered once', async () => {
    const [used, fresh] = [await asker.signIn(), await asker.signIn()];
    await expectOneAnswer([used]);
    await expectOneAnswer([used, fresh]);
    await expectRefused([used, fresh], '402 invalid_siwx_nonce');
    await expectRefused([fresh, used], '402 invalid_siwx_nonce');
  });

  it('two good ones: only the last is used up', async () => {
    const [first, last] = [await asker.signIn(), await asker.signIn()];
    await expectOneAnswer([first, last]);
    await asker.costsNothing(() => refusedWith('invalid_siwx_nonce', asker.askWith(last)));
    expect(await statusOf(asker.askWith(first))).toBe(200);
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
    const good = await asker.signIn();
    await expectRefused(valuesFor(good), '402 invalid_siwx_header');
    expect(await statusOf(asker.askWith(good))).toBe(200);
  });
});

describe('S19 a sign-in outside its header is ignored', () => {
  const from = (path: string, ...lines: readonly string[]) => requestTo(gateway.port, 'GET', path, ...lines);
  const chunked = [`Host: 127.0.0.1:${gateway.port}`, 'Transfer-Encoding: chunked', 'Trailer: SIGN-IN-WITH-X'];
  const places: [string, (good: string) => WireRequest][] = [
    ['a header with underscores', (good) => from(SEARCH, `SIGN_IN_WITH_X: ${good}`)],
    ['a cookie', (good) => from(SEARCH, `Cookie: SIGN-IN-WITH-X=${good}`)],
    ['Authorization', (good) => from(SEARCH, `Authorization: SIWX ${good}`)],
    ['a prefixed header', (good) => from(SEARCH, `X-SIGN-IN-WITH-X: ${good}`)],
    ['the query', (good) => from(`${SEARCH}&SIGN-IN-WITH-X=${encodeURIComponent(good)}`)],
    ['a trailer', (good) => wireRequest('GET', SEARCH, chunked, `0\r\nSIGN-IN-WITH-X: ${good}\r\n\r\n`)],
  ];

  it.each(places)('%s', async (_, requestWith) => {
    const good = await asker.signIn();
    const asked = () => askOne(gateway.port, requestWith(good));
    await asker.costsNothing(async () => expectRefusal(await asked(), '402 sign_in_required'));
    expect(await statusOf(asker.askWith(good))).toBe(200);
  });
});

describe('S23 a flood of well-formed headers with wrong signatures', () => {
  it('does not lock out good clients', async () => {
    const genuine = await signedPayload(await asker.challenge());
    const forged = encodeHeader({ ...genuine, address: newSigner().address });
    const flood = Array.from({ length: 10 }, async () => {
      for (let round = 0; round < rounds(100) * 10; round++) {
        await refusedWith('invalid_siwx_signature', asker.askWith(forged));
      }
    });
    for (let round = 0; round < 5; round++) expect(await statusOf(asker.askFreshly())).toBe(200);
    await Promise.all(flood);
    expect(await statusOf(asker.askWith(encodeHeader(genuine)))).toBe(200);
  }, 300_000);
});

const HOSTILE = 'a\r\n{"level":30,"forged":true}\u001b[31m\u2028';
const MAX_LINE = 1500;

/** Requests with line breaks, escapes and long texts in every place. */
async function sendHostile(): Promise<void> {
  const genuine = await signedPayload(await asker.challenge());
  for (const field of Object.keys(genuine))
    for (const value of [HOSTILE, 'x'.repeat(900)])
      await statusOf(asker.askWith(encodeHeader({ ...genuine, [field]: value })));
  const head = `Host: 127.0.0.1:${gateway.port}\r\nConnection: close`;
  await writeAndRead(gateway.port, `GET /\u001b[31m\u0007${'p'.repeat(3000)} HTTP/1.1\r\n${head}\r\n\r\n`);
  await writeAndRead(gateway.port, `GET /${'p'.repeat(7000)} HTTP/1.1\r\n${head}\r\n\r\n`);
  const headers = [`User-Agent: \u001b[31m${'u'.repeat(3000)}`, `X-Request-Id: ${'i'.repeat(65)}`];
  const lines = [head, ...headers, 'X-Forwarded-For: evil\u0007\r\n\r\n'].join('\r\n');
  await writeAndRead(gateway.port, `GET ${HEALTH} HTTP/1.1\r\n${lines}`);
  await statusOf(asker.ask(`/v1/x402/tokens/assets/%0d%0a%1b[31m?q=${'q'.repeat(3000)}`));
  await statusOf(asker.askFreshly(`${SEARCH}&${encodeURIComponent(HOSTILE)}=1`));
}

describe('S24 the log', () => {
  it('has one JSON object of bounded length a line, and no forged line', async () => {
    const before = gateway.logLines.length;
    await sendHostile();
    const lines = gateway.logLines.slice(before);
    expect(lines.length).toBeGreaterThan(20);
    for (const line of lines) {
      expect(line.endsWith('\n')).toBe(true);
      expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
      expect(JSON.parse(line)).toMatchObject({ msg: 'request', requestId: expect.stringMatching(/^[\w.-]{1,64}$/) });
      expect(line.length).toBeLessThan(MAX_LINE);
      expect(line).not.toContain('"forged":true');
    }
  });

  it('shows no signature, no nonce and no header', async () => {
    const header = await asker.signIn();
    const { signature, nonce } = decodeHeader(header);
    const good = await asker.askWith(header);
    const replayNonce = good.headers.get('replay-nonce') ?? '';
    expect(await statusOf(good)).toBe(200);
    await refusedWith('invalid_siwx_nonce', asker.askWith(header));
    await refusedWith('invalid_siwx_uri_mismatch', asker.askWith(header, HEALTH));
    const { info } = await refusedWith('invalid_siwx_header', asker.askWith(`${header}!`));
    const log = gateway.logLines.join('');
    expect(log).toContain(String(decodeHeader(header).address));
    for (const secret of [signature, nonce, replayNonce, info.nonce, header]) expect(log).not.toContain(String(secret));
  });
});

describe('S26 a header at a route of another kind', () => {
  const PUBLIC = ['/healthz', '/v1/catalog', '/v1/catalog?provider=tokens'];
  it.each(PUBLIC)('%s ignores a sign-in and does not use it up', async (target) => {
    const header = await asker.signIn(SEARCH, { uri: gateway.url });
    const plain = await (await asker.ask(target)).text();
    for (const value of [header, 'not a sign-in', '', 'A'.repeat(8000)]) {
      const answer = await asker.ask(target, { 'SIGN-IN-WITH-X': value });
      expect([answer.status, await answer.text()]).toEqual([200, plain]);
      for (const name of ['replay-nonce', 'ratelimit', 'payment-required']) expect(answer.headers.get(name)).toBeNull();
    }
    expect(await statusOf(asker.askWith(header))).toBe(200);
  });

  const payment = encodeHeader({ x402Version: 2, scheme: 'exact', payload: { transaction: 'AQ==' } });

  it.each(['PAYMENT-SIGNATURE', 'X-PAYMENT'])('%s neither opens a sign-in route nor blocks a sign-in', async (name) => {
    for (const value of [payment, 'junk', '']) {
      await asker.costsNothing(() => refusedWith('sign_in_required', asker.ask(SEARCH, { [name]: value })));
      const header = await asker.signIn();
      const answer = await asker.ask(SEARCH, { [name]: value, 'SIGN-IN-WITH-X': header });
      expect(answer.headers.get('payment-response') ?? answer.headers.get('x-payment-response')).toBeNull();
      expect(await statusOf(answer)).toBe(200);
    }
  });
});

const AT_ONCE = 200;

const direct = await openDirect();

async function oneOfMany(requestId: string | undefined): Promise<void> {
  const header = await asker.signIn();
  const arrivals = gateway.upstream.arrivals.length;
  const headers = { [HEADERS.signIn]: header, ...(requestId && { 'X-Request-Id': requestId }) };
  const answers = await Promise.all(Array.from({ length: AT_ONCE }, () => asker.ask(SEARCH, headers)));
  const good = answers.filter(({ status }) => status === 200);
  expect(good).toHaveLength(1);
  await good[0]?.arrayBuffer();
  const refused = answers.filter((answer) => answer !== good[0]);
  const challenges = await Promise.all(refused.map((answer) => refusedWith('invalid_siwx_nonce', answer)));
  expect(new Set(challenges.map(({ info }) => info.nonce)).size).toBe(AT_ONCE - 1);
  expect(gateway.upstream.arrivals.length).toBe(arrivals + 1);
}

describe('S1 one header sent 200 times at once is answered once', () => {
  it.each([
    ['with a request id each', undefined],
    ['with one request id', 'the-same-id'],
  ])('%s', { timeout: 1_200_000 }, async (_, requestId) => {
    const left = await asker.budgetLeft();
    const times = isFull ? 1000 : 1;
    for (let round = 0; round < times; round++) await oneOfMany(requestId);
    expect(await asker.budgetLeft()).toBe(left - times - 1);
  });
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const members = (payload: object): string[] =>
  Object.entries(payload).map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value)}`);
const escaped = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`);

/** Spellings of one signed payload. */
const SPELLINGS: [string, (payload: Record<string, unknown>) => string][] = [
  ['as it is', encodeHeader],
  ['without padding', (payload) => encodeHeader(payload).replace(/=+$/, '')],
  ['indented', (payload) => base64(JSON.stringify(payload, null, 2))],
  ['with tabs and CRLF', (payload) => base64(JSON.stringify(payload, null, '\t').replaceAll('\n', '\r\n'))],
  ['space before', (payload) => base64(` ${JSON.stringify(payload)}`)],
  ['space behind', (payload) => base64(`${JSON.stringify(payload)}\n`)],
  ['keys reversed', (payload) => base64(`{${members(payload).reverse().join()}}`)],
  ['with an unknown key', (payload) => encodeHeader({ ...payload, unknown: 1 })],
  ['with a signature scheme', (payload) => encodeHeader({ ...payload, signatureScheme: 'siws' })],
  ['every key twice', (payload) => base64(`{${[...members(payload), ...members(payload)].join()}}`)],
  ['nonce escaped', (p) => base64(JSON.stringify(p).replace(String(p.nonce), escaped(String(p.nonce))))],
  ['keys escaped', (p) => base64(JSON.stringify(p).replace('"nonce"', `"${escaped('nonce')}"`))],
];

describe('S2 a replay is refused in another spelling', () => {
  it('of 12 spellings, all 132 ordered pairs', async () => {
    expect(SPELLINGS).toHaveLength(12);
    for (const [name, first] of SPELLINGS) {
      const payload = decodeHeader(await direct.signIn());
      expect(await statusOf(direct.askWith(first(payload))), name).toBe(200);
      for (const [other, second] of SPELLINGS)
        if (other !== name) await refusedWith('invalid_siwx_nonce', direct.askWith(second(payload)));
    }
  });
});

describe('Replay-Nonce', () => {
  it('is new on each answer to a good sign-in, and opens the next request', async () => {
    const seen = new Set<string>();
    let header = await asker.signIn();
    for (let round = 0; round < 20; round++) {
      const answer = await asker.askWith(header);
      const nonce = answer.headers.get('replay-nonce') ?? '';
      expect(await statusOf(answer)).toBe(200);
      seen.add(nonce);
      header = await asker.signIn(SEARCH, { nonce });
    }
    expect(seen.size).toBe(20);
  });

  it('is not sent without a good sign-in', async () => {
    const header = await asker.signIn();
    expect(await statusOf(asker.askWith(header))).toBe(200);
    const unsigned = [SEARCH, '/healthz', '/nowhere'].map((target) => asker.ask(target));
    for (const answer of [...unsigned, asker.askWith(header), asker.askWith('e30=')]) {
      expect((await answer).headers.get('replay-nonce')).toBeNull();
      await statusOf(answer);
    }
  });
});

const variables = { SIWX_NONCE: 'until-expiry' };
const lasting = await startTestGateway(variables, { windowMs: 3_600_000 });
const lastingAsker = overHttp(lasting);

describe('until-expiry', () => {
  it('one header works fifty times at once', async () => {
    const header = await lastingAsker.signIn();
    const arrivals = lasting.upstream.arrivals.length;
    const answers = Array.from({ length: 50 }, () => statusOf(lastingAsker.askWith(header)));
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
    expect(lasting.upstream.arrivals.length).toBe(arrivals + 50);
  });

  it('one header works for no other wallet or origin', async () => {
    const payload = await signedPayload(await lastingAsker.challenge());
    const stranger = await signedPayload(await lastingAsker.challenge());
    expect(await statusOf(lastingAsker.askWith(encodeHeader(payload)))).toBe(200);
    await lastingAsker.costsNothing(async () => {
      const swapped = { ...payload, address: stranger.address };
      await refusedWith('invalid_siwx_signature', lastingAsker.askWith(encodeHeader(swapped)));
      const elsewhere = encodeHeader({ ...payload, domain: 'evil.test' });
      await refusedWith('invalid_siwx_domain_mismatch', lastingAsker.askWith(elsewhere));
    });
  });

  it('one signature for the origin, which the challenge asks for, opens every route', async () => {
    const challenge = await (await fetch(`${lasting.url}${SEARCH}`)).json();
    expect(challenge.extensions['sign-in-with-x'].info.uri).toBe(lasting.url);
    expect(challenge.resource.url).toBe(`${lasting.url}${SEARCH}`);
    const header = await lastingAsker.signIn();
    const arrivals = lasting.upstream.arrivals.length;
    for (const row of gated) {
      const { target, init } = exampleOf(row);
      const headers = { ...init.headers, [HEADERS.signIn]: header };
      expect(await statusOf(lastingAsker.ask(target, headers, init)), row.path).toBe(200);
    }
    expect(lasting.upstream.arrivals.length).toBe(arrivals + gated.length);
  });

  it('one header works for 300 s by the clock of the store', async () => {
    const direct = await openDirect({ variables });
    const header = await direct.signIn(SEARCH, { expirationTime: undefined });
    for (const step of [0, 150, 149]) {
      direct.step(step);
      expect(await statusOf(direct.askWith(header))).toBe(200);
    }
    direct.step(2);
    await direct.costsNothing(() => refusedWith('invalid_siwx_expired', direct.askWith(header)));
  });
});
