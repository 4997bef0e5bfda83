import { createRequire } from 'node:module';
import type { TSchema } from 'typebox';
import { DocumentFault, isMembers, itemsOf, type Members, membersOf, type OpenApiDocument, shown } from './document.ts';

const require = createRequire(import.meta.url);

/** More parts would make the first request to a row slow. */
const MAX_PARTS = 2_000;
const MAX_DEPTH = 16;
const MAX_DESCRIPTION = 300;
/** An answer is described in at most this many parts. */
const MAX_ANSWER_PARTS = 400;

/** A pattern that is matched in linear time. It is a RegExp only because the validator takes no other object; JSON shows its source. */
class LinearPattern extends RegExp {
  readonly #source: string;
  readonly #pattern: import('re2js').RE2JS;

  constructor(source: string) {
    super('');
    const { RE2JS }: typeof import('re2js') = require('re2js');
    this.#source = source;
    this.#pattern = RE2JS.compile(RE2JS.translateRegExp(source));
  }

  override test(text: string): boolean {
    return this.#pattern.test(text);
  }

  toJSON(): string {
    return this.#source;
  }
}

function patternOf(source: unknown): LinearPattern {
  try {
    return new LinearPattern(String(source));
  } catch {
    throw new DocumentFault(`the pattern ${shown(String(source))} cannot be matched in linear time`);
  }
}

const asIs = (value: unknown): unknown => value;

/** Keywords that are checked, with how their values are read. Those with schemas inside are below. */
const CHECKED: Readonly<Record<string, (value: unknown) => unknown>> = {
  type: asIs,
  enum: asIs,
  const: asIs,
  default: asIs,
  minimum: asIs,
  maximum: asIs,
  exclusiveMinimum: asIs,
  exclusiveMaximum: asIs,
  multipleOf: asIs,
  minLength: asIs,
  maxLength: asIs,
  minItems: asIs,
  maxItems: asIs,
  minProperties: asIs,
  maxProperties: asIs,
  required: (value) => itemsOf(value).filter((name) => typeof name === 'string'),
  description: (value) => String(value).slice(0, MAX_DESCRIPTION),
  pattern: patternOf,
  examples: (value) => itemsOf(value).slice(0, 1),
};

/** Keywords that say nothing to a reader of answers. */
const OF_INPUT = ['pattern', 'examples', 'default'];

/** Keywords that restrict a value and that a row does not express. */
const UNSUPPORTED = new Set([
  ...['not', 'if', 'patternProperties', 'propertyNames', 'dependentRequired', 'dependentSchemas', 'dependencies'],
  ...['contains', 'unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef'],
]);

const INSIDE = ['items', 'additionalProperties'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];

/** Bounds as OpenAPI 3.0 writes them: `exclusiveMinimum: true` beside `minimum`. */
function withOwnBounds(node: Members): Members {
  const { exclusiveMinimum, exclusiveMaximum, ...rest } = node;
  const { minimum, maximum, ...others } = rest;
  return {
    ...others,
    ...(exclusiveMinimum === true ? { exclusiveMinimum: minimum } : minimum !== undefined && { minimum }),
    ...(exclusiveMaximum === true ? { exclusiveMaximum: maximum } : maximum !== undefined && { maximum }),
    ...(typeof exclusiveMinimum === 'number' && { exclusiveMinimum }),
    ...(typeof exclusiveMaximum === 'number' && { exclusiveMaximum }),
  };
}

interface ReadingOptions {
  /** A client's values are checked, so each restriction counts; an answer is only described. */
  readonly isChecked: boolean;
  readonly maxDepth: number;
  readonly maxParts: number;
}

/** Reads one schema of a document. */
class SchemaReading {
  readonly #document: OpenApiDocument;
  readonly #options: ReadingOptions;
  readonly #open = new Set<unknown>();
  parts = 0;

  constructor(document: OpenApiDocument, options: ReadingOptions) {
    this.#document = document;
    this.#options = options;
  }

  read(value: unknown): TSchema {
    const node = this.#document.resolve(value);
    if (node === true || node === undefined) return {};
    if (!isMembers(node)) return this.#unreadable('a schema is not an object');
    if (this.#open.has(node)) return this.#unreadable('a schema contains itself');
    const { maxParts, maxDepth } = this.#options;
    if (++this.parts > maxParts) throw new DocumentFault(`a schema has more than ${maxParts} parts`);
    if (this.#open.size >= maxDepth) return this.#unreadable(`a schema is deeper than ${maxDepth}`);
    this.#open.add(node);
    try {
      return this.#members(withOwnBounds(node));
    } finally {
      this.#open.delete(node);
    }
  }

  #unreadable(why: string): TSchema {
    if (this.#options.isChecked) throw new DocumentFault(why);
    return {};
  }

  #members({ nullable, example, ...node }: Members): TSchema {
    const { isChecked } = this.#options;
    const schema: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(example === undefined ? node : { examples: [example], ...node })) {
      if (isChecked && UNSUPPORTED.has(keyword)) throw new DocumentFault(`a schema uses ${keyword}`);
      if (Object.hasOwn(CHECKED, keyword)) {
        if (isChecked || !OF_INPUT.includes(keyword)) schema[keyword] = CHECKED[keyword]?.(value);
      } else if (LISTS.includes(keyword)) schema[keyword] = itemsOf(value).map((each) => this.read(each));
      else if (INSIDE.includes(keyword)) schema[keyword] = typeof value === 'boolean' ? value : this.read(value);
      else if (keyword === 'properties') schema.properties = this.#properties(membersOf(value));
    }
    return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
  }

  #properties(properties: Members): Members {
    const entries = Object.entries(properties).map(([name, each]) => {
      if (name === '__proto__') throw new DocumentFault('a property is named __proto__');
      return [name, this.read(each)] as const;
    });
    return Object.fromEntries(entries);
  }
}

/** A schema that a client's values are checked against. Throws a DocumentFault if a row cannot express it. */
export const checkedSchema = (document: OpenApiDocument, value: unknown): TSchema =>
  new SchemaReading(document, { isChecked: true, maxDepth: MAX_DEPTH, maxParts: MAX_PARTS }).read(value);

/** A schema that describes an answer, as deep as it stays short. */
export function describingSchema(document: OpenApiDocument, value: unknown): TSchema {
  let best: TSchema = {};
  for (let [depth, parts] = [1, 0]; depth <= MAX_DEPTH; depth++) {
    const reading = new SchemaReading(document, { isChecked: false, maxDepth: depth, maxParts: MAX_ANSWER_PARTS });
    try {
      best = reading.read(value);
    } catch (error) {
      if (error instanceof DocumentFault) return best;
      throw error;
    }
    if (reading.parts === parts) return best;
    parts = reading.parts;
  }
  return best;
}

const SAMPLES: Readonly<Record<string, unknown>> = { string: 'text', boolean: true, null: null };

function sampleNumber({ minimum, exclusiveMinimum, multipleOf = 1 }: Members): number {
  const lowest = Number(minimum ?? (exclusiveMinimum === undefined ? 1 : Number(exclusiveMinimum) + 1));
  return Math.ceil(lowest / Number(multipleOf)) * Number(multipleOf);
}

/** A value of a schema: its own example if it has one, else the simplest value. It may break a pattern. */
export function sampleOf(schema: unknown): unknown {
  const node = membersOf(schema);
  const { default: preset, examples, type, properties, items, minItems = 0, minLength = 0, anyOf, oneOf, allOf } = node;
  const [given = preset] = itemsOf(examples);
  if (given !== undefined) return given;
  if (node.const !== undefined) return node.const;
  if (Array.isArray(node.enum)) return node.enum[0];
  const [first] = [...itemsOf(anyOf), ...itemsOf(oneOf)];
  if (first !== undefined) return sampleOf(first);
  if (Array.isArray(allOf)) return Object.assign({}, ...allOf.map((each) => sampleOf(each)));
  const kind: unknown = Array.isArray(type) ? type[0] : type;
  if (kind === 'object' || properties !== undefined) return sampleObject(node);
  if (kind === 'array') return Array.from({ length: Math.max(1, Number(minItems)) }, () => sampleOf(items));
  if (kind === 'integer' || kind === 'number') return sampleNumber(node);
  if (kind === 'string') return 'text'.padEnd(Number(minLength), 't').slice(0, Number(node.maxLength ?? Infinity));
  return SAMPLES[String(kind)] ?? 'text';
}

function sampleObject({ properties, required }: Members): Members {
  const names = itemsOf(required);
  const wanted = Object.entries(membersOf(properties)).filter(([name]) => names.includes(name));
  return Object.fromEntries(wanted.map(([name, each]) => [name, sampleOf(each)]));
}
