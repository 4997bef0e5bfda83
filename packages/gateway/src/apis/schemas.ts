import { createRequire } from 'node:module';
import type { TSchema } from 'typebox';
import { DocumentFault, isMembers, itemsOf, type Members, membersOf, type OpenApiDocument, shown } from './document.ts';
import { isShort } from './samples.ts';

const require = createRequire(import.meta.url);

/** More parts would make the first request to a row slow. */
const MAX_PARTS = 2_000;
const MAX_DEPTH = 16;
const MAX_DESCRIPTION = 300;
const MAX_PATTERN = 500;
/** The instructions of a compiled pattern, and the characters that it is matched against: their product bounds the time. */
const MAX_PROGRAM = 600;
const MAX_MATCHED = 1_000;
const MAX_ENUM = 1_000;
/** Many values of a list cost as much as one part. */
const VALUES_PER_PART = 10;
const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];
/** An answer is described in at most this many parts. */
const MAX_ANSWER_PARTS = 400;

/** Loads the library only for a document that has a pattern. */
function compiled(source: string): import('re2js').RE2JS {
  const { RE2JS, RE2JSException }: typeof import('re2js') = require('re2js');
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new DocumentFault('cannot be matched in linear time');
  }
}

/**
 * A pattern that is matched in linear time, against a text that is not too long. It is a RegExp only because the validator takes no
 * other object; JSON shows its source.
 */
class LinearPattern extends RegExp {
  readonly #source: string;
  readonly #pattern: import('re2js').RE2JS;

  constructor(source: string) {
    super('');
    this.#source = source;
    this.#pattern = compiled(source);
    if (this.#pattern.programSize() > MAX_PROGRAM) throw new DocumentFault('takes too long to match');
  }

  override test(text: string): boolean {
    return text.length <= MAX_MATCHED && this.#pattern.test(text);
  }

  override toString(): string {
    return this.#source;
  }

  toJSON(): string {
    return this.#source;
  }
}

function patternOf(source: unknown): LinearPattern {
  if (String(source).length > MAX_PATTERN) throw new DocumentFault(`is longer than ${MAX_PATTERN} characters`);
  return new LinearPattern(String(source));
}

function faultOf(error: unknown, keyword: string, value: unknown): unknown {
  if (!(error instanceof DocumentFault)) return error;
  const text = typeof value === 'object' ? '' : `${shown(String(value))} `;
  return new DocumentFault(`${keyword} ${text}${error.message}`);
}

/** The value of a keyword, if it is one that the keyword may have. */
type KeywordValue = (value: unknown) => unknown;

const only =
  (isValid: (value: unknown) => boolean, kind: string): KeywordValue =>
  (value) => {
    if (!isValid(value)) throw new DocumentFault(`is not ${kind}`);
    return value;
  };

const forAll = (keywords: readonly string[], value: KeywordValue) =>
  Object.fromEntries(keywords.map((keyword) => [keyword, value]));
const aCount = only((value) => Number.isSafeInteger(value) && Number(value) >= 0, 'a whole number');
const aValue = only(isShort, 'a short value');

/** Keywords that are checked, with how their values are read. Those with schemas inside are below. */
const CHECKED: Readonly<Record<string, KeywordValue>> = {
  type: only((value) => [value].flat().every((each) => TYPES.includes(String(each))), 'a type'),
  enum: only(
    (value) => Array.isArray(value) && value.length <= MAX_ENUM && value.every(isShort),
    `a list of up to ${MAX_ENUM} short values`,
  ),
  const: aValue,
  default: aValue,
  ...forAll(['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], only(Number.isFinite, 'a number')),
  multipleOf: only((value) => Number.isFinite(value) && Number(value) > 0, 'above 0'),
  ...forAll(['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'], aCount),
  required: (value) => itemsOf(value).filter((name) => typeof name === 'string'),
  description: (value) => String(value).slice(0, MAX_DESCRIPTION),
  pattern: patternOf,
  examples: (value) => itemsOf(value).slice(0, 1).filter(isShort),
};

/** Keywords that say nothing to a reader of answers. */
const OF_INPUT = ['pattern', 'examples', 'default'];

/** Keywords that restrict a value and that a row does not express. */
const UNSUPPORTED = new Set([
  ...['not', 'if', 'patternProperties', 'propertyNames', 'dependentRequired', 'dependentSchemas', 'dependencies'],
  ...['contains', 'unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef'],
]);

/** Whether every object has a member of this name, so that the validator cannot tell that it is absent. */
export const isInherited = (name: string): boolean => name in Object.prototype;

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
        if (isChecked || !OF_INPUT.includes(keyword)) this.#keyword(schema, keyword, value);
      } else if (LISTS.includes(keyword)) schema[keyword] = itemsOf(value).map((each) => this.read(each));
      else if (INSIDE.includes(keyword)) schema[keyword] = typeof value === 'boolean' ? value : this.read(value);
      else if (keyword === 'properties') schema.properties = this.#properties(membersOf(value));
    }
    const { properties } = schema;
    // An answer's required members are those that are described.
    if (!isChecked && isMembers(properties))
      schema.required = itemsOf(schema.required).filter((name) => Object.hasOwn(properties, String(name)));
    return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
  }

  /** A wrong value makes the schema of an input a fault, and is left out of an answer. */
  #keyword(schema: Record<string, unknown>, keyword: string, value: unknown): void {
    try {
      schema[keyword] = CHECKED[keyword]?.(value);
      if (Array.isArray(value)) this.parts += Math.floor(value.length / VALUES_PER_PART);
    } catch (error) {
      if (!(error instanceof DocumentFault) || this.#options.isChecked) throw faultOf(error, keyword, value);
    }
  }

  #properties(properties: Members): Members {
    const entries = Object.entries(properties).map(([name, each]) => {
      const isUnusable = this.#options.isChecked ? isInherited(name) : name === '__proto__';
      if (isUnusable) throw new DocumentFault(`a property is named ${name}`);
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
