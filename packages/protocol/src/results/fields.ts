import Type, { type TProperties, type TSchema } from 'typebox';

/**
 * The words that results are described in. Every object of a result stays open: an upstream may add fields at any time,
 * and the gateway passes them on.
 */
export const object = (properties: TProperties, description?: string) =>
  Type.Object(properties, description === undefined ? {} : { description });

/** Text; `''` is text too. */
export const string = (description: string) => Type.String({ description });

/** A number, fractions included. */
export const number = (description: string) => Type.Number({ description });

/** A whole number. */
export const integer = (description: string) => Type.Integer({ description });

/**
 * An unsigned number of 64 bits: JSON readers that keep numbers as doubles round it beyond 2^53. The maximum is the double next
 * to the largest one, as such readers would refuse the largest otherwise.
 */
export const u64 = (what: string) =>
  Type.Integer({ minimum: 0, maximum: 2 ** 64, description: `${what}, a whole number of up to 64 bits.` });

/** True or false. */
export const flag = (description: string) => Type.Boolean({ description });

/** Money. */
export const usd = (what: string) => number(`${what}, in US dollars.`);

/** A share of a hundred: 3.2 is 3.2 %. */
export const percent = (what: string) => number(`${what}, in percent.`);

/** A point in time. */
export const seconds = (what: string) => integer(`${what}, in Unix seconds.`);

/** A point in time. */
export const milliseconds = (what: string) => integer(`${what}, in Unix milliseconds.`);

/** Any number of the same. */
export const list = (items: TSchema, description: string) => Type.Array(items, { description });

/** Always there, and null when it is not known. */
export const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);

/** Left out when it is not known. */
export const optional = Type.Optional;

/** Left out by some routes, and null where it is there and not known. */
export const partial = (schema: TSchema) => optional(nullable(schema));

/** One and the same value in every answer of this form. */
export const always = Type.Literal;

/** The same wrapper around each of several fields. */
export const each = (properties: TProperties, wrap: (schema: TSchema) => TSchema): TProperties =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, wrap(schema)]));
