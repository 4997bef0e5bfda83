import { everyRoute, literal, type Route } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { compile } from '../kit/run-code.ts';
import { argumentsOf, methodNameOf } from './kit.ts';

type Schema = Readonly<Record<string, unknown>>;

const HEAD = `import type { GatewayClient } from '@asset-gateway/client';

export function wrongInputs(client: GatewayClient): void {
`;

/** Stands for a value that no parameter takes. */
const WRONG = 'a wrong value';

/** The schemas of a row's arguments in order. */
function schemasOf({ input, credit }: Route): readonly Schema[] {
  if (credit === 'sold') return [{ type: 'object', properties: { usd: { type: 'number' } } }];
  const params = input.body?.properties?.params as { prefixItems?: readonly Schema[] } | undefined;
  if (params?.prefixItems) return params.prefixItems;
  const inPath = Object.values(input.path?.properties ?? {}) as Schema[];
  const object = (input.query ?? params ?? input.body) as Schema | undefined;
  return object ? [...inPath, object] : inPath;
}

/** The ways to get one thing wrong in the arguments of a row. */
function* wrongCalls(row: Route): Generator<[what: string, values: readonly unknown[]]> {
  const [schemas, given] = [schemasOf(row), argumentsOf(row)];
  const full = schemas.map((_, at) => given[at] ?? {});
  for (const [at, { type, properties }] of schemas.entries()) {
    yield [`argument ${at + 1} of the wrong type`, full.with(at, WRONG)];
    if (type !== 'object') continue;
    yield ['an unknown member', full.with(at, { ...full[at], colour: 'red' })];
    for (const name of Object.keys(properties ?? {}))
      yield [`${name} of the wrong type`, full.with(at, { ...full[at], [name]: WRONG })];
  }
  const choice = row.rules.find((rule) => rule.choice)?.choice;
  const place = given.findIndex((value) => typeof value === 'object');
  if (choice) yield ['no member of a choice', given.with(place, {})];
  const all = Object.fromEntries((choice?.of ?? []).map((name) => [name, 'x']));
  if (choice?.isExclusive) yield ['both members of a choice', given.with(place, all)];
  if (schemas[0]?.type === 'string') yield ['no arguments', []];
  yield ['one argument too many', [...full, 'more']];
}

function linesOf(row: Route): string {
  const place = [
    row.cluster && `cluster: '${row.cluster}'`,
    row.provider !== 'gateway' && `provider: '${row.provider}'`,
  ];
  const there = row.cluster ? `client.with({ ${place.filter(Boolean).join(', ')} })` : 'client';
  const call = (values: readonly unknown[]): string =>
    `  ${there}.${row.surface}.${methodNameOf(row)}(${values.map(literal).join(', ')});\n`;
  const wrong = [...wrongCalls(row)].map(([what, values]) => `  // @ts-expect-error ${what}\n${call(values)}`);
  return [call(argumentsOf(row)), ...wrong].join('').replaceAll(literal(WRONG), 'Symbol()');
}

it('the compiler takes the example of every row and refuses every wrong input', () => {
  expect(compile({ 'wrong-inputs.ts': `${HEAD}${everyRoute.map(linesOf).join('\n')}}\n` })).toBe('');
}, 120_000);
