import { type Route, routes, type Values } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ofEachMethod, rowOf } from '../http/targets.ts';
import { rounds } from '../kit/rounds.ts';
import {
  type Carried,
  carriedBy,
  changedRequestsOf,
  isTaken,
  type Published,
  publishedOf,
  refusalOf,
  requestsOf,
  send,
} from './requests.ts';

/** A longer target is refused on every route, before any row is looked for; so are bodies, which are not measured here. */
const MAX_TARGET_LENGTH = 8192;

const brokenRules = ({ rules }: Route, carried: Carried): string[] =>
  rules.filter(({ in: place, holds }) => !holds(carried[place] as Values)).map(({ name }) => name);

/** Whether the gateway agrees with the published schemas and rules. */
function agrees(route: Route, schemas: Published, carried: Carried): boolean {
  const sent = send(route, carried);
  const refusal = refusalOf(route, sent);
  const read = carriedBy(carried, schemas);
  if (!isTaken(read, schemas)) return refusal !== undefined;
  if (sent.target.length > MAX_TARGET_LENGTH) return refusal === 'uri_too_long';
  const broken = brokenRules(route, read);
  return broken.length === 0 ? refusal === undefined : JSON.stringify(refusal) === JSON.stringify(broken);
}

const rows = ofEachMethod.map((route) => [route.id, route, publishedOf(route)] as const);

const runs = { numRuns: rounds(50) * 25 };

describe.each(rows)('%s', (_, route, schemas) => {
  it('accepts what its schemas and rules accept', () => {
    const property = fc.property(requestsOf(schemas), (carried) => {
      expect(carriedBy(carried, schemas)).toEqual(carried);
      expect(isTaken(carried, schemas)).toBe(true);
      expect(agrees(route, schemas, carried), JSON.stringify(send(route, carried))).toBe(true);
    });
    fc.assert(property, runs);
  });

  it('refuses what its schemas refuse', () => {
    let refused = 0;
    const property = fc.property(changedRequestsOf(schemas, route), (carried) => {
      expect(agrees(route, schemas, carried), JSON.stringify(send(route, carried))).toBe(true);
      if (!isTaken(carriedBy(carried, schemas), schemas)) refused++;
    });
    fc.assert(property, runs);
    expect(refused).toBeGreaterThan(0);
  });
});

const segments = new Set(routes.flatMap(({ path }) => path.split('/')).filter((segment) => /^\w/.test(segment)));
const withId = routes.filter(({ path }) => path.includes(':assetId')).map((route) => [route.id, route] as const);

it.each(withId)('%s takes no asset id that is a fixed route', (_, route) => {
  expect(segments).toContain('market-snapshots');
  for (const assetId of segments) {
    const carried = { path: { assetId }, query: {}, body: {} };
    expect(agrees(route, publishedOf(route), carried), assetId).toBe(true);
  }
});

const search = rowOf('tokens.search');
const snapshots = rowOf('tokens.marketSnapshots');

/** The schemas with one property changed. */
function otherwise(route: Route, place: 'query' | 'body', name: string, change: object): [Route, Published] {
  const schemas = publishedOf(route);
  const properties = { ...schemas[place].properties, [name]: { ...schemas[place].properties?.[name], ...change } };
  return [route, { ...schemas, [place]: { ...schemas[place], properties } }];
}

describe('a published schema that differs from the enforced one is found', () => {
  it.each([
    ['a higher maximum', otherwise(search, 'query', 'limit', { maximum: 51 })],
    ['a lower maximum', otherwise(search, 'query', 'limit', { maximum: 49 })],
    ['no minimum length', otherwise(search, 'query', 'category', { minLength: 0 })],
    ['a greater length', otherwise(search, 'query', 'q', { maxLength: 201, pattern: '^.{0,201}$' })],
    ['another type', otherwise(search, 'query', 'limit', { type: 'string', pattern: '^[0-9]+$' })],
    ['one parameter more', otherwise(search, 'query', 'zz', { type: 'boolean' })],
    ['a longer list', otherwise(snapshots, 'body', 'mints', { maxItems: 251 })],
    ['items of any kind', otherwise(snapshots, 'body', 'mints', { items: { type: 'string', pattern: '^.*$' } })],
  ] as const)('%s', (_, [route, schemas]) => {
    const either = fc.oneof(requestsOf(schemas), changedRequestsOf(schemas, route));
    const agreement = fc.check(
      fc.property(either, (carried) => agrees(route, schemas, carried)),
      { numRuns: 2000, seed: 1, endOnFailure: true },
    );
    expect(agreement.failed).toBe(true);
  });
});
