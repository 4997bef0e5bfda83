import type { Route } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Input } from '../../packages/gateway/src/call.ts';
import { writeRequest } from '../../packages/gateway/src/upstreams/rest.ts';
import { gated } from '../http/targets.ts';
import { anyText } from '../kit/any-text.ts';
import { samples, shareOf } from '../kit/rounds.ts';
import { standIn } from '../kit/stand-in.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { Caller, refusedForFree, requestOf, send, TOKENS } from './caller.ts';
import { HOSTILE_IDS } from './hostile-ids.ts';

const gateway = await startTestGateway({}, { windowMs: 3_600_000 });

const withId = gated.filter(({ path }) => path.includes(':assetId'));
const TYPES: readonly (string | undefined)[] = ['invalid_request', 'bad_request', 'not_found', 'uri_too_long'];

it('finds the 12 routes with free path values', () => expect(withId).toHaveLength(12));

describe.each(withId.map((route) => [route.path, route] as const))('U15 %s', (path, route) => {
  const ids = shareOf(HOSTILE_IDS, withId.indexOf(route), withId.length);
  const asks = ids.map((id) => ({ target: path.replace(':assetId', id) }));

  it('refuses hostile asset ids without an upstream call', async () => {
    await refusedForFree(gateway, asks, ({ status, json }, { target }) => {
      expect([400, 404, 414], target).toContain(status);
      expect(TYPES, target).toContain(json.error);
    });
  });
});

it('U15 hostile paths are refused without a sign-in too', async () => {
  const before = gateway.upstream.arrivals.length;
  for (const id of HOSTILE_IDS) {
    const { status } = await send(gateway, { target: `${TOKENS}/assets/${id}/variants` });
    expect([400, 402, 404, 414], id).toContain(status);
  }
  expect(gateway.upstream.arrivals.length).toBe(before);
});

it('U15 the upstream gets known paths only', async () => {
  const caller = new Caller(gateway);
  for (const route of gated) await caller.ask(requestOf(route));
  const paths = gateway.upstream.arrivals.map(({ target }) => target.split('?')[0]);
  const known =
    /^\/v1\/(?:health|assets\/(?:search|resolve|curated|market-snapshots|variant-markets|risk-summary|solana(?:\/[a-z-]+)?))$/;
  expect(paths.length).toBeGreaterThan(gated.length);
  for (const path of paths) expect(path).toMatch(known);
  expect(gateway.upstream.arrivals.filter(({ target }) => target.includes('whoami'))).toEqual([]);
});

/** Parts of values that could lead a request elsewhere. */
const HOSTILE = [
  ...String.raw`.. . ../.. ../../whoami %2e%2e ..%2f \..\ //evil.test @evil.test :80 ?x=1 #x ;x http://evil.test/ &x=1 a,b`.split(
    ' ',
  ),
  ...['', ' ', '\r\nHost: evil.test', '\0', 'ü', '🦄', '\ud800', '＃', '．．', '。', '\u2215'],
];

const text = fc.oneof(
  fc.constantFrom(...HOSTILE),
  anyText({ maxLength: 40 }),
  fc.array(fc.constantFrom(...HOSTILE), { maxLength: 4 }).map((parts) => parts.join('')),
);
const value = fc.oneof(text, fc.array(text, { maxLength: 4 }), fc.integer());
const values = fc.dictionary(fc.constantFrom('mint', 'limit', 'q', 'mints', 'addresses', 'include'), value);
const anyRoute: fc.Arbitrary<Route> = fc.constantFrom(...gated);
const base = fc.constantFrom(
  'https://api.tokens.test',
  'http://127.0.0.1:8080',
  'https://api.tokens.test:8443/deep/base/',
);

const written = fc.record({ route: anyRoute, base, path: fc.record({ assetId: text }), query: values, body: values });

type Written = typeof written extends fc.Arbitrary<infer Value> ? Value : never;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** A dot segment or a lone surrogate, for which no safe request exists. */
const isUnwritable = ({ route, path, query }: Written): boolean =>
  (route.path.includes(':') && ['.', '..'].includes(path.assetId)) ||
  [path.assetId, ...Object.values(query).flat()].some((part) => LONE_SURROGATE.test(String(part)));

it('U12 for any value, the request goes to the configured origin, below the path of its row', () => {
  const property = fc.property(written, (given) => {
    const root = new URL(given.base);
    const input = standIn<Input>({ path: given.path, query: given.query, body: given.body });
    let request: ReturnType<typeof writeRequest>;
    try {
      request = writeRequest(given.route, input, root);
    } catch {
      expect(isUnwritable(given)).toBe(true);
      return;
    }
    const url = new URL(request.path, root);
    const template = root.pathname.replace(/\/$/, '') + given.route.upstream.path;
    expect(url.origin).toBe(root.origin);
    expect(url.pathname).toBe(request.path.split('?')[0]);
    expect(url.pathname.startsWith(template.split(':')[0] ?? '')).toBe(true);
    expect(url.pathname.split('/')).toHaveLength(template.split('/').length);
    expect(request.path).toMatch(/^[\x21-\x7e]+$/);
    expect(request.method).toBe(given.route.httpMethod);
    expect(url.hash).toBe('');
  });
  fc.assert(property, { numRuns: samples(10_000) });
});
