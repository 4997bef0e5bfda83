import { everyRoute, literal, type Route } from '@asset-gateway/protocol';
import { expect, it } from 'vitest';
import { compile } from '../kit/run-code.ts';
import { argumentsOf, methodNameOf } from './kit.ts';

type Schema = Readonly<Record<string, unknown>>;

const HEAD = `import type { GatewayClient } from '@asset-gateway/client';

export function wrongInputs(client: GatewayClient): void {
`;

/** A value of the wrong type for this schema. */
function wrongFor(schema: Schema): unknown {
  if (schema.enum) return 'nonsense';
  return schema.type === 'string' ? 5 : 'nonsense';
}

/** The schemas of a row's arguments in order. */
function schemasOf({ input, credit }: Route): readonly Schema[] {
  if (credit === 'sold') return [{ type: 'object', properties: { usd: { type: 'number' } } }];
  const params = input.body?.properties.params as { prefixItems?: readonly Schema[] } | undefined;
  if (params?.prefixItems) return params.prefixItems;
  const inPath = Object.values(input.path?.properties ?? {}) as unknown as Schema[];
  const object = (input.query ?? params ?? input.body) as unknown as Schema | undefined;
  return object ? [...inPath, object] : inPath;
}

const replaced = (values: readonly unknown[], at: number, value: unknown): unknown[] => [
  ...values.slice(0, at),
  value,
  ...values.slice(at + 1),
];

/** The ways to get one argument wrong: its type, an unknown member, and the type of each member. */
function wrongArguments(values: readonly unknown[], at: number, schema: Schema): [string, unknown[]][] {
  const ofWrongType: [string, unknown[]] = [
    `argument ${at + 1} of the wrong type`,
    replaced(values, at, wrongFor(schema)),
  ];
  if (schema.type !== 'object') return [ofWrongType];
  const given = (values[at] ?? {}) as object;
  const members = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(
    ([name, member]): [string, unknown[]] => [
      `${name} of the wrong type`,
      replaced(values, at, { ...given, [name]: wrongFor(member) }),
    ],
  );
  return [ofWrongType, ['an unknown member', replaced(values, at, { ...given, colour: 'red' })], ...members];
}

/** The ways to get a choice of members wrong. */
function wrongChoices({ rules, input }: Route, values: readonly unknown[]): [string, unknown[]][] {
  const choice = rules.find((rule) => rule.choice)?.choice;
  if (!choice || !(input.query ?? input.body)) return [];
  const at = values.findIndex((value) => typeof value === 'object');
  const none: [string, unknown[]] = ['no member of a choice', replaced(values, at, {})];
  const all = Object.fromEntries(choice.of.map((name) => [name, 'x']));
  return choice.isExclusive ? [none, ['both members of a choice', replaced(values, at, all)]] : [none];
}

function wrongCalls(row: Route): [string, readonly unknown[]][] {
  const values = argumentsOf(row);
  const schemas = schemasOf(row);
  const full = schemas.map((_, at) => values[at] ?? {});
  const tooMany: [string, readonly unknown[]] = ['one argument too many', [...full, 'more']];
  const isNeeded = schemas.some((schema, at) => schema.type === 'string' && at === 0);
  return [
    ...schemas.flatMap((schema, at) => wrongArguments(full, at, schema)),
    ...wrongChoices(row, values),
    ...(isNeeded ? ([['no arguments', []]] as [string, unknown[]][]) : []),
    tooMany,
  ];
}

function linesOf(row: Route): string {
  const place = [
    row.cluster && `cluster: '${row.cluster}'`,
    row.provider !== 'gateway' && `provider: '${row.provider}'`,
  ];
  const there = row.cluster ? `client.with({ ${place.filter(Boolean).join(', ')} })` : 'client';
  const call = (values: readonly unknown[]): string =>
    `  ${there}.${row.surface}.${methodNameOf(row)}(${values.map(literal).join(', ')});\n`;
  const wrong = wrongCalls(row).map(([what, values]) => `  // @ts-expect-error ${what}\n${call(values)}`);
  return [call(argumentsOf(row)), ...wrong].join('');
}

it('the compiler takes the example of every row and refuses every wrong input', () => {
  for (const row of everyRoute) expect(wrongCalls(row).length).toBeGreaterThan(0);
  expect(compile({ 'wrong-inputs.ts': `${HEAD}${everyRoute.map(linesOf).join('\n')}}\n` })).toBe('');
}, 120_000);
