/** The keywords of JSON Schema that the route table's parameters use. */
export interface ParameterSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly items?: ParameterSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** An invalid value, the rule that it breaks, and words of the issue. */
export interface BadValue {
  readonly value: unknown;
  readonly rule: string;
  readonly says: readonly string[];
  /** The place within a list, as the answer names it. */
  readonly at?: string;
}

/** Part of sent values; no answer may quote it. */
export const MARKER = 'zqmarker';

/** Texts that a pattern may or may not take. */
const ODD_TEXTS = ['\u0000', '\n', '\u007f', '\u0085', 'a,b', 'a b', 'a/b', '..', '-a', 'ü', '%2e%2e', 'a\u2028b'];
const longest = (length: number): string[] => ['a'.repeat(length), '🦄'.repeat(length)];

const matches = (schema: ParameterSchema, text: string): boolean =>
  schema.pattern === undefined || new RegExp(schema.pattern, 'u').test(text);

/** Every keyword of a schema must be one that the cases below are made for. */
export function unknownKeywords(schema: ParameterSchema): string[] {
  const known = 'type enum minimum maximum minLength maxLength pattern items minItems maxItems description'.split(' ');
  const own = Object.keys(schema).filter((keyword) => !known.includes(keyword));
  return [...own, ...(schema.items ? unknownKeywords(schema.items) : [])];
}

function goodTexts(schema: ParameterSchema): string[] {
  const { minLength = 1, maxLength = 100 } = schema;
  const candidates = ['a'.repeat(minLength), ...longest(maxLength), ...ODD_TEXTS, 'a&b=c#d?e+f;g'];
  return candidates.filter((text) => matches(schema, text));
}

/** Values at the inner side of every bound. */
export function goodValues(schema: ParameterSchema): unknown[] {
  if (schema.enum) return [...schema.enum];
  if (schema.type === 'integer') {
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = schema;
    return [minimum, minimum + 1, maximum - 1, maximum].filter((value) => value >= minimum && value <= maximum);
  }
  if (schema.items) {
    const items = schema.items;
    const whole = goodValues(items);
    const count = schema.maxItems ?? whole.length;
    const full = Array.from({ length: count }, (_, index) => items.enum?.[index % items.enum.length] ?? `m${index}`);
    return [...whole.map((item) => [item]), full];
  }
  return goodTexts(schema);
}

function badTexts(schema: ParameterSchema): BadValue[] {
  const { minLength, maxLength, pattern } = schema;
  const odd = pattern === undefined ? [] : ODD_TEXTS.filter((text) => !matches(schema, text));
  return [
    ...(minLength === undefined ? [] : [{ value: '', rule: 'minLength', says: ['empty'] }]),
    ...(maxLength === undefined
      ? []
      : longest(maxLength + 1).map((value) => ({ value, rule: 'maxLength', says: [String(maxLength)] }))),
    ...odd.map((text) => ({ value: `${MARKER}${text}`, rule: 'pattern', says: [String(pattern)] })),
  ].filter(({ value, rule }) => rule !== 'pattern' || !matches(schema, value));
}

function badIntegers({ minimum = 0, maximum = 0 }: ParameterSchema): BadValue[] {
  return [
    { value: minimum - 1, rule: 'minimum', says: [String(minimum)] },
    { value: -999_999, rule: 'minimum', says: [String(minimum)] },
    {
      value: maximum === Number.MAX_SAFE_INTEGER ? '9007199254740992' : maximum + 1,
      rule: 'maximum',
      says: [String(maximum)],
    },
    { value: '9'.repeat(40), rule: 'maximum', says: [String(maximum)] },
    { value: '1'.repeat(400), rule: 'type', says: ['integer'] },
    { value: MARKER, rule: 'type', says: ['integer'] },
    { value: '', rule: 'type', says: ['integer'] },
    { value: '1.5', rule: 'type', says: ['integer'] },
  ];
}

function badLists({ items = {}, maxItems, minItems = 0 }: ParameterSchema, inBody: boolean): BadValue[] {
  const tooMany = maxItems === undefined ? [] : [Array.from({ length: maxItems + 1 }, (_, index) => `m${index}`)];
  const good = goodValues(items)[0];
  const badItems = badValues(items, inBody).filter(({ value }) => inBody || !String(value).includes(','));
  return [
    ...tooMany.map((value) => ({ value, rule: 'maxItems', says: [String(maxItems)] })),
    ...badItems.map((bad) => ({ ...bad, value: [good, bad.value], at: '[1]' })),
    ...(minItems > 0 && !inBody
      ? badValues(items, inBody)
          .slice(0, 1)
          .map((bad) => ({ ...bad, value: [''], at: '[0]' }))
      : []),
    ...(inBody
      ? [MARKER, 7, null, true, { [MARKER]: 1 }].map((value) => ({ value, rule: 'type', says: ['array'] }))
      : []),
  ];
}

/** Values at the outer side of every bound. */
export function badValues(schema: ParameterSchema, inBody = false): BadValue[] {
  if (schema.items) return badLists(schema, inBody);
  if (schema.type === 'integer') return badIntegers(schema);
  const wrongTypes: BadValue[] = inBody
    ? [7, null, [], {}].map((value) => ({ value, rule: 'type', says: ['string'] }))
    : [];
  const { enum: allowed } = schema;
  if (!allowed) return [...badTexts(schema), ...wrongTypes];
  const near = [`${MARKER}`, '', `${allowed[0]} `, `${allowed[0]}x`, allowed.join(), 'constructor'];
  const flipped = allowed.flatMap((word) => [word.toUpperCase(), word.toLowerCase()]);
  const wrong = new Set([...near, ...flipped].filter((word) => !allowed.includes(word)));
  return [...[...wrong].map((value) => ({ value, rule: 'enum', says: allowed })), ...wrongTypes];
}
