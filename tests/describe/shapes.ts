import { expect } from 'vitest';
import { faultsOf, fits, type JsonSchema } from './json-schema.ts';

const each = <T>(values: Readonly<Record<string, T>> = {}, change: (value: T) => T): Record<string, T> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));

/** The schema without additional properties, where properties are named. */
export function closed(schema: JsonSchema): JsonSchema {
  const { anyOf, items, properties, additionalProperties } = schema;
  const isNamed = properties !== undefined && Object.keys(properties).length > 0;
  return {
    ...schema,
    ...(anyOf && { anyOf: anyOf.map(closed) }),
    ...(items && { items: closed(items) }),
    ...(properties && { properties: each(properties, closed) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: closed(additionalProperties) }),
    ...(isNamed && additionalProperties === undefined && { additionalProperties: false }),
  };
}

/** Every schema within a schema, itself included, by where it stands. */
export function partsOf(schema: JsonSchema, where = ''): [where: string, part: JsonSchema][] {
  const { anyOf = [], items, properties = {}, additionalProperties } = schema;
  const inner = [
    ...anyOf.map((form, index) => [`${where}(${index})`, form] as const),
    ...(items ? [[`${where}[]`, items] as const] : []),
    ...Object.entries(properties).map(([name, property]) => [`${where}.${name}`, property] as const),
    ...(typeof additionalProperties === 'object' ? [[`${where}.*`, additionalProperties] as const] : []),
  ];
  return [[where, schema], ...inner.flatMap(([place, part]) => partsOf(part, place))];
}

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value with one thing wrong in it. */
export interface Broken {
  readonly what: string;
  readonly value: unknown;
}

/** A value that the schema refuses. */
function misfit(schema: JsonSchema): unknown {
  const found = [{}, [], 'text', 0.5, -1, true, null].find((value) => !fits(schema, value));
  if (found === undefined) throw new Error(`takes everything: ${JSON.stringify(schema)}`);
  return found;
}

/** The form of a value among those that a schema allows. */
function formOf(schema: JsonSchema, value: unknown): JsonSchema {
  const form = schema.anyOf?.find((branch) => fits(branch, value));
  return form ? formOf(form, value) : schema;
}

function brokenObjects({ properties = {}, required = [], additionalProperties }: JsonSchema, value: Json): Broken[] {
  return Object.entries(value).flatMap(([name, member]) => {
    const schema = properties[name] ?? additionalProperties;
    if (typeof schema !== 'object') return [];
    const { [name]: _, ...rest } = value;
    const inner = [{ what: 'of another type', value: misfit(schema) }, ...brokenWithin(schema, member)];
    return [
      ...(required.includes(name) ? [{ what: `${name} is missing`, value: rest }] : []),
      ...inner.map((broken) => ({ what: `${name} ${broken.what}`, value: { ...value, [name]: broken.value } })),
    ];
  });
}

/** The value with each described field missing or of another type. */
export function brokenWithin(schema: JsonSchema, value: unknown): Broken[] {
  const form = formOf(schema, value);
  if (isObject(value)) return brokenObjects(form, value);
  if (!Array.isArray(value) || !form.items || value.length === 0) return [];
  const [first, ...rest] = value as unknown[];
  return brokenWithin(form.items, first).map(({ what, value: item }) => ({ what, value: [item, ...rest] }));
}

/** Expects that a value fits, and that the schema refuses it with a field missing or of another type. */
export function expectToDescribe(schema: JsonSchema, value: unknown): void {
  expect(faultsOf(schema, value)).toEqual([]);
  const taken = brokenWithin(schema, value).filter((broken) => fits(schema, broken.value));
  expect(taken.map(({ what }) => what)).toEqual([]);
}
