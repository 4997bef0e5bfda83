import type { Route } from '@asset-gateway/protocol';
import { type JsonSchema, published } from './schemas.ts';

/** One value that a route takes, in words. */
export interface Parameter {
  readonly in: 'path' | 'query' | 'body';
  /** `limit`, `params[1].filters.slot.gte`. */
  readonly name: string;
  readonly isRequired: boolean;
  /** What is allowed. */
  readonly rule: string;
  readonly description: string;
}

type Found = Omit<Parameter, 'in'>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const schemasIn = (value: unknown): JsonSchema[] => (Array.isArray(value) ? (value as JsonSchema[]) : []);

/** `1 to 50`, `at least 1`, `at most 50`; nothing without bounds. */
function bounds(minimum: unknown, maximum: unknown): string {
  const isOpen = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER;
  if (minimum !== undefined && !isOpen) return `${minimum} to ${maximum}`;
  if (minimum !== undefined) return `at least ${minimum}`;
  return isOpen ? '' : `at most ${maximum}`;
}

/** What a schema allows, in words. */
function ruleOf(schema: JsonSchema): string {
  const { type, pattern } = schema;
  const choices = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (Array.isArray(choices)) return choices.map((choice) => `\`${choice}\``).join(', ');
  if (type === 'array') {
    const size = bounds(schema.minItems, schema.maxItems);
    return `list${size && ` of ${size}`}, each ${ruleOf((schema.items as JsonSchema | undefined) ?? {})}`;
  }
  if (type === 'string') {
    const length = bounds(schema.minLength, schema.maxLength);
    return ['text', length && `of ${length} characters`, pattern && `\`${pattern}\``].filter(Boolean).join(' ');
  }
  return [textOf(type) || 'any JSON', bounds(schema.minimum, schema.maximum)].filter(Boolean).join(' ');
}

/** The values inside of a value: the members of an object, the places of a tuple, what a list is of. */
function partsOf(schema: JsonSchema): { suffix: string; schema: JsonSchema; isRequired: boolean }[] {
  const { properties, required, prefixItems, items, minItems, anyOf } = schema;
  if (properties) {
    return Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(([name, member]) => {
      return {
        suffix: `.${name}`,
        schema: member,
        isRequired: (required as string[] | undefined)?.includes(name) === true,
      };
    });
  }
  if (prefixItems) {
    return schemasIn(prefixItems).map((member, index) => {
      return { suffix: `[${index}]`, schema: member, isRequired: index < Number(minItems ?? 0) };
    });
  }
  if (anyOf) return schemasIn(anyOf).map((member) => ({ suffix: '', schema: member, isRequired: false }));
  const item = items as JsonSchema | undefined;
  return item && partsOf(item).length > 0 ? [{ suffix: '[]', schema: item, isRequired: true }] : [];
}

function leavesOf(name: string, schema: JsonSchema, isRequired: boolean): Found[] {
  const parts = partsOf(schema);
  if (parts.length === 0) return [{ name, isRequired, rule: ruleOf(schema), description: textOf(schema.description) }];
  return parts.flatMap((part) => {
    return leavesOf(`${name}${part.suffix}`, part.schema, isRequired && part.isRequired);
  });
}

/** Everything that a route takes, down to the members of what stands in its body. */
export const parametersOf = ({ input }: Route): Parameter[] =>
  (['path', 'query', 'body'] as const).flatMap((place) => {
    const schema = input[place];
    const leaves = schema ? leavesOf('', published(schema), true) : [];
    return leaves.map((leaf) => ({ ...leaf, name: leaf.name.replace(/^\./, ''), in: place }));
  });
