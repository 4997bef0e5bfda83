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

/** Items of a long list that change. */
const MOST_CHANGED = 3;

function changedList(list: readonly unknown[]): Arbitrary<unknown> {
  const within = list.slice(0, MOST_CHANGED).map((item, at) => changed(item).map((other) => list.with(at, other)));
  const extra = odd.map((more) => [...list, more]);
  return fc.oneof(...within, extra, fc.constantFrom<unknown>([], [...list, ...list.slice(0, 1)]));
}

function changedObject(object: Json): Arbitrary<unknown> {
  const names = Object.keys(object);
  const within = names.map((name) => changed(object[name]).map((member) => ({ ...object, [name]: member })));
  const missing = names.map((name) =>
    fc.constant(Object.fromEntries(Object.entries(object).filter(([key]) => key !== name))),
  );
  const unknown = fc
    .tuple(fc.constantFrom(...UNKNOWN_NAMES), odd)
    .map(([name, value]) => ({ ...object, [name]: value }));
  return fc.oneof(...within, ...missing, unknown);
}

/** A value with one change somewhere in it. */
function changed(value: unknown): Arbitrary<unknown> {
  if (typeof value === 'string') return fc.constantFrom(...TEXT_CHANGES.map((change) => change(value)));
  if (typeof value === 'number') return fc.constantFrom(value - 1, value + 0.5, value + 1, -value, String(value));
  if (Array.isArray(value)) return changedList(value);
  return typeof value === 'object' && value !== null ? changedObject(value as Json) : odd;
}

/** Values with one change, most of them invalid. */
export const changedOf = (schema: JsonSchema): Arbitrary<unknown> =>
  fc.oneof({ weight: 4, arbitrary: valuesOf(schema).chain(changed) }, { weight: 1, arbitrary: odd });
