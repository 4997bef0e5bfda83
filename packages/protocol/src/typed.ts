import { listAt, objectAt } from './json.ts';

const INTEGER = /^(?:0|-?[1-9][0-9]*)$/;
const NUMBER = /^-?(?:0|[1-9][0-9]{0,30})(?:\.[0-9]{1,30})?(?:[eE][-+]?[0-9]{1,3})?$/;

/** Converts a path or query text to a JSON type of its schema. Returns the text if it fits none. */
export function typed(raw: string, schema: unknown): unknown {
  const { type, anyOf } = objectAt(schema);
  for (const each of listAt(anyOf)) {
    const value = typed(raw, each);
    if (value !== raw) return value;
  }
  const types = [type].flat();
  if (types.includes('integer') && INTEGER.test(raw)) return Number(raw);
  if (types.includes('number') && NUMBER.test(raw)) return Number(raw);
  return types.includes('boolean') && (raw === 'true' || raw === 'false') ? raw === 'true' : raw;
}
