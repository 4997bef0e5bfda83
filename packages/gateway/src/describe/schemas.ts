import { envelope, type Route } from '@asset-gateway/protocol';
import type { TSchema } from 'typebox';

/** A JSON object in a document. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON Schema as plain data. */
export type JsonSchema = JsonObject;

const isObject = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Returns a row's schema as it was written, including members that JSON omits. */
export const written = (schema: TSchema): JsonSchema => schema as JsonSchema;

/** Returns a row's schema as plain JSON. */
export const published = (schema: TSchema): JsonSchema => JSON.parse(JSON.stringify(schema)) as JsonSchema;

/** Returns a row's rules as data, without their functions. */
export const publishedRules = ({ rules }: Route): JsonObject[] =>
  rules.map(({ holds: _, choice: __, ...rule }) => rule);

const PRICE: JsonSchema = { type: 'string', pattern: '^[0-9]+\\.[0-9]{2,6}$', description: 'Dollars paid.' };

/** Returns the schema of a row's success as it was written: the envelope around the result. */
export function answerSchema(route: Route): JsonSchema {
  const result = written(route.result.schema);
  if (route.surface === 'system') return result;
  const members = JSON.parse(envelope(route, '{}', '0.00')) as Readonly<Record<string, unknown>>;
  const schemas: Readonly<Record<string, JsonSchema>> = { result, priceUsd: PRICE };
  const properties = Object.entries(members).map(([name, value]) => [name, schemas[name] ?? { const: value }]);
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(members),
    additionalProperties: false,
  };
}

/** Returns a row's success with its example as the result; undefined without an example. */
export function answerExample(route: Route, priceUsd: string): unknown {
  const { example } = route.result;
  return example === null ? undefined : JSON.parse(envelope(route, JSON.stringify(example), priceUsd));
}

/** Returns a schema with `change` applied to it and to all its subschemas. Names of properties are not keywords. */
export function mapSchema(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const inside = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inside);
    return isObject(value) ? mapSchema(value, change) : value;
  };
  const entries = Object.entries(schema).map(([keyword, value]) => {
    if (keyword !== 'properties' || !isObject(value)) return [keyword, inside(value)];
    return [keyword, Object.fromEntries(Object.entries(value).map(([name, property]) => [name, inside(property)]))];
  });
  return change(Object.fromEntries(entries) as JsonSchema);
}

/** Returns the schema without descriptions. */
export const withoutDescriptions = (schema: JsonSchema): JsonSchema =>
  mapSchema(schema, ({ description: _, ...rest }) => rest);

const BOUNDS = ['minimum', 'maximum', 'minLength', 'maxLength', 'pattern', 'minItems', 'maxItems', 'uniqueItems'];

/** Returns the schema without bounds of single values. Types, names and enums stay. */
export const withoutBounds = (schema: JsonSchema): JsonSchema =>
  mapSchema(schema, (part) => Object.fromEntries(Object.entries(part).filter(([name]) => !BOUNDS.includes(name))));

/** The shortest part that is worth a reference. */
const MIN_SHARED_LENGTH = 40;

/** Moves repeated parts of a schema to `$defs`, and references them. */
export function withSharedParts(schema: JsonSchema): JsonSchema {
  const texts: string[] = [];
  mapSchema(schema, (part) => {
    texts.push(JSON.stringify(part));
    return part;
  });
  const repeated = texts.filter((text, index) => text.length >= MIN_SHARED_LENGTH && texts.indexOf(text) !== index);
  const names = new Map([...new Set(repeated)].map((text, index) => [text, `part${index + 1}`]));
  const parts: Record<string, JsonSchema> = {};
  let visited = 0;
  // This walk visits the parts in the same order as the one above.
  const rest = mapSchema(schema, (part) => {
    const name = names.get(texts[visited++] ?? '');
    if (name === undefined) return part;
    parts[name] = part;
    return { $ref: `#/$defs/${name}` };
  });
  return names.size > 0 ? { ...rest, $defs: parts } : rest;
}
