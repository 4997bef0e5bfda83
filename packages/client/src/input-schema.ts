import { listAt, objectAt } from '@asset-gateway/protocol/wire';

const MAX_DEPTH = 4;

/** A property of an object's schema. */
export interface Property {
  /** Its name in the object. */
  readonly key: string;
  /** Its JSON Schema. */
  readonly schema: unknown;
  /** Whether the object requires it. */
  readonly isRequired: boolean;
}

/** Returns the properties of an object schema, including those of the schemas that it is composed of. */
export function propertiesOf(value: unknown, depth = 0): Property[] {
  const { properties, required, allOf, anyOf, oneOf } = objectAt(value);
  const needed = listAt(required);
  const own = Object.entries(objectAt(properties)).map(([key, schema]) => ({
    key,
    schema,
    isRequired: needed.includes(key),
  }));
  if (depth === MAX_DEPTH) return own;
  const inAll = listAt(allOf).flatMap((each) => propertiesOf(each, depth + 1));
  const inSome = [...listAt(anyOf), ...listAt(oneOf)].flatMap((each) => propertiesOf(each, depth + 1));
  const all = [...own, ...inAll, ...inSome.map((each) => ({ ...each, isRequired: false }))];
  return [...new Map(all.toReversed().map((each) => [each.key, each])).values()].toReversed();
}

/** Whether a schema, or one of its alternatives, describes values other than objects, such as a list or a text. */
export function isWhole(value: unknown, depth = 0): boolean {
  const { type, properties, ...rest } = objectAt(value);
  const types = [type].flat().filter((each) => each !== undefined && each !== 'null');
  if (types.length > 0 && properties === undefined) return !types.includes('object');
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((keyword) => listAt(rest[keyword]));
  return properties === undefined && depth < MAX_DEPTH && parts.some((each) => isWhole(each, depth + 1));
}
