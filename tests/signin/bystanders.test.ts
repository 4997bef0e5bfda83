import { describe, expect, it } from 'vitest';
import { sendRaw } from '../kit/raw.ts';
import { rounds } from '../kit/rounds.ts';
import { decodeHeader, encodeHeader, newSigner } from '../kit/wallet.ts';
import {
  askFreshly,
  askWith,
  challengeOf,
  costsNothing,
  HEALTH,
  openSignIn,
  refusedWith,
  SEARCH,
  signedPayload,
  signInFor,
  statusOf,
} from './craft.ts';

const { gateway, asker } = await openSignIn();

describe('S23 a flood of well-formed headers with wrong signatures', () => {
  it('does not lock out good clients', async () => {
    const genuine = await signedPayload(await challengeOf(asker));
    const forged = encodeHeader({ ...genuine, address: newSigner().address });
    const flood = Array.from({ length: 10 }, async () => {
      for (let round = 0; round < rounds(100) * 10; round++) {
        await refusedWith('invalid_siwx_signature', askWith(asker, forged));
      }
    });
    for (let round = 0; round < 5; round++) expect(await statusOf(askFreshly(asker))).toBe(200);
    await Promise.all(flood);
    expect(await statusOf(askWith(asker, encodeHeader(genuine)))).toBe(200);
  }, 300_000);
});

const HOSTILE = 'a\r\n{"level":30,"forged":true}\u001b[31m\u2028';
const MAX_LINE = 1500;

/** Requests with line breaks, escapes and long texts in every place. */
async function sendHostile(): Promise<void> {
  const genuine = await signedPayload(await challengeOf(asker));
  for (const field of Object.keys(genuine))
    await statusOf(askWith(asker, encodeHeader({ ...genuine, [field]: HOSTILE })));
  for (const field of Object.keys(genuine))
    await statusOf(askWith(asker, encodeHeader({ ...genuine, [field]: 'x'.repeat(900) })));
  const head = `Host: 127.0.0.1:${gateway.port}\r\nConnection: close`;
  await sendRaw(gateway.port, `GET /\u001b[31m\u0007${'p'.repeat(3000)} HTTP/1.1\r\n${head}\r\n\r\n`);
  await sendRaw(gateway.port, `GET /${'p'.repeat(7000)} HTTP/1.1\r\n${head}\r\n\r\n`);
  await sendRaw(
    gateway.port,
    `GET ${HEALTH} HTTP/1.1\r\n${head}\r\nUser-Agent: \u001b[31m${'u'.repeat(3000)}\r\nX-Request-Id: ${'i'.repeat(65)}\r\nX-Forwarded-For: evil\u0007\r\n\r\n`,
  );
  await statusOf(asker.ask(`/v1/x402/tokens/assets/%0d%0a%1b[31m?q=${'q'.repeat(3000)}`));
  await statusOf(askFreshly(asker, `${SEARCH}&${encodeURIComponent(HOSTILE)}=1`));
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
    const header = await signInFor(asker);
    const { signature, nonce } = decodeHeader(header);
    const good = await askWith(asker, header);
    const replayNonce = good.headers.get('replay-nonce') ?? '';
    expect(await statusOf(good)).toBe(200);
    await refusedWith('invalid_siwx_nonce', askWith(asker, header));
    await refusedWith('invalid_siwx_uri_mismatch', askWith(asker, header, HEALTH));
    const { info } = await refusedWith('invalid_siwx_header', askWith(asker, `${header}!`));
    const log = gateway.logLines.join('');
    expect(log).toContain(String(decodeHeader(header).address));
    for (const secret of [signature, nonce, replayNonce, info.nonce, header]) expect(log).not.toContain(String(secret));
  });
});

describe('S26 a header at a route of another kind', () => {
  it.each(['/healthz', '/v1/catalog', '/v1/catalog?provider=tokens'])(
    '%s ignores a sign-in and does not use it up',
    async (target) => {
      const header = await signInFor(asker, SEARCH, { uri: gateway.url });
      const plain = await (await asker.ask(target)).text();
      for (const value of [header, 'not a sign-in', '', 'A'.repeat(8000)]) {
        const answer = await asker.ask(target, { 'SIGN-IN-WITH-X': value });
        expect([answer.status, await answer.text()]).toEqual([200, plain]);
        for (const name of ['replay-nonce', 'ratelimit', 'payment-required'])
          expect(answer.headers.get(name)).toBeNull();
      }
      expect(await statusOf(askWith(asker, header))).toBe(200);
    },
  );

  const payment = Buffer.from(
    JSON.stringify({ x402Version: 2, scheme: 'exact', payload: { transaction: 'AQ==' } }),
  ).toString('base64');

  it.each(['PAYMENT-SIGNATURE', 'X-PAYMENT'])('%s neither opens a sign-in route nor blocks a sign-in', async (name) => {
    for (const value of [payment, 'junk', '']) {
      await costsNothing(gateway, asker, () => refusedWith('sign_in_required', asker.ask(SEARCH, { [name]: value })));
      const header = await signInFor(asker);
      const answer = await asker.ask(SEARCH, { [name]: value, 'SIGN-IN-WITH-X': header });
      expect(answer.headers.get('payment-response') ?? answer.headers.get('x-payment-response')).toBeNull();
      expect(await statusOf(answer)).toBe(200);
    }
  });
});
