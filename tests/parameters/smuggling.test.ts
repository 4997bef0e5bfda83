import { afterEach, expect, it } from 'vitest';
import { rowOf } from '../http/targets.ts';
import { startTestGateway } from '../kit/test-gateway.ts';
import { type Answered, type Ask, Caller, HEALTH, refusedForFree, requestOf, TOKENS } from '../upstream/caller.ts';

const gateway = await startTestGateway({}, { windowMs: 3_600_000 });
afterEach(() => gateway.upstream.faults.reset());

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

/** Targets that lack one parameter, its name and a valid value; all parameters of a kind are read by the same code. */
const PARAMETERS = {
  integer: [`${TOKENS}/assets/search?q=a`, 'limit', '1'],
  text: [`${TOKENS}/assets/search?q=a`, 'category', 'a'],
  word: [`${TOKENS}/assets/solana/ohlcv?from=1`, 'interval', '1H'],
  list: [`${TOKENS}/assets/solana?mint=a`, 'include', 'risk'],
} as const;

function expectMalformed({ status, json, text }: Answered, { target }: Ask): void {
  expect(status, target).toBe(400);
  expect(['bad_request', 'invalid_request'], `${target} ${text}`).toContain(json.error);
}

it('U16 an integer takes only decimal digits, once', async () => {
  const [target, name] = PARAMETERS.integer;
  const asks = NO_INTEGERS.map((piece) => ({ target: `${target}&${name}${piece.replaceAll('@', name)}` }));
  await refusedForFree(gateway, asks, expectMalformed);
});

it.each(['limit=1', 'limit=%31', '%6cimit=1'])('U16 %s is written canonically for the upstream', async (piece) => {
  gateway.upstream.faults.body = '1';
  expect((await new Caller(gateway).ask({ target: `${PARAMETERS.integer[0]}&${piece}` })).status).toBe(200);
  expect(gateway.upstream.arrivals.at(-1)?.target).toBe('/v1/assets/search?q=a&limit=1');
});

it.each(Object.values(PARAMETERS))(
  'U16 in %s, %s is taken once, under its name, and not empty',
  async (...parameter) => {
    const [target, name, value] = parameter;
    const pieces = '@=*&@=* @=*&@= @= @ @[]=* @[0]=* @.x=* @=*&& @=*&x=1 @=*%00 @=*# @=*%ff @=%0d%0a*'.split(' ');
    const asks = pieces.map((piece) => ({
      target: `${target}&${piece.replaceAll('@', name).replaceAll('*', value)}`,
    }));
    await refusedForFree(gateway, asks, expectMalformed);
  },
);

it('U16 unknown parameters are refused', async () => {
  const names = ['zz', 'apiKey', 'x-api-key', '__proto__', 'constructor', 'valueOf', 'sortBy', '%00', '%20'];
  const pieces = [...names.map((name) => `${name}=1`), '&', '=', '=1', '&&', 'zz'];
  const snapshots = requestOf(rowOf('tokens.marketSnapshots'));
  const asks = [
    ...pieces.map((piece) => ({ target: `${PARAMETERS.integer[0]}&${piece}` })),
    ...pieces.map((piece) => ({ ...snapshots, target: `${snapshots.target}?${piece}` })),
  ];
  await refusedForFree(gateway, asks, (answer, ask) => {
    expectMalformed(answer, ask);
    expect(
      answer.json.issues?.map(({ rule }) => rule),
      ask.target,
    ).toContain('additionalProperties');
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
