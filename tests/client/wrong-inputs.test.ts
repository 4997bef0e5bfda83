import { everyRoute, type Route } from '@asset-gateway/protocol';
import { describe, expect, it } from 'vitest';
import { literal } from '../../packages/gateway/src/describe/client-types.ts';
import { argumentsOf, methodNameOf } from './kit.ts';

type Schema = Readonly<Record<string, unknown>>;

const HEAD = `// Made from the route table by \`npm test -- tests/client/wrong-inputs.test.ts --update\`; the compiler takes each row's
// example, and has to refuse what follows it.
import type { GatewayClient } from '@asset-gateway/client';

export function wrongInputs(client: GatewayClient): void {
`;

/** A value that this schema does not take, whatever its bounds. */
function wrongFor(schema: Schema): unknown {
  if (schema.enum) return 'nonsense';
  return schema.type === 'string' ? 5 : 'nonsense';
}

/** The schemas of a row's arguments, in their order. */
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

/** Every way to get one argument wrong: its kind, a name that it has not, and each of its members. */
function wrongArguments(values: readonly unknown[], at: number, schema: Schema): [string, unknown[]][] {
  const kind: [string, unknown[]] = [`argument ${at + 1} of another kind`, replaced(values, at, wrongFor(schema))];
  if (schema.type !== 'object') return [kind];
  const given = (values[at] ?? {}) as object;
  const members = Object.entries((schema.properties ?? {}) as Record<string, Schema>).map(
    ([name, member]): [string, unknown[]] => [
      `another kind of ${name}`,
      replaced(values, at, { ...given, [name]: wrongFor(member) }),
    ],
  );
  return [kind, ['a name that is none', replaced(values, at, { ...given, colour: 'red' })], ...members];
}

/** What a choice leaves open to get wrong. */
function wrongChoices({ rules, input }: Route, values: readonly unknown[]): [string, unknown[]][] {
  const choice = rules.find((rule) => rule.choice)?.choice;
  if (!choice || !(input.query ?? input.body)) return [];
  const at = values.findIndex((value) => typeof value === 'object');
  const none: [string, unknown[]] = ['none of a choice', replaced(values, at, {})];
  const all = Object.fromEntries(choice.of.map((name) => [name, 'x']));
  return choice.isExclusive ? [none, ['both of a choice', replaced(values, at, all)]] : [none];
}

function wrongCalls(row: Route): [string, readonly unknown[]][] {
  const values = argumentsOf(row);
  const schemas = schemasOf(row);
  const full = schemas.map((_, at) => values[at] ?? {});
  const tooMany: [string, readonly unknown[]] = ['an argument too many', [...full, 'more']];
  const isNeeded = schemas.some((schema, at) => schema.type === 'string' && at === 0);
  return [
    ...schemas.flatMap((schema, at) => wrongArguments(full, at, schema)),
    ...wrongChoices(row, values),
    ...(isNeeded ? ([['nothing given', []]] as [string, unknown[]][]) : []),
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

describe('what no method takes', () => {
  it('is in a file that the compiler goes over, for every row there can be', async () => {
    const text = `${HEAD}${everyRoute.map(linesOf).join('\n')}}\n`;
    for (const row of everyRoute) expect(wrongCalls(row).length).toBeGreaterThan(0);
    await expect(text).toMatchFileSnapshot('wrong-inputs.ts');
  });
});
