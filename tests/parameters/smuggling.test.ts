import type { Route, Values } from '@asset-gateway/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { gated, rowOf } from '../http/targets.ts';
import { shareOf } from '../kit/rounds.ts';
import { stopAfterTests } from '../kit/stop-after-tests.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { type Answered, type Ask, Caller, HEALTH, refusedForFree, requestOf, TOKENS } from '../upstream/caller.ts';

const gateway = await stopAfterTests(startTestGateway({}, { windowMs: 3_600_000 }));
afterEach(() => gateway.upstream.faults.reset());

/** One parameter in the query of a row. */
interface Parameter {
  readonly route: Route;
  readonly name: string;
  readonly schema: {
    readonly type?: string;
    readonly enum?: readonly string[];
    readonly items?: { readonly enum?: readonly string[] };
  };
}

const parameters: readonly Parameter[] = gated.flatMap((route) =>
  Object.entries(route.input.query?.properties ?? {}).map(([name, schema]) => ({ route, name, schema })),
);

/** Rules that say how many of their parameters may be there: one is tried without the others. */
const EXCLUSIVE = ['exactlyOne', 'combinedCount'];

/** The request of a row's example without this parameter, and without those that it excludes. */
function requestWithout({ route, name }: Parameter): Ask {
  const rules = route.rules.filter((rule) => EXCLUSIVE.includes(rule.name) && rule.parameters.includes(name));
  const left = [name, ...rules.flatMap((rule) => rule.parameters)];
  const query = Object.entries(route.example.query ?? {}).filter(([key]) => !left.includes(key));
  return requestOf(route, { query: Object.fromEntries(query) as Values });
}

/**
 * What follows the name of an integer parameter in a query that is refused.
 * `1` is a valid value; `@` stands for the name.
 */
const NO_INTEGERS: readonly string[] = [
  ...(String.raw`
    =+1 =%2B1 =1.0 =1. =.1 =1e0 =1E0 =1e1 =0x1 =0X1 =0b1 =0o1 =01 =001 =00 =%201 =1%20 =+1+ =1%09 =1%0a =1%0D%0A
    =1%00 =%001 =%D9%A1 =%EF%BC%91 =%C2%B9 =1%E2%80%8B =-0 =-1 =--1 =1- =1_0 =1,0 =1n =1f =NaN =Infinity
    =-Infinity =null =true =[] =[1] =%5B1%5D ={} = =1=1 ==1 =1; =1;@=1 =1%3B@=1 =1%26@=1 =1%23 =1%3Fx =1/2 ='1'
    =1&@=1 =1&@= =1&@ =1&%40=1 =1&& =1& =1&= =1&=1 =1&&x=1 []=1 %5B%5D=1 [0]=1 .x=1 %00=1 %20=1 =1&x=1
    =1&__proto__=1 =1&constructor=1 =1&toString=1 =1&hasOwnProperty=1 =1&@[]=1 =1&%20@=1 =1?@=1 =1% =1%2 =1%zz
    =%ff =%C0%B1 =%ED%A0%80 =%u0031 =1# =1#@=1 =1#/../ =١ =１ =1\
  `.match(/\S+/g) ?? []),
  ...['', '= 1', '=\t1', '=1\u00a0'],
];

/** Other spellings of the same value in order; the upstream sees the plain one. */
const SAME_INTEGER = ['=1', '=%31'];

const integers = parameters.filter(({ schema }) => schema.type === 'integer');
const others = parameters.filter(({ schema }) => schema.type !== 'integer');

const isMalformed = ({ json }: Answered): boolean => json.error === 'bad_request' || json.error === 'invalid_request';

function expectMalformed(answer: Answered, ask: Ask): void {
  expect(answer.status, ask.target).toBe(400);
  expect(isMalformed(answer), `${ask.target} ${answer.text}`).toBe(true);
}

function append(target: string, piece: string): string {
  return `${target}${target.includes('?') ? '&' : '?'}${piece}`;
}

it('finds at least 15 integers', () => expect(integers.length).toBeGreaterThanOrEqual(15));

describe.each(integers.map((parameter) => [`${parameter.route.id} ${parameter.name}`, parameter] as const))(
  'U16 %s',
  (_, parameter) => {
    const { name } = parameter;
    const { target } = requestWithout(parameter);

    it('takes only decimal digits, once', async () => {
      const pieces = shareOf(NO_INTEGERS, integers.indexOf(parameter), integers.length);
      const asks = pieces.map((piece) => ({ target: append(target, name + piece.replaceAll('@', name)) }));
      await refusedForFree(gateway, asks, expectMalformed);
    });

    it('is rewritten for the upstream', async () => {
      gateway.upstream.faults.body = '1';
      const [initial = ''] = name;
      const escaped = `%${initial.charCodeAt(0).toString(16)}${name.slice(1)}`;
      for (const piece of [...SAME_INTEGER.map((rest) => name + rest), `${escaped}=1`]) {
        const answer = await new Caller(gateway).ask({ target: append(target, piece) });
        expect(answer.status, piece).toBe(200);
        expect(gateway.upstream.arrivals.at(-1)?.target).toBe(append(target.replace(TOKENS, '/v1'), `${name}=1`));
      }
    });
  },
);

describe.each(others.map((parameter) => [`${parameter.route.id} ${parameter.name}`, parameter] as const))(
  'U16 %s',
  (_, parameter) => {
    it('is taken once, under its name, and not empty', async () => {
      const { name, schema } = parameter;
      const { target } = requestWithout(parameter);
      const word = schema.enum?.[0] ?? schema.items?.enum?.[0] ?? 'a';
      const pieces = [`@=${word}&@=${word}`, `@=${word}&@=`, '@=', '@', `@[]=${word}`, `@[0]=${word}`, `@.x=${word}`];
      const more = [`@=${word}&&`, `@=${word}&x=1`, `@=${word}%00`, `@=${word}#`, `@=${word}%ff`, `@=%0d%0a${word}`];
      const asks = shareOf([...pieces, ...more], others.indexOf(parameter) % 3, 3).map((piece) => ({
        target: append(target, piece.replaceAll('@', name)),
      }));
      await refusedForFree(gateway, asks, expectMalformed);
    });
  },
);

describe.each(gated.map((route) => [route.id, route] as const))('U16 %s', (_, route) => {
  it('refuses unknown parameters', async () => {
    const { target, ...rest } = requestOf(route);
    const names = [
      'zz',
      'apiKey',
      'x-api-key',
      '__proto__',
      'constructor',
      'valueOf',
      'primaryVariantStrategy',
      'sortBy',
      '%00',
      '%20',
    ];
    const pieces = [...names.map((name) => `${name}=1`), '&', '=', '=1', '&&', 'zz'];
    const asks = shareOf(pieces, gated.indexOf(route) % 3, 3).map((piece) => ({
      ...rest,
      target: append(target, piece),
    }));
    await refusedForFree(gateway, asks, (answer, ask) => {
      expectMalformed(answer, ask);
      expect(
        answer.json.issues?.some(({ rule }) => rule === 'additionalProperties'),
        ask.target,
      ).toBe(true);
    });
  });
});

it('U16 an empty query is no query', async () => {
  const answer = await new Caller(gateway).ask({ target: `${HEALTH}?` });
  expect(answer.status).toBe(200);
  expect(gateway.upstream.arrivals.at(-1)?.target).toBe('/v1/health');
});

it('U16 unknown members of a body are refused, built-in names included', async () => {
  const { body: _, ...ask } = requestOf(rowOf('tokens.marketSnapshots'));
  const bodies = ['"zz":1', '"__proto__":{"addresses":["a"]}', '"constructor":1', '"toString":[]', '"":1'].map(
    (member) => `{"mints":["a"],${member}}`,
  );
  await refusedForFree(
    gateway,
    bodies.map((body) => ({ ...ask, body })),
    (answer) => {
      expect(answer.json.error).toBe('invalid_request');
      expect(answer.json.issues?.map(({ rule }) => rule)).toEqual(['additionalProperties']);
    },
  );
  expect(Object.keys(Object.prototype)).toEqual([]);
});
