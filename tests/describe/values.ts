import fc, { type Arbitrary } from 'fast-check';
import { fits, type JsonSchema } from './json-schema.ts';

type Json = Readonly<Record<string, unknown>>;

const DECOMPOSED = 'e\u0301';
const FAMILY = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';

/** Texts at the edges of what counts as text, and of its length. */
const EDGE_TEXTS = [
  ...['', ' ', 'a', '1', 'true', 'null', 'a,b', ',', 'a&b=c#d?e+f;g', '%2e%2e', '../x', '"\\', 'ü', FAMILY],
  ...['\u0000', '\n', 'a\n', '\u007f', '\u0085', '\u009f', '\u00a0', '\u2028', '\ufeff', '\ud800', 'a\udc00b'],
  ...[63, 64, 65, 128, 129, 199, 200, 201].flatMap((length) => ['a'.repeat(length), '🦄'.repeat(length)]),
  ...[100, 101].map((length) => DECOMPOSED.repeat(length)),
];

/** Values of every type. */
const ODD_VALUES = [...EDGE_TEXTS, null, true, 0, -1, 1.5, 2 ** 53, 1e21, [], [null], ['a'], [['a']], {}, { a: 1 }];

const UNKNOWN_NAMES = ['zz', '', '__proto__', 'constructor', 'toString', 'mints[]', 'Limit', 'limit ', '0', 'é'];

const odd = fc.constantFrom<unknown>(...ODD_VALUES);

/** Cached, because fast-check parses a pattern for each arbitrary. */
const knownTexts = new Map<string, Arbitrary<string>>();

function textsOf(schema: JsonSchema): Arbitrary<string> {
  const text = JSON.stringify(schema);
  const texts = knownTexts.get(text) ?? newTextsOf(schema);
  knownTexts.set(text, texts);
  return texts;
}

function newTextsOf(schema: JsonSchema): Arbitrary<string> {
  const edges = EDGE_TEXTS.filter((text) => fits(schema, text));
  const matching = fc.stringMatching(new RegExp(schema.pattern ?? '', 'u')).filter((text) => fits(schema, text));
  return edges.length > 0 ? fc.oneof(matching, fc.constantFrom(...edges)) : matching;
}

function integersOf({ minimum = 0, maximum = 0 }: JsonSchema): Arbitrary<number> {
  const most = Math.min(maximum, 2 ** 31 - 1);
  return fc.oneof(fc.constantFrom(minimum, maximum), fc.integer({ min: minimum, max: most }));
}

function listsOf({ items = {}, minItems = 0, maxItems = 4 }: JsonSchema): Arbitrary<unknown[]> {
  const item = valuesOf(items);
  const short = fc.array(item, { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) });
  return fc.oneof(
    short,
    item.map((same) => Array<unknown>(maxItems).fill(same)),
  );
}

function tuplesOf({ prefixItems = [], minItems = 0 }: JsonSchema): Arbitrary<unknown[]> {
  const whole = fc.tuple(...prefixItems.map(valuesOf));
  return fc
    .tuple(whole, fc.integer({ min: minItems, max: prefixItems.length }))
    .map(([all, count]) => all.slice(0, count));
}

function objectsOf({ properties = {}, required = [] }: JsonSchema): Arbitrary<Json> {
  const members = Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, valuesOf(schema)]));
  return fc.record(members, { requiredKeys: [...required], noNullPrototype: true });
}

/** Values that a schema accepts. */
export function valuesOf(schema: JsonSchema): Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(valuesOf));
  if (schema.prefixItems) return tuplesOf(schema);
  switch (schema.type) {
    case 'string':
      return textsOf(schema);
    case 'integer':
      return integersOf(schema);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return listsOf(schema);
    case 'object':
      return objectsOf(schema);
    default:
      throw new Error(`no values of ${JSON.stringify(schema)}`);
  }
}

const TEXT_CHANGES: readonly ((text: string) => string)[] = [
  (text) => text.slice(1),
  (text) => text.slice(0, -1),
  (text) => `${text}x`,
  (text) => `${text}1`,
  (text) => `${text}\n`,
  (text) => ` ${text}`,
  (text) => `${text},${text}`,
  (text) => `${text}\u0000`,
  (text) => `${text}\ud800`,
  (text) => text.toUpperCase(),
  (text) => text + text,
];

const changedText = (schema: JsonSchema): Arbitrary<unknown> =>
  fc.tuple(valuesOf(schema), fc.constantFrom(...TEXT_CHANGES)).map(([text, change]) => change(String(text)));

function changedInteger({ minimum = 0, maximum = 0 }: JsonSchema): Arbitrary<unknown> {
  return fc.constantFrom(minimum - 1, minimum, minimum + 0.5, maximum, maximum + 1, -maximum, String(minimum));
}

function changedList(schema: JsonSchema): Arbitrary<unknown> {
  const { items = {}, maxItems = 0 } = schema;
  const list = listsOf(schema);
  const within = fc.tuple(list, changedOf(items)).map(([some, item]) => [...some.slice(0, maxItems - 1), item]);
  const tooMany = valuesOf(items).map((item) => Array<unknown>(maxItems + 1).fill(item));
  return fc.oneof({ weight: 2, arbitrary: within }, tooMany, fc.constant([]));
}

function changedTuple(schema: JsonSchema): Arbitrary<unknown> {
  const { prefixItems = [] } = schema;
  const tuple = tuplesOf(schema);
  const within = prefixItems.map((item, index) =>
    fc.tuple(tuple, changedOf(item)).map(([list, changed]) => [...list.slice(0, index), changed]),
  );
  const extra = fc.tuple(fc.tuple(...prefixItems.map(valuesOf)), odd).map(([list, more]) => [...list, more]);
  return fc.oneof(...within, extra, fc.constant([]));
}

function changedObject(schema: JsonSchema): Arbitrary<unknown> {
  const { properties = {}, required = [] } = schema;
  const whole = objectsOf(schema);
  const within = Object.entries(properties).map(([name, property]) =>
    fc.tuple(whole, changedOf(property)).map(([object, changed]) => ({ ...object, [name]: changed })),
  );
  const missing = required.map((name) => whole.map(({ [name]: _, ...rest }) => rest));
  const unknown = fc
    .tuple(whole, fc.constantFrom(...UNKNOWN_NAMES), odd)
    .map(([object, name, value]) => ({ ...object, [name]: value }));
  return fc.oneof(...within, ...missing, unknown);
}

function changedInside(schema: JsonSchema): Arbitrary<unknown> {
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(changedOf));
  if (schema.prefixItems) return changedTuple(schema);
  switch (schema.type) {
    case 'string':
      return changedText(schema);
    case 'integer':
      return changedInteger(schema);
    case 'array':
      return changedList(schema);
    case 'object':
      return changedObject(schema);
    default:
      return odd;
  }
}

/** Values with one change, most of them invalid. */
export const changedOf = (schema: JsonSchema): Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: changedInside(schema) }, { weight: 1, arbitrary: odd });
