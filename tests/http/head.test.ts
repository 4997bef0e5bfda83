import { describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { signedHeader } from '../kit/wallet.ts';
import { faultsOf } from './error-table.ts';
import { gated, gets, targetOf } from './targets.ts';
import { seen, type WireAnswer } from './wire.ts';

const gateway = await stopAfterTests(startTestGateway({ TOKENS_RATE_LIMIT_PER_MINUTE: '500' }, { paid: true }));

const ask = async (method: string, target: string, header?: string): Promise<WireAnswer> =>
  seen(await fetch(gateway.url + target, { method, ...(header && { headers: { 'SIGN-IN-WITH-X': header } }) }));

/** Set by the client, which closes after a HEAD. */
const ABOUT_CONNECTION = ['connection', 'keep-alive'];
const namesOf = ({ headers }: WireAnswer): string[] =>
  Object.keys(headers)
    .filter((name) => !ABOUT_CONNECTION.includes(name))
    .sort();
const left = ({ headers }: WireAnswer): number => Number(/r=(\d+)/.exec(headers.ratelimit ?? '')?.[1]);

const all = gets.map((route) => [route.id, targetOf(route)] as const);
const behindSignIn = gated
  .filter(({ httpMethod }) => httpMethod === 'GET')
  .map((route) => [route.id, targetOf(route)] as const);

describe('H17 HEAD', () => {
  it.each(all)('on %s without a sign-in answers like GET, without the body', async (_, target) => {
    const get = await ask('GET', target);
    const head = await ask('HEAD', target);
    expect(head.status).toBe(get.status);
    expect(head.body).toBe('');
    expect(namesOf(head)).toEqual(namesOf(get));
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(faultsOf(head, 'HEAD')).toEqual([]);
    expect(gateway.upstream.arrivals).toEqual([]);
  });
});

describe('H17 signed HEAD', () => {
  it.each(behindSignIn)('on %s takes one upstream call and one slot, like GET', async (_, target) => {
    const before = gateway.upstream.arrivals.length;
    const get = await ask('GET', target, await signedHeader(gateway.url + target));
    const headHeader = await signedHeader(gateway.url + target);
    const head = await ask('HEAD', target, headHeader);
    expect([get.status, head.status]).toEqual([200, 200]);
    expect(head.body).toBe('');
    expect(namesOf(head)).toEqual(namesOf(get));
    expect(left(head)).toBe(left(get) - 1);
    expect(faultsOf(head, 'HEAD')).toEqual([]);
    const targets = gateway.upstream.arrivals.slice(before).map(({ method, target: asked }) => `${method} ${asked}`);
    expect(targets).toHaveLength(2);
    expect(targets[1]).toBe(targets[0]);
    expect((await ask('GET', target, headHeader)).status).toBe(402);
    expect(gateway.upstream.arrivals.length).toBe(before + 2);
  });

  it('is refused like GET: invalid parameters, an invalid header', async () => {
    const [, target = ''] = behindSignIn.find(([id]) => id === 'tokens.search') ?? [];
    const before = gateway.upstream.arrivals.length;
    const broken = `${target}&limit=51`;
    const get = await ask('GET', broken, await signedHeader(gateway.url + broken));
    const head = await ask('HEAD', broken, await signedHeader(gateway.url + broken));
    expect([get.status, head.status]).toEqual([400, 400]);
    expect(namesOf(head)).toEqual(namesOf(get));
    expect((await ask('HEAD', target, 'x')).status).toBe(402);
    expect(gateway.upstream.arrivals.length).toBe(before);
  });
});
