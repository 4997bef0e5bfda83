import type { Route, Rule, Values } from '@asset-gateway/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { Caller, refusedForFree } from '../upstream/caller.ts';
import { expectedArrival, requestWith, signedRoutes } from './requests.ts';

const gateway = await stopAfterTests(startTestGateway());
afterEach(() => gateway.upstream.faults.reset());

interface Sides {
  readonly good: readonly Values[];
  readonly bad: readonly Values[];
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);

/** How many items a row's lists may have together: the most that one of them may have. */
function mostItems(route: Route, { in: place, parameters: [name = ''] }: Rule): number {
  const schema: { maxItems?: number } = route.input[place]?.properties[name] ?? {};
  return schema.maxItems ?? 0;
}

function countSides(route: Route, rule: Rule): Sides {
  const most = mostItems(route, rule);
  const [one = '', other = ''] = rule.parameters;
  const both = (a: number, b: number): Values => ({ [one]: ids(a), [other]: ids(b) });
  const empty: readonly Values[] = [both(0, 0), { [one]: [] }, { [other]: [] }];
  const besideEmpty: readonly Values[] = [both(0, 1), both(1, 0), both(0, most), both(most, 0)];
  return {
    good: [
      { [one]: ids(1) },
      { [other]: ids(1) },
      both(1, most - 1),
      both(most - 1, 1),
      ...(rule.in === 'body' ? besideEmpty : []),
    ],
    bad: [{}, both(1, most), both(most, 1), both(most, most), ...(rule.in === 'body' ? empty : [])],
  };
}

/** Values on both sides of each kind of rule. A new kind has to be added here. */
const SIDES: Readonly<Record<string, (route: Route, rule: Rule) => Sides>> = {
  exactlyOne: (_, { parameters }) => ({
    good: parameters.map((name) => ({ [name]: 'a' })),
    bad: [{}, Object.fromEntries(parameters.map((name) => [name, 'a']))],
  }),
  combinedCount: countSides,
  notBefore: (_, { parameters: [earlier = '', later = ''] }) => ({
    good: [
      { [earlier]: 5, [later]: 5 },
      { [earlier]: 5, [later]: 6 },
      { [earlier]: 9, [later]: 10 },
      { [earlier]: 7 },
      { [later]: 0 },
      { [earlier]: 0, [later]: Number.MAX_SAFE_INTEGER },
    ],
    bad: [
      { [earlier]: 6, [later]: 5 },
      { [earlier]: 10, [later]: 9 },
      { [earlier]: 1, [later]: 0 },
      { [earlier]: Number.MAX_SAFE_INTEGER, [later]: Number.MAX_SAFE_INTEGER - 1 },
    ],
  }),
};

const cases = signedRoutes.flatMap((route) =>
  route.rules.map((rule) => [`${route.id} ${rule.name} ${rule.parameters}`, route, rule] as const),
);

it('finds the rules that it is about, and knows each kind', () => {
  expect(new Set(cases.map(([, , rule]) => rule.name))).toEqual(new Set(Object.keys(SIDES)));
  expect(cases.length).toBeGreaterThanOrEqual(6);
});

describe.each(cases)('%s', (_, route, rule) => {
  const { good, bad } = SIDES[rule.name]?.(route, rule) ?? { good: [], bad: [] };

  it('refuses what breaks it, for free, and says what is allowed', async () => {
    const asks = bad.map((values) => requestWith(route, rule.in, values));
    await refusedForFree(gateway, asks, (answer, ask) => {
      expect(answer.status, ask.target).toBe(400);
      expect(answer.json.error).toBe('invalid_request');
      const issue = answer.json.issues?.find((candidate) => candidate.rule === rule.name);
      expect(issue, ask.target).toMatchObject({ in: rule.in, message: rule.description });
      expect(issue?.name.split(',')).toEqual(rule.parameters);
    });
  });

  it.each(good.map((values) => [values]))('lets pass what keeps it: %j', async (values) => {
    gateway.upstream.faults.body = '[]';
    const before = gateway.upstream.arrivals.length;
    const answer = await new Caller(gateway).ask(requestWith(route, rule.in, values));
    expect(answer.json).toMatchObject({ ok: true, method: route.method });
    const arrivals = gateway.upstream.arrivals.slice(before);
    expect(arrivals).toHaveLength(1);
    expect(arrivals[0]).toMatchObject(expectedArrival(route, rule.in, values));
  });
});
