import { listAt, type Members, objectAt } from './json.ts';

const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;
const NUMBER = /^-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,3})?$/;

/** The types of each schema. A schema has one type or several, also in alternatives. A list has the same schema for each item. */
const known = new WeakMap<object, ReadonlySet<unknown>>();

function typesOf(schema: Members): ReadonlySet<unknown> {
  const { type, anyOf } = schema;
  const types =
    known.get(schema) ?? new Set([type, ...listAt(anyOf).map((each) => [...typesOf(objectAt(each))])].flat());
  known.set(schema, types);
  return types;
}

/** Converts a path or query text to a JSON type of its schema. Returns the text if it fits none. */
export function typed(raw: string, schema: unknown): unknown {
  const types = typesOf(objectAt(schema));
  if (types.has('integer') && INTEGER.test(raw)) return Number(raw);
  if (types.has('number') && NUMBER.test(raw)) return Number(raw);
  return types.has('boolean') && (raw === 'true' || raw === 'false') ? raw === 'true' : raw;
}
