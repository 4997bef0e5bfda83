import { isObject, listAt, type Members, objectAt } from '@asset-gateway/protocol';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { matching } from './patterns.ts';

const MAX_CHARACTERS = 4_000;
const MAX_DEPTH = 32;
const MAX_VALUES = 500;
const MAX_TEXT = 1_000;

/**
 * Returns the approximate length of a value as JSON. The result exceeds the limit if the value is too long or too deep, or contains itself.
 */
function jsonLengthOf(value: unknown, limit: number, depth: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  if (depth === 0) return limit + 1;
  let size = 2;
  for (const name of Object.keys(value)) {
    size += name.length + 4 + jsonLengthOf(Reflect.get(value, name), limit - size, depth - 1);
    if (size > limit) break;
  }
  return size;
}

/** Whether a document's value is short enough to publish. */
export const isShort = (value: unknown): boolean => jsonLengthOf(value, MAX_CHARACTERS, MAX_DEPTH) <= MAX_CHARACTERS;

function sampleNumber({ minimum, exclusiveMinimum, multipleOf = 1 }: Members): number {
  const lowest = Number(minimum ?? (exclusiveMinimum === undefined ? 1 : Number(exclusiveMinimum) + 1));
  return Math.ceil(lowest / Number(multipleOf)) * Number(multipleOf);
}

function sampleText(schema: Members): string {
  const { minLength = 0, maxLength = MAX_TEXT, pattern } = schema;
  const text = 'text'.padEnd(Math.min(Number(minLength), MAX_TEXT), 't').slice(0, Number(maxLength));
  if (pattern === undefined || Check(schema, text)) return text;
  return matching(String(pattern), MAX_TEXT);
}

/** The ways to make a sample, fastest first: with the document's examples, without them, and by trying alternatives. */
const WAYS = ['given', 'simple', 'tried'] as const;

/** Returns the members that an object's schema and the schema's parts describe. */
const membersOf = ({ properties, allOf }: Members): unknown[] => [
  ...Object.keys(objectAt(properties)),
  ...listAt(allOf).flatMap((part) => membersOf(objectAt(part))),
];

/** Makes one sample from a limited number of values. */
class Sampling {
  readonly #way: (typeof WAYS)[number];
  #left = MAX_VALUES;

  constructor(way: (typeof WAYS)[number]) {
    this.#way = way;
  }

  of(schema: unknown): unknown {
    if (--this.#left < 0) return null;
    const node = objectAt(schema);
    const { default: preset, examples, type, properties, anyOf, oneOf, allOf, ...rest } = node;
    const [given = preset] = listAt(examples);
    if (given !== undefined && this.#way === 'given') return given;
    if (node.const !== undefined) return node.const;
    if (Array.isArray(node.enum)) return node.enum[0];
    const parts = [...listAt(allOf), ...listAt(anyOf).slice(0, 1), ...this.#only(listAt(oneOf))];
    if (parts.length > 0) {
      const required = [rest, ...parts].flatMap((each) => listAt(objectAt(each).required));
      return this.#merged(properties ? [{ ...rest, properties }, ...parts] : parts, required);
    }
    const kind: unknown = Array.isArray(type) ? type[0] : type;
    if (kind === 'object' || properties !== undefined) return this.#object(node);
    if (kind === 'array') return this.#list(node);
    if (kind === 'integer' || kind === 'number') return sampleNumber(node);
    if (kind === 'null') return null;
    return kind === 'boolean' ? true : sampleText(node);
  }

  /** Returns the first alternative whose sample fits no other alternative. */
  #only(oneOf: readonly unknown[]): readonly unknown[] {
    const isOnly = (each: unknown) => this.#left > 0 && Check({ oneOf } as TSchema, this.of(each));
    const only = this.#way === 'tried' ? oneOf.find(isOnly) : undefined;
    return only === undefined ? oneOf.slice(0, 1) : [only];
  }

  /**
   * Returns a sample that fits all schemas. If several describe a member, the first is the narrowest in most documents, and the last in
   * documents that narrow a common base.
   */
  #merged(schemas: readonly unknown[], required: readonly unknown[]): unknown {
    const samples = this.#each(schemas, required);
    const objects = samples.filter(isObject).reverse();
    if (objects.length === 0) return samples[0];
    const merged = this.#filled(Object.assign({}, ...objects), required);
    if (this.#way !== 'tried' || Check({ allOf: schemas } as TSchema, merged)) return merged;
    const narrower = this.#each(schemas, Object.keys(merged)).filter(isObject);
    return this.#filled(Object.assign({}, ...narrower), required);
  }

  /** Returns a sample of each schema, with those of these members that the schema describes. */
  #each(schemas: readonly unknown[], names: readonly unknown[]): unknown[] {
    return schemas.map((schema) => {
      const each = objectAt(schema);
      const described = new Set(membersOf(each));
      return this.of(described.size > 0 ? { ...each, required: names.filter((name) => described.has(name)) } : each);
    });
  }

  /** Adds members that are required but have no schema. */
  #filled(value: Members, required: unknown): Members {
    const missing = listAt(required).filter((name) => !Object.hasOwn(value, String(name)));
    const some = missing.slice(0, Math.max(0, this.#left));
    return { ...value, ...Object.fromEntries(some.map((name) => [name, this.of({})])) };
  }

  #list({ items, minItems = 0 }: Members): unknown[] {
    const length = Math.min(Math.max(1, Number(minItems)), MAX_VALUES);
    const values: unknown[] = [];
    while (values.length < length && this.#left > 0) values.push(this.of(items));
    return values;
  }

  #object({ properties, required, minProperties = 0 }: Members): Members {
    const names = listAt(required);
    const all = Object.entries(objectAt(properties));
    const isRequired = ([name]: readonly [string, unknown]): boolean => names.includes(name);
    const others = all.filter((each) => !isRequired(each));
    const wanted = [...all.filter(isRequired), ...others.slice(0, Math.max(0, Number(minProperties) - names.length))];
    return this.#filled(Object.fromEntries(wanted.map(([name, each]) => [name, this.of(each)])), required);
  }
}

/**
 * Returns a value of a schema: its own example if that fits, or else the simplest value; undefined if neither fits. `openapi-sampler`
 * ignores patterns, `multipleOf` and required members without a description.
 */
export function sampleOf(schema: TSchema, fits = (value: unknown) => Check(schema, value)): unknown {
  for (const way of WAYS) {
    const sample = new Sampling(way).of(schema);
    if (fits(sample)) return sample;
  }
  return undefined;
}
