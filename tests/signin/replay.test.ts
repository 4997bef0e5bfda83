import { HEADERS } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { exampleOf, gated } from '../http/targets.ts';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { decodeHeader, encodeHeader } from '../kit/wallet.ts';
import { openSignIn, overHttp, refusedWith, SEARCH, signedPayload, statusOf } from './craft.ts';
import { openDirect } from './direct-gateway.ts';

const AT_ONCE = 200;

const { gateway, asker } = await openSignIn();
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
  ])(
    '%s',
    async (_, requestId) => {
      const left = await asker.budgetLeft();
      const times = isFull ? 1000 : 1;
      for (let round = 0; round < times; round++) await oneOfMany(requestId);
      expect(await asker.budgetLeft()).toBe(left - times - 1);
    },
    1_200_000,
  );
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
    for (const answer of [
      asker.ask(SEARCH),
      asker.askWith(header),
      asker.askWith('e30='),
      asker.ask('/healthz'),
      asker.ask('/nowhere'),
    ]) {
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
