import Type, { type TProperties, type TSchema } from 'typebox';
import { oneOf } from '../parameters.ts';
import type { ResultShape } from '../route.ts';

/** Examples of values by schema. They are not part of the published schemas. */
const examples = new WeakMap<TSchema, unknown>();

/** Notes an example of a schema's values, if one is given. */
export function shown<T extends TSchema>(schema: T, example: unknown): T {
  if (example !== undefined) examples.set(schema, example);
  return schema;
}

/** Schemas by keyword, as far as examples are made from them. */
interface Composed {
  readonly properties?: TProperties;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly const?: unknown;
  readonly type?: unknown;
}

/**
 * The example of a schema, or one made from the examples of its parts: optional members only with an example of their own, null and the
 * empty list if there is none. Undefined if a required part has none.
 */
export function exampleOf(schema: TSchema): unknown {
  const { properties, required = [], items, anyOf, type, const: constant = examples.get(schema) } = schema as Composed;
  if (constant !== undefined) return constant;
  if (items) return [exampleOf(items)].filter((item) => item !== undefined);
  if (anyOf) return anyOf.map(exampleOf).find((each) => each !== undefined);
  if (type === 'null') return null;
  if (!properties) return undefined;
  const members = Object.entries(properties).map(([name, each]) => {
    return [name, required.includes(name) ? exampleOf(each) : examples.get(each)] as const;
  });
  const given = members.filter(([, value]) => value !== undefined);
  return required.every((name) => given.some(([each]) => each === name)) ? Object.fromEntries(given) : undefined;
}

/** An answer with this schema, and the example that follows from it. */
export const answerOf = (schema: TSchema): ResultShape => ({ schema, example: exampleOf(schema) });

/** An answer that is an object. */
export const answer = (properties: TProperties): ResultShape => answerOf(object(properties));

/** An object of a result. It stays open: the gateway passes on fields that an upstream adds. */
export const object = (properties: TProperties) => Type.Object(properties);

/** An object inside of a result. */
export const part = (description: string, properties: TProperties, example?: unknown) =>
  shown(Type.Object(properties, { description }), example);

/** Text, possibly empty. */
export const string = (description: string, example?: string) => shown(Type.String({ description }), example);

/** A number, fractions included. */
export const number = (description: string, example?: number) => shown(Type.Number({ description }), example);

/** A whole number. */
export const integer = (description: string, example?: number) => shown(Type.Integer({ description }), example);

/**
 * An unsigned 64-bit integer. Readers that use doubles round it beyond 2^53; the maximum is a double so that they accept the largest
 * value.
 */
export const u64 = (what: string, example?: number) =>
  shown(
    Type.Integer({ minimum: 0, maximum: 2 ** 64, description: `${what}, a whole number of up to 64 bits.` }),
    example,
  );

/** True or false. */
export const flag = (description: string, example?: boolean) => shown(Type.Boolean({ description }), example);

/** One of these words. */
export const word = <const T extends readonly string[]>(values: T, description: string, example?: T[number]) =>
  shown(oneOf(values, description), example);

/** Money. */
export const usd = (what: string, example?: number) => number(`${what}, in US dollars.`, example);

/** A percentage: 3.2 is 3.2 %. */
export const percent = (what: string, example?: number) => number(`${what}, in percent.`, example);

/** A point in time. */
export const seconds = (what: string, example?: number) => integer(`${what}, in Unix seconds.`, example);

/** A point in time. */
export const milliseconds = (what: string, example?: number) => integer(`${what}, in Unix milliseconds.`, example);

/** A list. */
export const list = (items: TSchema, description: string, example?: readonly unknown[]) =>
  shown(Type.Array(items, { description }), example);

/** A list of objects. */
export const rows = (description: string, properties: TProperties) => list(object(properties), description);

/** Always present; null if unknown, and in the example if it says so. */
export const nullable = (schema: TSchema, example: unknown = examples.get(schema)) =>
  shown(Type.Union([schema, Type.Null()]), example);

/** One of several forms. */
export const union = (description: string, forms: TSchema[]) => Type.Union(forms, { description });

/** Absent if unknown. */
export const optional = <T extends TSchema>(schema: T) => shown(Type.Optional(schema), examples.get(schema));

/** Absent on some routes; null if unknown. */
export const partial = (schema: TSchema) => optional(nullable(schema));

/** A constant. */
export const always = Type.Literal;

/** Wraps each of several fields. */
export const each = (wrap: (schema: TSchema) => TSchema, properties: TProperties): TProperties =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, wrap(schema)]));

/** The mint of wrapped SOL. */
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
