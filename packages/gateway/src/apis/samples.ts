import type { TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { isMembers, itemsOf, type Members, membersOf } from './document.ts';

const MAX_CHARACTERS = 4_000;
const MAX_DEPTH = 32;
const MAX_VALUES = 500;
const MAX_TEXT = 1_000;

/** The characters of a value as JSON, about; more than the limit if it is long, deep or contains itself. */
function sizeOf(value: unknown, limit: number, depth: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  if (depth === 0) return limit + 1;
  let size = 2;
  for (const name of Object.keys(value)) {
    size += name.length + 4 + sizeOf(Reflect.get(value, name), limit - size, depth - 1);
    if (size > limit) break;
  }
  return size;
}

/** Whether a value of a document is short enough to be published as it is. */
export const isShort = (value: unknown): boolean => sizeOf(value, MAX_CHARACTERS, MAX_DEPTH) <= MAX_CHARACTERS;

function sampleNumber({ minimum, exclusiveMinimum, multipleOf = 1 }: Members): number {
  const lowest = Number(minimum ?? (exclusiveMinimum === undefined ? 1 : Number(exclusiveMinimum) + 1));
  return Math.ceil(lowest / Number(multipleOf)) * Number(multipleOf);
}

function sampleText({ minLength = 0, maxLength = MAX_TEXT }: Members): string {
  return 'text'.padEnd(Math.min(Number(minLength), MAX_TEXT), 't').slice(0, Number(maxLength));
}

/** Makes one sample, of a limited number of values. */
class Sampling {
  #left = MAX_VALUES;

  of(schema: unknown): unknown {
    if (--this.#left < 0) return null;
    const node = membersOf(schema);
    const { default: preset, examples, type, properties, anyOf, oneOf, allOf } = node;
    const [given = preset] = itemsOf(examples);
    if (given !== undefined) return given;
    if (node.const !== undefined) return node.const;
    if (Array.isArray(node.enum)) return node.enum[0];
    const [first] = [...itemsOf(anyOf), ...itemsOf(oneOf)];
    if (first !== undefined) return this.of(first);
    if (Array.isArray(allOf)) return this.#merged(allOf);
    const kind: unknown = Array.isArray(type) ? type[0] : type;
    if (kind === 'object' || properties !== undefined) return this.#object(node);
    if (kind === 'array') return this.#list(node);
    if (kind === 'integer' || kind === 'number') return sampleNumber(node);
    if (kind === 'null') return null;
    return kind === 'boolean' ? true : sampleText(node);
  }

  /** The first of several values of a member is the narrowest in most documents. */
  #merged(schemas: readonly unknown[]): unknown {
    const [first, ...rest] = schemas.map((each) => this.of(each)).reverse();
    return isMembers(first) ? Object.assign({}, first, ...rest) : first;
  }

  #list({ items, minItems = 0 }: Members): unknown[] {
    const length = Math.min(Math.max(1, Number(minItems)), MAX_VALUES);
    const values: unknown[] = [];
    while (values.length < length && this.#left > 0) values.push(this.of(items));
    return values;
  }

  #object({ properties, required, minProperties = 0 }: Members): Members {
    const names = itemsOf(required);
    const all = Object.entries(membersOf(properties));
    const isRequired = ([name]: readonly [string, unknown]): boolean => names.includes(name);
    const others = all.filter((each) => !isRequired(each));
    const wanted = [...all.filter(isRequired), ...others.slice(0, Math.max(0, Number(minProperties) - names.length))];
    return Object.fromEntries(wanted.map(([name, each]) => [name, this.of(each)]));
  }
}

/** A value of a schema: its own example if it has one, else the simplest value; undefined if that breaks the schema. */
export function sampleOf(schema: TSchema): unknown {
  const sample = new Sampling().of(schema);
  return Check(schema, sample) ? sample : undefined;
}
