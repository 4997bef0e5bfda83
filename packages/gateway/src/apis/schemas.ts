import { isObject, listAt, type Members, objectAt } from '@asset-gateway/protocol';
import type { TSchema } from 'typebox';
import { COMPOSED, DocumentFault, type OpenApiDocument, shown } from './document.ts';
import { isInherited } from './path-texts.ts';
import { patternOf } from './patterns.ts';
import { isShort } from './samples.ts';

/** The most parts of a schema. With more, the first request to a row would be slow. */
const MAX_PARTS = 2_000;
const MAX_DEPTH = 16;
const MAX_DESCRIPTION = 300;
const MAX_ENUM = 2_000;
/** How many values of a list cost as much as one part. */
const VALUES_PER_PART = 10;
const TYPES = ['string', 'integer', 'number', 'boolean', 'object', 'array', 'null'];
/** The most parts that describe an answer. */
const MAX_ANSWER_PARTS = 400;

/** Reads the value of a keyword. Throws a DocumentFault if the keyword cannot have it. */
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

/** Checked keywords, each with the function that reads its value. Keywords that contain schemas are below. */
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
  required: (value) => listAt(value).filter((name) => typeof name === 'string'),
  description: (value) => String(value).slice(0, MAX_DESCRIPTION),
  pattern: patternOf,
  examples: (value) => listAt(value).slice(0, 1).filter(isShort),
};

/** The keywords that a description of answers does not need. */
const OF_INPUT = ['pattern', 'examples', 'default'];

/** The keywords that restrict a value but are not checked. */
const UNSUPPORTED = new Set([
  ...['not', 'if', 'patternProperties', 'propertyNames', 'dependentRequired', 'dependentSchemas', 'dependencies'],
  ...['contains', 'unevaluatedProperties', 'unevaluatedItems', '$dynamicRef', '$recursiveRef'],
]);

const INSIDE = ['items', 'additionalProperties'];
const LISTS = [...COMPOSED, 'prefixItems'];

/**
 * Functions that convert an enum's values to its type. They are needed because YAML reads `no` and `1` as other types than the document
 * means.
 */
const SPELLINGS: Readonly<Record<string, (value: unknown) => unknown>> = {
  string: String,
  integer: Number,
  number: Number,
  boolean: (value) => String(value) === 'true',
};

/** Returns a schema with the bounds of OpenAPI 3.1. 3.0 has `exclusiveMinimum: true` beside `minimum`. */
function withOwnBounds(node: Members): Members {
  const own: Record<string, unknown> = { ...node };
  for (const bound of ['Minimum', 'Maximum']) {
    const plain = bound.toLowerCase();
    const exclusive = `exclusive${bound}`;
    if (typeof own[exclusive] !== 'boolean') continue;
    if (own[exclusive]) own[exclusive] = own[plain];
    delete own[node[exclusive] === true ? plain : exclusive];
  }
  return own;
}

interface ReadingOptions {
  /** Whether values are checked, as a client's values are. An answer is only described. */
  readonly isChecked: boolean;
  readonly maxDepth: number;
  readonly maxParts: number;
}

class TooManyParts extends DocumentFault {}

/** Reads one schema of a document. Parts that it cannot read accept any value and are noted. */
class SchemaReading {
  readonly #document: OpenApiDocument;
  readonly #options: ReadingOptions;
  readonly #open = new Set<unknown>();
  #parts = 0;
  readonly notes: string[] = [];

  constructor(document: OpenApiDocument, options: ReadingOptions) {
    this.#document = document;
    this.#options = options;
  }

  read(value: unknown, label: string): TSchema {
    const node = this.#document.resolve(value);
    if (node === true || node === undefined) return {};
    if (!isObject(node)) return this.#anything(label, 'is not an object');
    if (this.#open.has(node)) return this.#anything(label, 'contains itself');
    this.#count(1);
    if (this.#open.size >= this.#options.maxDepth) return this.#anything(label, 'is too deep');
    this.#open.add(node);
    try {
      return this.#members(withOwnBounds(node), label);
    } finally {
      this.#open.delete(node);
    }
  }

  #count(parts: number): void {
    this.#parts += parts;
    if (this.#parts > this.#options.maxParts) throw new TooManyParts('is too large');
  }

  #anything(label: string, why: string): TSchema {
    if (this.#options.isChecked) this.notes.push(`${label}: not checked, since its schema ${why}`);
    return {};
  }

  #members({ nullable, example, ...node }: Members, label: string): TSchema {
    const { isChecked } = this.#options;
    const schema: Record<string, unknown> = {};
    const all = Object.entries(example === undefined ? node : { examples: [example], ...node });
    for (const [keyword, value] of all) {
      if (UNSUPPORTED.has(keyword)) this.#anything(label, `uses ${keyword}`);
      else if (Object.hasOwn(CHECKED, keyword)) {
        if (isChecked || !OF_INPUT.includes(keyword)) this.#keyword(schema, keyword, value, label);
      } else if (LISTS.includes(keyword)) this.#list(schema, keyword, node, label);
      else if (INSIDE.includes(keyword)) {
        schema[keyword] = typeof value === 'boolean' ? value : this.read(value, `${label}[]`);
      } else if (keyword === 'properties') schema.properties = this.#properties(objectAt(value), label);
    }
    const { properties } = schema;
    // An answer requires only members that the schema describes.
    if (!isChecked && isObject(properties))
      schema.required = listAt(schema.required).filter((name) => Object.hasOwn(properties, String(name)));
    const asType = SPELLINGS[String(schema.type)];
    if (asType && Array.isArray(schema.enum))
      schema.enum = schema.enum.map((each) => (isObject(each) ? each : asType(each)));
    // Some documents put the allowed items into the enum of the list itself. No list can match that.
    if (schema.type === 'array' && Array.isArray(schema.enum) && !schema.enum.some(Array.isArray)) {
      delete schema.enum;
      this.#anything(label, 'is a list with an enum of items');
    }
    return nullable === true ? { anyOf: [schema, { type: 'null' }] } : schema;
  }

  /** Reads a list of alternatives. If a part of one is not checked, or if only a discriminator tells them apart, several may fit. */
  #list(schema: Record<string, unknown>, keyword: string, node: Members, label: string): void {
    const before = this.notes.length;
    const parts = listAt(node[keyword]).map((each) => this.read(each, label));
    const isLoose = keyword === 'oneOf' && (this.notes.length > before || isObject(node.discriminator));
    schema[isLoose && !('anyOf' in schema) ? 'anyOf' : keyword] = parts;
  }

  /** Reads one keyword. A wrong value is a fault in an input's schema; in an answer's schema the keyword is left out. */
  #keyword(schema: Record<string, unknown>, keyword: string, value: unknown, label: string): void {
    try {
      schema[keyword] = CHECKED[keyword]?.(value);
      if (Array.isArray(value)) this.#count(Math.floor(value.length / VALUES_PER_PART));
    } catch (error) {
      if (!(error instanceof DocumentFault) || error instanceof TooManyParts) throw error;
      const why = `${keyword} ${typeof value === 'object' ? '' : `${shown(String(value))} `}${error.message}`;
      if (keyword === 'pattern') this.#anything(label, `has a ${why}`);
      else if (this.#options.isChecked) throw new DocumentFault(label === '' ? why : `${label}: ${why}`);
    }
  }

  #properties(properties: Members, label: string): Members {
    const entries = Object.entries(properties).flatMap(([name, each]) => {
      const isUsable = this.#options.isChecked ? !isInherited(name) : name !== '__proto__';
      if (isUsable) return [[name, this.read(each, `${label}.${name}`)] as const];
      this.#anything(`${label}.${name}`, 'has a name that every object inherits');
      return [];
    });
    return Object.fromEntries(entries);
  }
}

/** Returns the deepest reading of a schema within the limit of parts, and the parts that are not checked. */
function deepest(document: OpenApiDocument, value: unknown, options: Omit<ReadingOptions, 'maxDepth'>, label: string) {
  const attempt = (maxDepth: number) => {
    const reading = new SchemaReading(document, { ...options, maxDepth });
    try {
      return { schema: reading.read(value, label), notes: reading.notes };
    } catch (error) {
      if (error instanceof TooManyParts || (error instanceof DocumentFault && !options.isChecked)) return undefined;
      throw error;
    }
  };
  const whole = attempt(MAX_DEPTH);
  if (whole) return whole;
  let best = { schema: {} as TSchema, notes: [`${label}: not checked, since its schema is too large`] };
  for (let depth = 1; depth < MAX_DEPTH; depth++) {
    const deeper = attempt(depth);
    if (!deeper) break;
    best = deeper;
  }
  return best;
}

/**
 * Returns a schema for a client's values. Parts that cannot be checked accept any value, and are noted with their place. Throws a
 * DocumentFault if the value is not a schema.
 */
export function checkedSchema(document: OpenApiDocument, value: unknown, label: string, notes: Set<string>): TSchema {
  const found = deepest(document, value, { isChecked: true, maxParts: MAX_PARTS }, label);
  for (const note of found.notes) notes.add(note);
  return found.schema;
}

/** Returns a schema that describes an answer, as deep as MAX_ANSWER_PARTS allows. */
export const describingSchema = (document: OpenApiDocument, value: unknown): TSchema =>
  deepest(document, value, { isChecked: false, maxParts: MAX_ANSWER_PARTS }, '').schema;
