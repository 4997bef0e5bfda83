import Type, { type TProperties, type TSchema } from 'typebox';
import { oneOf } from '../parameters.ts';
import type { ResultShape } from '../route.ts';

/** Example values by schema. The published schemas do not contain them. */
const examples = new WeakMap<TSchema, unknown>();

/** Stores an example of a schema's values, if there is one, and returns the schema. */
export function shown<T extends TSchema>(schema: T, example: unknown): T {
  if (example !== undefined) examples.set(schema, example);
  return schema;
}

/** The parts of a schema that examples are made from. */
interface Composed {
  readonly properties?: TProperties;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly anyOf?: readonly TSchema[];
  readonly const?: unknown;
  readonly type?: unknown;
}

/**
 * Returns the example of a schema, or one made from its parts' examples. Optional members appear only if they have an example. Without an
 * example, a nullable value is null and a list is empty. Returns undefined if a required part has no example.
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

/** Returns an answer with this schema. Its example is made from the schema. */
export const resultShape = (schema: TSchema): ResultShape => ({ schema, example: exampleOf(schema) });

/** Returns an answer that is an object. */
export const answer = (properties: TProperties): ResultShape => resultShape(object(properties));

/** Returns the schema of an object in a result. It stays open, because the gateway passes on fields that an upstream adds. */
export const object = (properties: TProperties) => Type.Object(properties);

/** Returns the schema of a described object in a result. */
export const part = (description: string, properties: TProperties, example?: unknown) =>
  shown(Type.Object(properties, { description }), example);

/** Returns the schema of a text, which may be empty. */
export const string = (description: string, example?: string) => shown(Type.String({ description }), example);

/** Returns the schema of a number, which may have a fraction. */
export const number = (description: string, example?: number) => shown(Type.Number({ description }), example);

/** Returns the schema of a whole number. */
export const integer = (description: string, example?: number) => shown(Type.Integer({ description }), example);

/**
 * Returns the schema of an unsigned 64-bit integer. A reader with doubles rounds it beyond 2^53. The maximum is a double, so that such a
 * reader accepts the largest value.
 */
export const u64 = (what: string, example?: number) =>
  shown(
    Type.Integer({ minimum: 0, maximum: 2 ** 64, description: `${what}, a whole number of up to 64 bits.` }),
    example,
  );

/** Returns the schema of true or false. */
export const flag = (description: string, example?: boolean) => shown(Type.Boolean({ description }), example);

/** Returns the schema of one of these words. */
export const word = <const T extends readonly string[]>(values: T, description: string, example?: T[number]) =>
  shown(oneOf(values, description), example);

/** Returns the schema of an amount in US dollars. */
export const usd = (what: string, example?: number) => number(`${what}, in US dollars.`, example);

/** Returns the schema of a percentage: 3.2 is 3.2 %. */
export const percent = (what: string, example?: number) => number(`${what}, in percent.`, example);

/** Returns the schema of a point in time, as an integer. */
export const seconds = (what: string, example?: number) => integer(`${what}, in Unix seconds.`, example);

/** Returns the schema of a point in time, as an integer. */
export const milliseconds = (what: string, example?: number) => integer(`${what}, in Unix milliseconds.`, example);

/** Returns the schema of a list. */
export const list = (items: TSchema, description: string, example?: readonly unknown[]) =>
  shown(Type.Array(items, { description }), example);

/** Returns the schema of a list of objects. */
export const rows = (description: string, properties: TProperties) => list(object(properties), description);

/** Returns the schema of a field that is always present, and null if unknown. Its example is null if `example` is. */
export const nullable = (schema: TSchema, example: unknown = examples.get(schema)) =>
  shown(Type.Union([schema, Type.Null()]), example);

/** Returns the schema of one of several forms. */
export const union = (description: string, forms: TSchema[]) => Type.Union(forms, { description });

/** Returns the schema of a field that is absent if unknown. */
export const optional = <T extends TSchema>(schema: T) => shown(Type.Optional(schema), examples.get(schema));

/** Returns the schema of a field that is absent on some routes, and null if unknown. */
export const partial = (schema: TSchema) => optional(nullable(schema));

/** Returns the schema of a constant. */
export const always = Type.Literal;

/** Wraps each of several fields. */
export const each = (wrap: (schema: TSchema) => TSchema, properties: TProperties): TProperties =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, wrap(schema)]));

/** The mint of wrapped SOL. */
export const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
