import { ADDRESS_PATTERN, type Route, SIGNATURE_PATTERN } from '@asset-gateway/protocol';
import { escaped } from './errors-page.ts';
import { type JsonSchema, published } from './schemas.ts';
import { groupBy } from './service.ts';

/** A parameter without nested parts. */
export interface Leaf {
  /** The name, such as `limit` or `params[1].filters.slot.gte`. */
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

const textOrEmpty = (value: unknown): string => (typeof value === 'string' ? value : '');
const schemasIn = (value: unknown): JsonSchema[] => (Array.isArray(value) ? (value as JsonSchema[]) : []);

/** Returns bounds in words, such as `1–50`, `from 1`, `at most 50` or `2`; empty without bounds. */
function bounds(minimum: unknown, maximum: unknown): string {
  const isUnbounded = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER;
  if (minimum !== undefined && minimum === maximum) return `${minimum}`;
  if (minimum !== undefined && !isUnbounded) return `${minimum}–${maximum}`;
  if (minimum !== undefined) return `from ${minimum}`;
  return isUnbounded ? '' : `at most ${maximum}`;
}

/** Words for patterns, by how a pattern starts: those that the page's head explains, and those that only exclude characters. */
const IN_WORDS: readonly (readonly [start: string, kind: string, exclusion: string])[] = [
  [ADDRESS_PATTERN.source, 'address', ''],
  [SIGNATURE_PATTERN.source, 'signature', ''],
  ['^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff]{', 'text', ''],
  ['^[^\\u0000-\\u001f\\u007f-\\u009f\\ud800-\\udfff,]{', 'text', 'without commas'],
];

const USUAL_LENGTH = '1–200';

function textRule({ pattern, minLength, maxLength }: JsonSchema): string {
  const known = IN_WORDS.find(([start]) => textOrEmpty(pattern).startsWith(start));
  const [, kind, exclusion] = known ?? ['', 'text', pattern && `\`${textOrEmpty(pattern)}\``];
  const length = bounds(minLength, maxLength);
  const isUsual = length === '' || length === USUAL_LENGTH;
  return [kind, isUsual ? '' : `of ${length} characters`, exclusion].filter(Boolean).join(' ');
}

/** Returns a schema's rule in words. */
function ruleOf(schema: JsonSchema): string {
  const { type } = schema;
  const choices = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (Array.isArray(choices)) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (type === 'array') {
    const size = bounds(schema.minItems, schema.maxItems);
    return `list${size && ` of ${size}`}, each ${ruleOf((schema.items as JsonSchema | undefined) ?? {})}`;
  }
  if (type === 'string') return textRule(schema);
  return [textOrEmpty(type) || 'any JSON', bounds(schema.minimum, schema.maximum)].filter(Boolean).join(' ');
}

/** Returns the nested schemas: members of an object, positions of a tuple, items of a list. */
function nestedSchemasOf(schema: JsonSchema): { suffix: string; schema: JsonSchema; isRequired: boolean }[] {
  const { properties, required = [], prefixItems, items, minItems, anyOf } = schema;
  if (properties) {
    return Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, member]) => {
      return { suffix: `.${name}`, schema: member, isRequired: (required as readonly string[]).includes(name) };
    });
  }
  if (prefixItems) {
    return schemasIn(prefixItems).map((member, index) => {
      return { suffix: `[${index}]`, schema: member, isRequired: index < Number(minItems ?? 0) };
    });
  }
  if (anyOf) return schemasIn(anyOf).map((member) => ({ suffix: '', schema: member, isRequired: false }));
  const item = items as JsonSchema | undefined;
  return item && nestedSchemasOf(item).length > 0 ? [{ suffix: '[]', schema: item, isRequired: true }] : [];
}

function leavesOf(leaf: Leaf): Leaf[] {
  const parts = nestedSchemasOf(leaf.schema).flatMap(({ suffix, schema, isRequired }) =>
    leavesOf({ name: `${leaf.name}${suffix}`, isRequired: leaf.isRequired && isRequired, schema }),
  );
  return parts.length === 0 ? [leaf] : parts;
}

/** Returns all parameters of a route, including nested members of its body. */
export const parametersOf = ({ input }: Route): Leaf[] =>
  (['path', 'query', 'body'] as const).flatMap((place) => {
    const schema = input[place];
    return schema ? leavesOf({ name: '', isRequired: true, schema: published(schema) }) : [];
  });

const memberOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1);

/** Returns names as one text, with the members of an object together: `params[1].{before,until}`. */
export function namesOf(names: readonly string[], suffix: string): string[] {
  const objects = groupBy(names, (name) => name.slice(0, name.lastIndexOf('.') + 1));
  return [...objects]
    .flatMap(([object, same]) => {
      const members = same.map(memberOf);
      const isNested = object.length > 1 && members.length > 1;
      return isNested ? [`${object}{${members.join(',')}}`] : same;
    })
    .map((name) => `\`${name.replace(/^\./, '')}\`${suffix}`);
}

/** Returns the names of parameters. Required ones have a star. */
export function shown(leaves: readonly Leaf[]): string {
  const named = (isRequired: boolean) =>
    leaves.filter((leaf) => leaf.isRequired === isRequired).map(({ name }) => name);
  return [...namesOf(named(true), '\\*'), ...namesOf(named(false), '')].join(', ');
}

/** Returns a parameter's name without its place: `commitment` for `params[1].commitment`. */
export const shortName = ({ name }: Leaf): string => name.replace(/^\.(?:params(?:\[\d\])?\.)?/, '');

/** Returns the values and the meaning of a parameter. */
export const explained = ({ schema }: Leaf): string =>
  [ruleOf(schema), escaped(textOrEmpty(schema.description))].filter(Boolean).join('. ');
