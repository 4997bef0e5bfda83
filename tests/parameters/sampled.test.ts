import type { Route, Values } from '@asset-gateway/protocol';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import {
  type Carried,
  carriedBy,
  changedRequestsOf,
  isTaken,
  publishedOf,
  requestsOf,
  send,
} from '../describe/requests.ts';
import { gated, pathOf } from '../http/targets.ts';
import { isFull } from '../kit/rounds.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { type Ask, Caller, JSON_BODY, refusedForFree, TOKENS } from '../upstream/caller.ts';

const gateway = await startTestGateway({}, { windowMs: 3_600_000 });
afterEach(() => gateway.upstream.faults.reset());

const askOf = (route: Route, carried: Carried): Ask => {
  const { target, body } = send(route, carried);
  return route.httpMethod === 'GET' ? { target } : { method: 'POST', target, headers: JSON_BODY, body };
};

/** Requests that no limit of their length refuses. */
const sampled = (route: Route, requests: fc.Arbitrary<Carried>, isMeant: (carried: Carried) => boolean): Carried[] => {
  const isShort = ({ target, body }: ReturnType<typeof send>) => target.length + body.length < 8_000;
  const meant = requests.filter((carried) => isMeant(carried) && isShort(send(route, carried)));
  return fc.sample(meant, isFull ? 400 : 4);
};

/** Parameters as the upstream gets them: lists that count together are one. */
function forwarded({ rules }: Route, values: Values): Values {
  if (!rules.some(({ name }) => name === 'combinedCount')) return values;
  return { mints: [values.mints, values.addresses].flatMap((ids) => ids ?? []) };
}

const asTexts = (values: Values): object =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));

describe.each(gated.map((route) => [route.id, route] as const))('%s', (_, route) => {
  const schemas = publishedOf(route);

  it('refuses values outside its bounds, for free', async () => {
    const bad = sampled(
      route,
      changedRequestsOf(schemas, route),
      (each) => !isTaken(carriedBy(each, schemas), schemas),
    );
    await refusedForFree(
      gateway,
      bad.map((carried) => askOf(route, carried)),
      ({ status }, { target }) => expect([400, 404], target).toContain(status),
    );
  });

  it('forwards values within its bounds once, in canonical form', async () => {
    const good = sampled(route, requestsOf(schemas), (each) =>
      route.rules.every(({ in: place, holds }) => holds(each[place] as Values)),
    );
    const caller = new Caller(gateway);
    gateway.upstream.faults.body = '{"fine":true}';
    for (const carried of good) {
      const before = gateway.upstream.arrivals.length;
      const { json } = await caller.ask(askOf(route, carried));
      expect(json).toMatchObject({ ok: true, method: route.method, result: { fine: true } });
      const [arrival, ...more] = gateway.upstream.arrivals.slice(before);
      const { pathname, searchParams } = new URL(arrival?.target ?? '', 'http://upstream');
      const path = pathOf({ ...route, example: { path: carried.path } }).replace(TOKENS, '/v1');
      expect([arrival?.method, pathname, more]).toEqual([route.httpMethod, path, []]);
      const isPost = route.httpMethod === 'POST';
      expect(Object.fromEntries(searchParams)).toEqual(isPost ? {} : asTexts(forwarded(route, carried.query)));
      expect(arrival?.body).toBe(isPost ? JSON.stringify(forwarded(route, carried.body as Values)) : '');
    }
  });
});
