import { createHash } from 'node:crypto';
import { routes } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../packages/gateway/src/call.ts';
import { paymentKeyOf, requestHashOf } from '../../packages/gateway/src/payments/read/memo.ts';
import { samples } from '../kit/rounds.ts';

const paid = routes.filter(({ access }) => access === 'exact');
const [rpc, wallet] = [
  paid.find(({ httpMethod }) => httpMethod === 'POST'),
  paid.find(({ httpMethod, path }) => httpMethod === 'GET' && path.includes(':wallet')),
];
if (!rpc || !wallet) throw new Error('no such rows');

/** A call as the pipeline hands it to the gate. */
function callOf(
  route: Call['route'],
  more: Partial<Pick<Call, 'parameters' | 'query' | 'path'>> & { body?: Uint8Array } = {},
): Call {
  const { body = new Uint8Array(), ...rest } = more;
  const inbound = { method: route.httpMethod, target: route.path, headers: {}, hosts: [], port: 1, body, client: '' };
  return { inbound, route, method: route.httpMethod, parameters: {}, path: route.path, query: undefined, ...rest };
}

const post = (body: Uint8Array | string) => requestHashOf(callOf(rpc, { body: Buffer.from(body) }));
const get = (parameters: Record<string, string>, query?: string) =>
  requestHashOf(callOf(wallet, { parameters, query }));

describe('the hash of a request', () => {
  it('differs for every paid route', () => {
    expect(new Set(paid.map((route) => requestHashOf(callOf(route)))).size).toBe(paid.length);
    expect(paid.length).toBeGreaterThan(30);
  });

  it('is of 64 hex digits, and the same for the same request', () => {
    expect(post('{"params":[1]}')).toMatch(/^[0-9a-f]{64}$/);
    expect(post('{"params":[1]}')).toBe(post('{"params":[1]}'));
  });

  it('is bound to every byte of the body', () => {
    const check = (one: Uint8Array, other: Uint8Array) => {
      expect(post(one) === post(other)).toBe(Buffer.from(one).equals(other));
    };
    fc.assert(fc.property(fc.uint8Array(), fc.uint8Array(), check));
    expect(post('{"params":[1]}')).not.toBe(post('{"params": [1]}'));
  });

  it('is bound to the value of every path parameter, and to its name', () => {
    const check = (one: Record<string, string>, other: Record<string, string>) => {
      const same = JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort());
      expect(get(one) === get(other)).toBe(same);
    };
    const values = fc.dictionary(fc.constantFrom('wallet', 'mint', 'a', 'b'), fc.string({ maxLength: 3 }));
    fc.assert(fc.property(values, values, check), { numRuns: samples(300) });
  });

  it('takes path parameters in any order', () => {
    expect(get({ a: '1', b: '2' })).toBe(get({ b: '2', a: '1' }));
    expect(get({ a: '1', b: '2' })).not.toBe(get({ a: '2', b: '1' }));
  });

  const pair = fc
    .tuple(fc.stringMatching(/^[a-z]{1,4}$/), fc.stringMatching(/^[\w%.]{0,4}$/))
    .map((it) => it.join('='));

  it('takes the pairs of the query in any order', () => {
    const shuffles = fc
      .array(pair, { maxLength: 6 })
      .chain((pairs) =>
        fc.tuple(fc.constant(pairs), fc.shuffledSubarray(pairs, { minLength: pairs.length, maxLength: pairs.length })),
      );
    const check = ([pairs, shuffled]: [string[], string[]]) => {
      expect(get({}, shuffled.join('&'))).toBe(get({}, pairs.join('&')));
    };
    fc.assert(fc.property(shuffles, check));
  });

  it('is bound to every pair of the query', () => {
    const pairs = fc.array(pair, { maxLength: 4 });
    const check = (one: string[], other: string[]) => {
      const same = [...one].sort().join('&') === [...other].sort().join('&');
      expect(get({}, one.join('&')) === get({}, other.join('&'))).toBe(same);
    };
    fc.assert(fc.property(pairs, pairs, check), { numRuns: samples(300) });
  });

  it('does not tell an empty query from none, or the path as it was spelled', () => {
    expect(get({ wallet: 'x' }, '')).toBe(get({ wallet: 'x' }));
    const spelled = callOf(wallet, { parameters: { wallet: 'x' }, path: '/v1/elsewhere' });
    expect(requestHashOf(spelled)).toBe(get({ wallet: 'x' }));
  });

  it('does not let parts run into each other', () => {
    expect(get({ a: '1' }, 'b=2')).not.toBe(get({ a: '1","b=2' }));
    expect(get({}, 'a=1&b=2')).not.toBe(get({}, 'a=1%26b=2'));
    expect(get({}, 'a=1')).not.toBe(get({ a: '1' }));
  });

  it('does not look at the body of a GET', () => {
    const parameters = { wallet: 'x' };
    expect(requestHashOf(callOf(wallet, { parameters, body: Buffer.from('{}') }))).toBe(get(parameters));
  });

  it('is the same for HEAD as for GET', () => {
    const call = callOf(wallet, { parameters: { wallet: 'x' } });
    expect(requestHashOf({ ...call, inbound: { ...call.inbound, method: 'HEAD' } })).toBe(get({ wallet: 'x' }));
  });
});

describe('the key of a payment', () => {
  it('is its network and the SHA-256 of its message, and nothing else', () => {
    const check = (network: string, message: Uint8Array) => {
      const hash = createHash('sha256').update(message).digest('hex');
      expect(paymentKeyOf(network, message)).toBe(`${network}:${hash}`);
    };
    fc.assert(fc.property(fc.string(), fc.uint8Array(), check));
  });
});
