import type { Route, Rule, Values } from '@asset-gateway/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { everyThird } from '../kit/rounds.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { Caller, refusedForFree } from '../upstream/caller.ts';
import type { Answered } from '../upstream/exchange.ts';
import { expectedArrival, otherValues, type Parameter, parameters, requestWith, signedRoutes } from './requests.ts';
import { type BadValue, badValues, goodValues, MARKER, unknownKeywords } from './values.ts';

const gateway = await stopAfterTests(startTestGateway({}, { windowMs: 3_600_000 }));
afterEach(() => gateway.upstream.faults.reset());

const label = ({ route, place, name }: Parameter): string => `${route.id} ${place} ${name}`;
const cases = parameters.map((parameter) => [label(parameter), parameter] as const);

function expectIssue(answer: Answered, { place, name }: Parameter, { rule, says, at = '' }: BadValue): void {
  expect(answer.status).toBe(400);
  expect(answer.json.error).toBe('invalid_request');
  expect(answer.text).not.toContain(MARKER);
  const issue = answer.json.issues?.find((candidate) => candidate.name === `${name}${at}`);
  expect(issue).toMatchObject({ in: place, rule });
  for (const words of says) expect(issue?.message).toContain(words);
}

it('finds more than 40 parameters', () => {
  expect(parameters.length).toBeGreaterThan(40);
});

describe.each(cases)('%s', (_, parameter) => {
  const { route, place, name, schema } = parameter;

  it('has no untested keyword', () => expect(unknownKeywords(schema)).toEqual([]));

  it('is refused outside its bounds, for free', async () => {
    const bad = everyThird(badValues(schema, place === 'body'), parameters.indexOf(parameter));
    const asks = bad.map(({ value }) => requestWith(route, place, { ...otherValues(parameter), [name]: value }));
    const byAsk = new Map(asks.map((ask, index) => [ask, bad[index]]));
    await refusedForFree(gateway, asks, (answer, ask) => {
      const broken = byAsk.get(ask);
      expect(broken).toBeDefined();
      if (broken) expectIssue(answer, parameter, broken);
    });
  });

  it('reaches the upstream once, in canonical form, at its bounds', async () => {
    const caller = new Caller(gateway);
    for (const value of everyThird(goodValues(schema), parameters.indexOf(parameter))) {
      const values = { ...otherValues(parameter), [name]: value };
      const before = gateway.upstream.arrivals.length;
      gateway.upstream.faults.body = '{"fine":true}';
      const answer = await caller.ask(requestWith(route, place, values));
      expect(answer.json).toMatchObject({ ok: true, method: route.method, result: { fine: true } });
      const arrivals = gateway.upstream.arrivals.slice(before);
      expect(arrivals).toHaveLength(1);
      expect(arrivals[0]).toMatchObject(expectedArrival(route, place, values));
      gateway.upstream.faults.reset();
    }
  });
});

describe.each(cases.filter(([, { required }]) => required))('%s', (_, parameter) => {
  it('is required', async () => {
    const missing = { value: undefined, rule: 'required', says: ['required'] };
    const ask = requestWith(parameter.route, parameter.place, otherValues(parameter));
    await refusedForFree(gateway, [ask], (answer) => expectIssue(answer, parameter, missing));
  });
});

interface Sides {
  readonly good: readonly Values[];
  readonly bad: readonly Values[];
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `m${index}`);

/** The most items of a row's lists together. */
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

const ruleCases = signedRoutes.flatMap((route) =>
  route.rules.map((rule) => [`${route.id} ${rule.name} ${rule.parameters}`, route, rule] as const),
);

it('covers each kind of rule', () => {
  expect(new Set(ruleCases.map(([, , rule]) => rule.name))).toEqual(new Set(Object.keys(SIDES)));
  expect(ruleCases.length).toBeGreaterThanOrEqual(6);
});

describe.each(ruleCases)('%s', (_, route, rule) => {
  const { good, bad } = SIDES[rule.name]?.(route, rule) ?? { good: [], bad: [] };

  it('refuses values that break it, for free', async () => {
    const asks = bad.map((values) => requestWith(route, rule.in, values));
    await refusedForFree(gateway, asks, (answer, ask) => {
      expect(answer.status, ask.target).toBe(400);
      expect(answer.json.error).toBe('invalid_request');
      const issue = answer.json.issues?.find((candidate) => candidate.rule === rule.name);
      expect(issue, ask.target).toMatchObject({ in: rule.in, message: rule.description });
      expect(issue?.name.split(',')).toEqual(rule.parameters);
    });
  });

  it.each(good.map((values) => [values]))('accepts %j', async (values) => {
    gateway.upstream.faults.body = '[]';
    const before = gateway.upstream.arrivals.length;
    const answer = await new Caller(gateway).ask(requestWith(route, rule.in, values));
    expect(answer.json).toMatchObject({ ok: true, method: route.method });
    const arrivals = gateway.upstream.arrivals.slice(before);
    expect(arrivals).toHaveLength(1);
    expect(arrivals[0]).toMatchObject(expectedArrival(route, rule.in, values));
  });
});
