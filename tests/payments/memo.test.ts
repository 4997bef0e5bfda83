import { createHash } from 'node:crypto';
import { NETWORKS, routes, USDC } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Call } from '../../packages/gateway/src/call.ts';
import { loadSodium, nodeCrypto } from '../../packages/gateway/src/gates/crypto.ts';
import {
  Memos,
  type Offer,
  paymentKeyOf,
  requestHashOf,
} from '../../packages/gateway/src/payments/read/requirement.ts';
import { anyText } from '../kit/any-text.ts';
import { samples } from '../kit/rounds.ts';

const NOW = Date.parse('2026-11-20T12:00:00.999Z');
const SECONDS = Math.floor(NOW / 1000);
const SECRETS = ['first secret of thirty-two letters', 'second secret of thirty-two letter'];
const HASH = 'a'.repeat(64);
const REQUIREMENT: Offer = {
  network: NETWORKS.devnet,
  asset: USDC.devnet,
  payTo: 'GyGKxMyg1p9SsHfm15MkNUu1u9TN2JtTspcdmrtGUdse',
  destination: '6ndWAgFxMAVLobD8WrdBj5w41GrDeJYiQX91nNSrwkZp',
  amount: '500',
  feePayer: '9hSR6S7WPtxmTojgo6GG3k4yDPecgJY292j7xrsUGWBu',
};

const memos = new Memos(nodeCrypto, SECRETS.slice(0, 1));

describe('a memo', () => {
  it('is 32 letters of base64url, tells its second, and is never the same', () => {
    const issued = Array.from({ length: 200 }, () => memos.issue(REQUIREMENT, HASH, NOW));
    expect(new Set(issued).size).toBe(200);
    for (const memo of issued) {
      expect(memo).toMatch(/^[A-Za-z0-9_-]{32}$/);
      expect(memos.read(memo, REQUIREMENT, HASH)).toBe(SECONDS);
    }
  });

  it('tells any second', () => {
    const check = (seconds: number) => {
      expect(memos.read(memos.issue(REQUIREMENT, HASH, seconds * 1000 + 999), REQUIREMENT, HASH)).toBe(seconds);
    };
    fc.assert(fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), check));
  });

  it('P3 P15 is of no use with another part of the offer, or for another request', () => {
    const text = fc.string({ maxLength: 12 });
    const amount = fc.nat().map(String);
    const parts = fc.record({ network: text, asset: text, payTo: text, amount, feePayer: text, hash: text });
    type Parts = typeof parts extends fc.Arbitrary<infer T> ? T : never;
    const read = (memo: string, offer: Parts) => memos.read(memo, { ...REQUIREMENT, ...offer }, offer.hash);
    const check = (one: Parts) => {
      const memo = memos.issue({ ...REQUIREMENT, ...one }, one.hash, NOW);
      expect(read(memo, one)).toBe(SECONDS);
      for (const [name, value] of Object.entries(one)) {
        for (const other of [`${value}x`, `0${value}`]) expect(read(memo, { ...one, [name]: other })).toBeUndefined();
      }
    };
    fc.assert(fc.property(parts, check));
  });
});

describe('a foreign memo', () => {
  it('is refused: every character changed', () => {
    const memo = memos.issue(REQUIREMENT, HASH, NOW);
    for (let at = 0; at < memo.length; at++) {
      for (const letter of 'Az09-_') {
        const forged = memo.slice(0, at) + letter + memo.slice(at + 1);
        expect(memos.read(forged, REQUIREMENT, HASH) !== undefined, forged).toBe(forged === memo);
      }
    }
  });

  it('is refused: every length but its own, and what other texts of it decode to', () => {
    const memo = memos.issue(REQUIREMENT, HASH, NOW);
    for (let length = 0; length < memo.length; length++) {
      expect(memos.read(memo.slice(0, length), REQUIREMENT, HASH)).toBeUndefined();
    }
    for (const other of [`${memo}A`, `${memo}=`, `${memo}\n`, ` ${memo}`, `${memo}\0`, memo.replace(/./, '+')]) {
      expect(memos.read(other, REQUIREMENT, HASH)).toBeUndefined();
    }
  });
});

describe('secrets', () => {
  const [first = '', second = ''] = SECRETS;

  it('take turns: the first signs, all verify, and one that is gone does not', () => {
    const before = new Memos(nodeCrypto, [first]);
    const during = new Memos(nodeCrypto, [second, first]);
    const after = new Memos(nodeCrypto, [second]);
    const [old, fresh] = [before.issue(REQUIREMENT, HASH, NOW), during.issue(REQUIREMENT, HASH, NOW)];
    expect([before, during, after].map((each) => each.read(old, REQUIREMENT, HASH))).toEqual([
      SECONDS,
      SECONDS,
      undefined,
    ]);
    expect([before, during, after].map((each) => each.read(fresh, REQUIREMENT, HASH))).toEqual([
      undefined,
      SECONDS,
      SECONDS,
    ]);
  });

  it('are needed', () => {
    expect(() => new Memos(nodeCrypto, []).issue(REQUIREMENT, HASH, NOW)).toThrow();
    expect(new Memos(nodeCrypto, []).read(memos.issue(REQUIREMENT, HASH, NOW), REQUIREMENT, HASH)).toBeUndefined();
  });

  it('give the same memos with libsodium and without', async () => {
    const sodium = await loadSodium();
    if (!sodium) throw new Error('libsodium does not load here');
    const random = (bytes: number) => Buffer.alloc(bytes, 7);
    const check = (secret: string, amount: string, hash: string) => {
      const requirement = { ...REQUIREMENT, amount };
      const [one, other] = [nodeCrypto, sodium].map((each) => new Memos({ ...each, random }, [secret]));
      const memo = one?.issue(requirement, hash, NOW) ?? '';
      expect(other?.issue(requirement, hash, NOW)).toBe(memo);
      expect(other?.read(memo, requirement, hash)).toBe(SECONDS);
    };
    fc.assert(fc.property(anyText({ minLength: 1 }), fc.string(), fc.string(), check));
  });
});

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

  it('is bound to every byte of the body', () => {
    const check = (one: Uint8Array, other: Uint8Array) => {
      expect(post(one) === post(other)).toBe(Buffer.from(one).equals(other));
    };
    fc.assert(fc.property(fc.uint8Array({ maxLength: 2 }), fc.uint8Array({ maxLength: 2 }), check));
    expect(post('{"params":[1]}')).toMatch(/^[0-9a-f]{64}$/);
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

  it('is the same for an empty query as for none, in any spelling of the path, for HEAD, and with a body of a GET', () => {
    const parameters = { wallet: 'x' };
    const call = callOf(wallet, { parameters });
    expect(get(parameters, '')).toBe(get(parameters));
    expect(requestHashOf(callOf(wallet, { parameters, path: '/v1/elsewhere' }))).toBe(get(parameters));
    expect(requestHashOf(callOf(wallet, { parameters, body: Buffer.from('{}') }))).toBe(get(parameters));
    expect(requestHashOf({ ...call, inbound: { ...call.inbound, method: 'HEAD' } })).toBe(get(parameters));
  });

  it('does not let parts run into each other', () => {
    expect(get({ a: '1' }, 'b=2')).not.toBe(get({ a: '1","b=2' }));
    expect(get({}, 'a=1&b=2')).not.toBe(get({}, 'a=1%26b=2'));
    expect(get({}, 'a=1')).not.toBe(get({ a: '1' }));
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
