import { isObject, listAt, type Members, objectAt } from '@asset-gateway/protocol';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/schema';
import { COMPOSED, DocumentFault, subschemasOf } from './document.ts';

/** What clients may send for one parameter. */
interface Allowed {
  /** The only values that clients may send. */
  readonly values?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  /** The value that is sent if a client gives none. */
  readonly default?: unknown;
  readonly optional?: boolean;
}

/** An operator's settings for an operation's parameters, by name, or by dot path into the body. */
export interface OperatorBounds {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly forbid?: readonly string[];
  readonly bounds?: Readonly<Record<string, Allowed>>;
}

/** An operator's settings for one parameter or one body member. */
export interface Bound {
  readonly name: string;
  /** The value that is sent if the client gives none. */
  readonly sent?: unknown;
  /** What clients may send; undefined if they may send nothing. */
  readonly allowed?: Allowed | undefined;
}

/** Whether clients must give a value. */
export const isNeeded = ({ allowed, sent }: Bound): boolean =>
  allowed !== undefined && sent === undefined && allowed.optional !== true;

/** Returns the bounds of an operation's entry. Throws a DocumentFault. */
export function boundsOf({ set = {}, forbid = [], bounds = {} }: OperatorBounds): Bound[] {
  const all: Bound[] = [
    ...Object.entries(set).map(([name, sent]) => ({ name, sent })),
    ...forbid.map((name) => ({ name })),
    ...Object.entries(bounds).map(([name, allowed]) => ({ name, allowed, sent: allowed.default })),
  ];
  if (new Set(all.map(({ name }) => name)).size < all.length)
    throw new DocumentFault('set, forbid and bounds name a parameter twice');
  return all;
}

const typesOf = ({ type }: Members): unknown[] => [type].flat();

/** Returns the type of value to which these bounds apply. */
function boundedTypeOf({ maxItems, maxLength, values }: Allowed): unknown {
  if (values) return [...new Set(values.map((each) => typeof each))];
  if (maxItems !== undefined) return 'array';
  return maxLength === undefined ? undefined : 'string';
}

/** Returns the schema of a value within bounds. It has one type and excludes null. */
export function narrowed(schema: Members, allowed: Allowed): Members {
  const { values, optional: _, ...keywords } = allowed;
  const kind = boundedTypeOf(allowed);
  const isFit = (node: Members): boolean =>
    typesOf(node).some((each) => (kind === undefined ? each === 'integer' || each === 'number' : each === kind));
  const { description } = schema;
  const about = description === undefined ? {} : { description };
  if (values) return { type: kind, enum: values, ...about, ...keywords };
  const base = [schema, ...subschemasOf(schema)].find(isFit) ?? {};
  const { enum: _enum, nullable: _nullable, ...own } = Object.hasOwn(base, 'anyOf') ? {} : base;
  const type = kind ?? (typesOf(base).includes('integer') ? 'integer' : 'number');
  const tightest = Object.entries(keywords).map(([keyword, value]) => {
    const given = own[keyword];
    if (typeof given !== 'number' || typeof value !== 'number') return [keyword, value];
    return [keyword, keyword === 'minimum' ? Math.max(given, value) : Math.min(given, value)];
  });
  return { ...own, ...about, type, ...Object.fromEntries(tightest) };
}

const NAMING = ['properties', 'required', 'items', 'enum', 'const', ...COMPOSED];

/** Whether a schema describes an object without naming its members. */
const allowsAnyMember = (schema: Members): boolean =>
  schema.additionalProperties !== false &&
  typesOf(schema).every((kind) => kind === undefined || kind === 'object') &&
  NAMING.every(
    (keyword) => Object.keys(objectAt(schema[keyword] ?? {})).length === 0 && !Array.isArray(schema[keyword]),
  );

/** Applies one bound to every part of a schema that describes the bound's member. */
export class SchemaEdit {
  readonly #bound: Bound;
  readonly #mayBeOpen: boolean;
  places = 0;

  /** `mayBeOpen`: whether the bound may apply to an object that does not name the member. */
  constructor(bound: Bound, mayBeOpen: boolean) {
    this.#bound = bound;
    this.#mayBeOpen = mayBeOpen;
  }

  in(schema: Members, path: readonly string[], isInList = false): Members {
    const [name = '', ...rest] = path;
    const result: Record<string, unknown> = { ...schema };
    for (const keyword of COMPOSED.filter((each) => each in schema)) {
      const before = this.places;
      const parts = listAt(schema[keyword]).map((each) => this.in(objectAt(each), path, isInList));
      // Without this member, several alternatives may fit.
      const isLoose = keyword === 'oneOf' && this.places > before && !('anyOf' in schema);
      delete result[keyword];
      result[isLoose ? 'anyOf' : keyword] = parts;
    }
    if (isObject(schema.items)) result.items = this.in(schema.items, path, true);
    if (this.#mayBeOpen && allowsAnyMember(schema)) this.#found(isInList);
    const { properties } = schema;
    if (isObject(properties) && Object.hasOwn(properties, name))
      result.properties = this.#member(properties, path, isInList);
    const others = listAt(schema.required).filter((each) => each !== name);
    const hasName = isObject(result.properties) && Object.hasOwn(result.properties, name);
    if (hasName && isNeeded(this.#bound)) result.required = [...others, name];
    else if (rest.length === 0 && 'required' in schema) result.required = others;
    return result;
  }

  #found(isInList: boolean): void {
    this.places++;
    if (isInList && this.#bound.sent !== undefined) throw new DocumentFault('a value inside a list cannot be set');
  }

  #member(properties: Members, [name = '', ...rest]: readonly string[], isInList: boolean): Members {
    const { [name]: schema, ...others } = properties;
    if (rest.length > 0) return { ...properties, [name]: this.in(objectAt(schema), rest, isInList) };
    const { allowed, sent } = this.#bound;
    this.#found(isInList);
    const own = allowed ? narrowed(objectAt(schema), allowed) : schema;
    if (sent !== undefined && !Check(own as TSchema, sent)) throw new DocumentFault('the value breaks its schema');
    return allowed ? { ...properties, [name]: own } : others;
  }
}

/** Returns the member names that an object, or each object in a list, may have; undefined if its schema allows any. */
export function namesIn(schema: Members): string[] | undefined {
  const parts = [...subschemasOf(schema), ...[schema.items].filter(isObject)].map(namesIn);
  if (allowsAnyMember(schema) || isObject(schema.additionalProperties) || parts.includes(undefined)) return undefined;
  return [...Object.keys(objectAt(schema.properties)), ...parts.flatMap((each) => each ?? [])];
}
