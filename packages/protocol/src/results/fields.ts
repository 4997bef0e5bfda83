import Type, { type TProperties, type TSchema } from 'typebox';

/** An object of a result. It stays open: the gateway passes on fields that an upstream adds. */
export const object = (properties: TProperties, description?: string) =>
  Type.Object(properties, description === undefined ? {} : { description });

/** Text, possibly empty. */
export const string = (description: string) => Type.String({ description });

/** A number, fractions included. */
export const number = (description: string) => Type.Number({ description });

/** A whole number. */
export const integer = (description: string) => Type.Integer({ description });

/**
 * An unsigned 64-bit integer. Readers that use doubles round it beyond 2^53; the maximum is a double so that they accept the largest
 * value.
 */
export const u64 = (what: string) =>
  Type.Integer({ minimum: 0, maximum: 2 ** 64, description: `${what}, a whole number of up to 64 bits.` });

/** True or false. */
export const flag = (description: string) => Type.Boolean({ description });

/** Money. */
export const usd = (what: string) => number(`${what}, in US dollars.`);

/** A percentage: 3.2 is 3.2 %. */
export const percent = (what: string) => number(`${what}, in percent.`);

/** A point in time. */
export const seconds = (what: string) => integer(`${what}, in Unix seconds.`);

/** A point in time. */
export const milliseconds = (what: string) => integer(`${what}, in Unix milliseconds.`);

/** A list. */
export const list = (items: TSchema, description: string) => Type.Array(items, { description });

/** Always present; null if unknown. */
export const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()]);

/** Absent if unknown. */
export const optional = Type.Optional;

/** Absent on some routes; null if unknown. */
export const partial = (schema: TSchema) => optional(nullable(schema));

/** A constant. */
export const always = Type.Literal;

/** Wraps each of several fields. */
export const each = (properties: TProperties, wrap: (schema: TSchema) => TSchema): TProperties =>
  Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, wrap(schema)]));
