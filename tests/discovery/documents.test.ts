import { siwxMessageText } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { expectInTable, expectRefusal } from '../http/error-table.ts';
import { freePort } from '../http/ports.ts';
import { askOne, seen, type WireAnswer, wireRequest } from '../http/wire.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { challengeFor } from '../kit/wallet.ts';
import { served, startEverything } from './everything.ts';

const ORIGIN = 'https://gateway.example';
const DOCUMENTS = ['/v1/catalog', '/v1/catalog?provider=helius', '/openapi.json', '/.well-known/x402', '/llms.txt'];
/** Documents that name the origin. */
const AT_ORIGIN = ['/openapi.json', '/.well-known/x402', '/llms.txt'];

const gateway = await startEverything();
const configuredPort = await freePort();
await startTestGateway({ GATEWAY_BASE_URL: ORIGIN, PORT: String(configuredPort) });

const ask = async (target: string, headers: Record<string, string> = {}, method = 'GET'): Promise<WireAnswer> =>
  seen(await fetch(gateway.url + target, { method, headers }));

const askAs = (port: number, host: string, target: string): Promise<WireAnswer | undefined> =>
  askOne(port, wireRequest('GET', target, [`Host: ${host}`]));

describe.each(DOCUMENTS)('%s', (target) => {
  it('is cacheable for a minute, with a strong ETag that stays the same', async () => {
    const answer = await ask(target);
    expect(answer.status).toBe(200);
    expect(answer.headers.etag).toMatch(/^"[\w-]{22}"$/);
    expect(answer.headers['cache-control']).toBe('public, max-age=60');
    expect(answer.headers['content-type']).toBe(
      target === '/llms.txt' ? 'text/plain; charset=utf-8' : 'application/json',
    );
    expectInTable(answer);
    const again = await ask(target);
    expect([again.body, again.headers.etag]).toEqual([answer.body, answer.headers.etag]);
  });

  it.each(['GET', 'HEAD'])('is a 304 without a body by %s for its tag', async (method) => {
    const { etag = '' } = (await ask(target)).headers;
    const answer = await ask(target, { 'If-None-Match': etag }, method);
    expect([answer.status, answer.body, answer.headers.etag]).toEqual([304, '', etag]);
    expect(answer.headers['cache-control']).toBe('public, max-age=60');
    expect(answer.headers['content-type']).toBeUndefined();
    expectInTable(answer, method);
  });
});

describe('a condition', () => {
  it.each<[status: number, condition: string, conditionOf: (tag: string) => string]>([
    [304, 'its tag, compared weakly', (tag) => `W/${tag}`],
    [304, 'a list with its tag', (tag) => `"a", W/"b,c" ,${tag}, "d"`],
    [304, 'any tag', () => '*'],
    [200, 'another tag', () => '"another"'],
    [200, 'a list of others', () => '"a", "b"'],
    [200, 'a part of its tag', (tag) => `"${tag.slice(2)}`],
    [200, 'how its tag begins', (tag) => `${tag.slice(0, -3)}"`],
    [200, 'its tag and more', (tag) => `${tag.slice(0, -1)}x"`],
    [200, 'its tag without the quotation marks', (tag) => tag.slice(1, -1)],
    [200, 'an empty condition', () => ''],
    [200, 'a star among tags', () => '"a", *'],
  ])('is answered with %i for %s', async (status, _, conditionOf) => {
    const whole = await ask('/llms.txt');
    const answer = await ask('/llms.txt', { 'If-None-Match': conditionOf(whole.headers.etag ?? '') });
    expect([answer.status, answer.body]).toEqual([status, status === 304 ? '' : whole.body]);
  });
});

describe('a document', () => {
  it('with another filter has another ETag', async () => {
    const tags = await Promise.all(DOCUMENTS.map(async (target) => (await ask(target)).headers.etag));
    expect(new Set(tags).size).toBe(DOCUMENTS.length);
  });

  it('that is refused is not cacheable', async () => {
    for (const [target, refusal] of [
      ['/v1/catalog?provider=x', '400 invalid_provider_filter'],
      ['/llms.txt?x=1', '400 invalid_request'],
    ] as const) {
      const answer = await ask(target, { 'If-None-Match': '*' });
      expectRefusal(answer, refusal);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it('is the only answer with an ETag', async () => {
    const liveness = await ask('/healthz', { 'If-None-Match': '*' });
    expect([liveness.status, liveness.headers.etag]).toEqual([200, undefined]);
    expect((await ask('/v1/x402/tokens/health', { 'If-None-Match': '*' })).status).toBe(402);
  });

  it.each(AT_ORIGIN)('%s names the requested origin', async (target) => {
    for (const name of ['localhost', '127.0.0.1', '[::1]']) {
      const answer = await askAs(gateway.port, `${name}:${gateway.port}`, target);
      const origins = new Set(answer?.body.match(/https?:\/\/[^/"\s)]+:\d+/g));
      expect([...origins]).toEqual([`http://${name}:${gateway.port}`]);
    }
  });

  it.each(AT_ORIGIN)('%s names no forged origin', async (target) => {
    expectRefusal(await askAs(gateway.port, 'evil.example', target), '400 bad_request');
    const answer = await askAs(configuredPort, 'evil.example', target);
    expect(answer?.status).toBe(200);
    expect(answer?.body).toContain(ORIGIN);
    expect(answer?.body).not.toContain('evil');
    expect(answer?.body).not.toContain('127.0.0.1');
  });

  it('holds no secret', async () => {
    for (const target of DOCUMENTS) expect((await ask(target)).body).not.toContain('CANARY');
  });
});

describe('/.well-known/x402', () => {
  it('is short and links to the other documents', async () => {
    const { body } = await ask('/.well-known/x402');
    expect(body.length).toBeLessThan(8192);
    const { version, openapi, catalog, llms } = JSON.parse(body);
    expect(version).toBe(1);
    for (const url of [openapi, catalog, llms]) expect((await fetch(url)).status).toBe(200);
  });
});

describe('/llms.txt', () => {
  it('has the form of llmstxt.org: a title, a summary, and sections of links', async () => {
    const { body } = await ask('/llms.txt');
    const lines = body.split('\n');
    expect([lines[0], lines[1], lines[2]?.slice(0, 2)]).toEqual(['# asset-gateway', '', '> ']);
    expect(lines.filter((line) => line.startsWith('## '))).toEqual([
      '## Documents',
      ...[...new Set(served.map(({ surface }) => `## ${surface}`))],
    ]);
    expect(body.length).toBeLessThan(16_384);
    expect(body).toContain('\n- The 402 is of x402 version 2');
  });
});

describe('the set-up of official clients', () => {
  const SIGN_IN = /wrapFetchWithPayment .*createSIWxClientHook .*2\.4 or later.*wrapFetchWithSIWx does not/s;
  const PURCHASE = /wrapFetchWithPayment .*ExactSvmScheme .*2\.10 or later/s;

  it.each(['/llms.txt', '/openapi.json'])('is in %s, for the served routes', async (target) => {
    const { body } = await ask(target);
    expect(body).toMatch(SIGN_IN);
    expect(body).toMatch(PURCHASE);
    const { body: free = '' } = (await askAs(configuredPort, 'any', target)) ?? {};
    expect(free).toMatch(SIGN_IN);
    expect(free).not.toMatch(PURCHASE);
  });

  it('comes with the text to sign, which a challenge fills', async () => {
    const { body } = await ask('/llms.txt');
    const [, layout = ''] = body.split(/```(?:text)?\n/);
    const { info, supportedChains } = await challengeFor(`${gateway.url}/v1/x402/tokens/health`);
    const message = { ...info, address: 'a wallet', chainId: supportedChains[0]?.chainId ?? '' };
    const values = { ...message, 'address of the wallet': 'a wallet' } as Readonly<Record<string, string>>;
    const [, reference = ''] = message.chainId.split(':');
    const filled = layout.replace('<chainId without its namespace>', reference);
    expect(filled.replace(/<([^>]+)>/g, (_, name: string) => values[name] ?? name)).toBe(
      `${siwxMessageText(message)}\n`,
    );
  });
});
