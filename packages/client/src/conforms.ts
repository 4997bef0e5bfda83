import {
  ADDRESS_OR_NAME_PATTERN,
  ADDRESS_PATTERN,
  ASSET_ID_PATTERN,
  type Issue,
  type Members,
  objectAt,
  oneLine,
  SIGNATURE_PATTERN,
} from '@asset-gateway/protocol/wire';

/** The place and the rule that a value violates, if any. */
type Violation = Pick<Issue, 'name' | 'rule' | 'message'> | undefined;

/** The only patterns that the client runs. Another pattern from a gateway could backtrack for ever. */
const PATTERNS = [ADDRESS_PATTERN, SIGNATURE_PATTERN, ASSET_ID_PATTERN, ADDRESS_OR_NAME_PATTERN];
/** The most steps of a check. The gateway provides the schema, so it could be expensive; the gateway itself checks the rest. */
const MAX_STEPS = 10_000;
const MAX_LENGTH = 200;
const MAX_DEPTH = 64;
const MAX_VALUES = 20;

/** Returns the first values of a list, on one line. */
const shown = (values: readonly unknown[]): string =>
  values
    .slice(0, MAX_VALUES)
    .map((value) => (typeof value === 'object' ? '…' : oneLine(String(value), 40)))
    .concat(values.length > MAX_VALUES ? '…' : [])
    .join(', ');

const typeOf = (value: unknown): string => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
};

const isOfType = (value: unknown, types: readonly unknown[]): boolean =>
  types.includes(typeOf(value)) || (Number.isInteger(value) && types.includes('number'));

/** Returns a list in a schema; empty if it is longer than any list of ours. */
const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) && value.length <= MAX_LENGTH ? value : [];

/**
 * Checks a value against a schema's common keywords, and ignores others. It uses no library, because libraries run the
 * schema's own patterns, or compile the schema, which a page's policy may forbid.
 */
class Validator {
  #steps = 0;
  #depth = 0;

  find(schema: unknown, value: unknown, name: string): Violation {
    if (typeof schema !== 'object' || schema === null || ++this.#steps > MAX_STEPS || this.#depth > MAX_DEPTH)
      return undefined;
    this.#depth++;
    const found = this.#check(schema as Members, value, name);
    this.#depth--;
    return found;
  }

  #check(schema: Members, value: unknown, name: string): Violation {
    const { type, enum: values, anyOf } = schema;
    const types = typeof type === 'string' ? [type] : listOf(type);
    const [allowed, alternatives] = [listOf(values), listOf(anyOf)];
    if (types.length > 0 && !isOfType(value, types))
      return { name, rule: 'type', message: `Must be of type ${shown(types)}.` };
    if (allowed.length > 0 && !allowed.includes(value))
      return { name, rule: 'enum', message: `Must be one of ${shown(allowed)}.` };
    if (alternatives.length > 0) return this.#anyOf(alternatives, value, name);
    if (Array.isArray(value)) return this.#list(schema, value, name);
    if (typeof value === 'object' && value !== null) return this.#object(schema, value, name);
    return scalar(schema, value, name);
  }

  #anyOf(schemas: readonly unknown[], value: unknown, name: string): Violation {
    const found = schemas.map((each) => this.find(each, value, name));
    return found.every(Boolean) ? found[0] : undefined;
  }

  #list(schema: Members, value: readonly unknown[], name: string): Violation {
    const bound = boundOf(schema, 'Items', value.length, ' items');
    if (bound) return { name, ...bound };
    const first = listOf(schema.prefixItems);
    for (const [at, item] of value.entries()) {
      const found = this.find(first[at] ?? schema.items, item, `${name}[${at}]`);
      if (found) return found;
    }
    return undefined;
  }

  #object({ properties, required, additionalProperties }: Members, value: object, name: string): Violation {
    const known = objectAt(properties);
    const nameOf = (member: string): string => (name ? `${name}.${member}` : member);
    const missing = listOf(required).find((each) => typeof each === 'string' && !Object.hasOwn(value, each));
    if (missing !== undefined)
      return { name: nameOf(String(missing)), rule: 'required', message: 'This parameter is required.' };
    for (const [member, each] of Object.entries(value)) {
      const schema = Object.hasOwn(known, member) ? known[member] : undefined;
      if (schema === undefined && additionalProperties === false)
        return { name: nameOf(member), rule: 'additionalProperties', message: 'There is no such parameter.' };
      const found = this.find(schema, each, nameOf(member));
      if (found) return found;
    }
    return undefined;
  }
}

/** Returns the broken `min` or `max` bound with this suffix, if any. */
function boundOf(schema: Members, suffix: string, size: number, unit = ''): Omit<Issue, 'in' | 'name'> | undefined {
  const [least, most] = [schema[`min${suffix}`], schema[`max${suffix}`]];
  if (typeof least === 'number' && size < least)
    return { rule: `min${suffix}`, message: `Must be at least ${least}${unit}.` };
  if (typeof most === 'number' && size > most)
    return { rule: `max${suffix}`, message: `Must be at most ${most}${unit}.` };
  return undefined;
}

function scalar(schema: Members, value: unknown, name: string): Violation {
  const pattern = PATTERNS.find(({ source }) => source === schema.pattern);
  if (typeof value === 'string' && pattern && !pattern.test(value))
    return { name, rule: 'pattern', message: `Must match ${pattern.source}.` };
  const bound =
    typeof value === 'string'
      ? boundOf(schema, 'Length', [...value].length, ' characters')
      : boundOf(schema, 'imum', Number(value));
  return bound && { name, ...bound };
}

/**
 * Returns the first violation of a JSON Schema in a value, if any. The gateway would refuse the value too, but would have a signed payment
 * by then.
 */
export function violationOf(schema: unknown, value: unknown, place: Issue['in']): Issue | undefined {
  const found = new Validator().find(schema, value, '');
  return found && { in: place, ...found, name: oneLine(found.name, 64) || place, message: oneLine(found.message, 300) };
}
