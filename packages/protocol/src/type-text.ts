import { oneLine, withEscapes } from './foreign.ts';
import { listAt, type Members, objectAt } from './json.ts';

/**
 * The direction of a type. `input`: optional members may be `undefined`, and large integers bigints. `result`: a method's result, whose
 * 64-bit integers are known. `answer`: the result of a call by name, in which each integer beyond 2^53 is a bigint.
 */
type Direction = 'input' | 'result' | 'answer';

const UINT64_MAXIMUM = 2 ** 64;
const NAME = /^[A-Za-z_$][\w$]*$/;
const MAX_DESCRIPTION = 1_000;
/** The depth beyond which the parts of a schema become `unknown`. */
const MAX_DEPTH = 40;
const SCALARS = ['string', 'number', 'boolean', 'null'];

/** Whether a schema describes a 64-bit integer. A double cannot hold it, so results have a bigint. */
const isUint64 = ({ type, maximum }: Members): boolean => type === 'integer' && maximum === UINT64_MAXIMUM;

/** Returns a property name, quoted if necessary. */
export const quoted = (name: string): string => (NAME.test(name) ? name : literal(name));

/** Returns a JSON value as a TypeScript literal. */
export function literal(value: unknown): string {
  if (typeof value === 'string') return `'${withEscapes(JSON.stringify(value).slice(1, -1)).replaceAll("'", "\\'")}'`;
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const members = Object.entries(value).map(([name, each]) => `${quoted(name)}: ${literal(each)}`);
  return members.length > 0 ? `{ ${members.join(', ')} }` : '{}';
}

/** Returns a doc comment that its lines cannot end. */
export function comment(lines: readonly string[], indent: string): string {
  const safe = lines.map((line) => oneLine(line, MAX_DESCRIPTION).replaceAll('*/', '*\\/'));
  if (safe.length === 0) return '';
  if (safe.length === 1) return `${indent}/** ${safe[0]} */\n`;
  return `${indent}/**\n${safe.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
}

/** Returns the type of an enum's value. An object or list would be typed member by member. */
const constantText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? 'unknown' : literal(value);

/** Returns a union of these types, without repetition. */
function unionOf(texts: readonly string[]): string {
  const distinct = [...new Set(texts)];
  return distinct.includes('unknown') || distinct.length === 0 ? 'unknown' : distinct.join(' | ');
}

/** Whether an integer's bounds allow a value beyond a limit. */
const mayExceed = ({ minimum, maximum }: Members, limit: number): boolean =>
  !(Number(minimum) >= -limit && Number(maximum) <= limit);

function scalar(schema: Members, direction: Direction): string {
  const { type } = schema;
  if (type !== 'integer') return SCALARS.includes(String(type)) ? String(type) : 'unknown';
  if (direction !== 'input' && isUint64(schema)) return 'bigint';
  // Slots are bigints in results, because their maximum is the largest number.
  const isLarge = mayExceed(schema, Number.MAX_SAFE_INTEGER - (direction === 'input' ? 1 : 0));
  return isLarge && direction !== 'result' ? 'number | bigint' : 'number';
}

const SEVERAL = ['anyOf', 'oneOf', 'allOf', 'enum'];

/** Writes one type. */
class TypeWriting {
  readonly #direction: Direction;
  #depth = 0;

  constructor(direction: Direction) {
    this.#direction = direction;
  }

  type(value: unknown, indent: string): string {
    if (this.#depth > MAX_DEPTH) return 'unknown';
    this.#depth++;
    const text = this.#text(objectAt(value), indent);
    this.#depth--;
    return text;
  }

  #text(schema: Members, indent: string): string {
    const { type, anyOf, oneOf, allOf } = schema;
    if (Array.isArray(schema.enum)) return unionOf(schema.enum.map(constantText));
    if ('const' in schema) return constantText(schema.const);
    const alternatives = anyOf ?? oneOf;
    if (alternatives) return unionOf(listAt(alternatives).map((each) => this.type(each, indent)));
    if (allOf) return this.#intersection(schema, indent);
    if (Array.isArray(type)) {
      // A foreign schema may repeat a type at each level, which would multiply the work.
      const types = new Set(type.filter((each) => typeof each === 'string'));
      return unionOf([...types].map((each) => this.type({ ...schema, type: each }, indent)));
    }
    if (type === 'array') return this.#array(schema, indent);
    if (type !== 'object') return scalar(schema, this.#direction);
    const members = this.#members(schema, `${indent}  `);
    return members === '' ? this.#record(schema, indent) : `{\n${members}${indent}}`;
  }

  /** Returns the intersection of several schemas and the schema's own members. */
  #intersection({ allOf, ...own }: Members, indent: string): string {
    const texts = [...(own.properties ? [own] : []), ...listAt(allOf)].map((each) => this.type(each, indent));
    const known = [...new Set(texts)].filter((text) => text !== 'unknown');
    if (known.length < 2) return known[0] ?? 'unknown';
    return known.map((text) => (text.includes(' | ') ? `(${text})` : text)).join(' & ');
  }

  #record({ additionalProperties }: Members, indent: string): string {
    return `Record<string, ${this.type(additionalProperties, indent)}>`;
  }

  #array(schema: Members, indent: string): string {
    const mark = this.#direction === 'input' ? 'readonly ' : '';
    const { prefixItems, minItems = 0 } = schema;
    if (Array.isArray(prefixItems)) {
      const items = prefixItems.map((each, at) => {
        const text = this.type(each, indent);
        return at < Number(minItems) ? text : `(${text})?`;
      });
      return `${mark}[${items.join(', ')}]`;
    }
    const items = objectAt(schema.items);
    const item = this.type(items, indent);
    const isSeveral = SEVERAL.some((name) => name in items) || Array.isArray(items.type) || item === 'number | bigint';
    // `readonly` applies to the outermost list only.
    const isReadonlyList = mark !== '' && item.startsWith(mark);
    return `${mark}${isSeveral || isReadonlyList ? `(${item})` : item}[]`;
  }

  /** Returns the members of an object schema, one per line, with descriptions. */
  #members({ required, properties }: Members, indent: string): string {
    const needed = listAt(required);
    return Object.entries(objectAt(properties))
      .map(([name, each]) => {
        const isRequired = needed.includes(name);
        const { description } = objectAt(each);
        const described = typeof description === 'string' ? [description] : [];
        const optional = isRequired || this.#direction !== 'input' ? '' : ' | undefined';
        const type = this.type(each, indent) + optional;
        return `${comment(described, indent)}${indent}${quoted(name)}${isRequired ? '' : '?'}: ${type};\n`;
      })
      .join('');
  }
}

/**
 * Returns a schema as a TypeScript type. The schema may be foreign, so no text in it can end a comment or a string.
 * `json-schema-to-typescript` brings Prettier and knows no bigints.
 */
export const typeText = (schema: unknown, direction: Direction, indent = ''): string =>
  new TypeWriting(direction).type(schema, indent);

/** Returns the paths of 64-bit integers in a schema. A path is names joined by dots, with `*` for list items. */
export function uint64Paths(value: unknown, path: readonly string[] = [], depth = 0): string[] {
  if (depth > MAX_DEPTH) return [];
  const schema = objectAt(value);
  if (isUint64(schema)) return [path.join('.')];
  const below = [
    ...Object.entries(objectAt(schema.properties)).flatMap(([name, each]) =>
      uint64Paths(each, [...path, name], depth + 1),
    ),
    ...(schema.items ? uint64Paths(schema.items, [...path, '*'], depth + 1) : []),
    ...listAt(schema.anyOf).flatMap((each) => uint64Paths(each, path, depth + 1)),
  ];
  return [...new Set(below)];
}
