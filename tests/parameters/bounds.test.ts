import { afterEach, describe, expect, it } from 'vitest';
import { everyThird } from '../kit/rounds.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { Caller, refusedForFree } from '../upstream/caller.ts';
import type { Answered } from '../upstream/exchange.ts';
import { expectedArrival, otherValues, type Parameter, parameters, requestWith } from './requests.ts';
import { type BadValue, badValues, goodValues, MARKER, unknownKeywords } from './values.ts';

const gateway = await stopAfterTests(startTestGateway());
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

it('finds the parameters that it is about', () => {
  expect(parameters.length).toBeGreaterThan(40);
});

describe.each(cases)('%s', (_, parameter) => {
  const { route, place, name, schema } = parameter;

  it('has no keyword without a case', () => expect(unknownKeywords(schema)).toEqual([]));

  it('is refused beyond each of its bounds, for free', async () => {
    const bad = everyThird(badValues(schema, place === 'body'), parameters.indexOf(parameter));
    const asks = bad.map(({ value }) => requestWith(route, place, { ...otherValues(parameter), [name]: value }));
    const byAsk = new Map(asks.map((ask, index) => [ask, bad[index]]));
    await refusedForFree(gateway, asks, (answer, ask) => {
      const broken = byAsk.get(ask);
      expect(broken).toBeDefined();
      if (broken) expectIssue(answer, parameter, broken);
    });
  });

  it('reaches the upstream once, in canonical form, up to each of its bounds', async () => {
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
