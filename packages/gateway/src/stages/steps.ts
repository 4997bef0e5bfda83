import type { TSchema } from 'typebox';

/** How many compiled steps take as long as one interpreted step. */
const INTERPRETED = 10;

/** Thrown if a check would take more steps than are left. */
export class StepsSpent extends Error {}

/** Counts the steps that are left. It does not measure time, so that equal requests have equal answers. */
export class Steps {
  #left: number;
  /** Whether a check goes on after its first violation. */
  readonly findsAll: boolean;

  constructor(most: number, findsAll = false) {
    this.#left = most;
    this.findsAll = findsAll;
  }

  /** Spends steps. Throws StepsSpent if too few are left. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new StepsSpent();
  }

  /**
   * Spends at least as many steps as the validator takes to check a value. `isInterpreted`: it searches for every violation instead of
   * running compiled.
   */
  spendOn(schema: TSchema, value: unknown, isInterpreted = false): void {
    const price = isInterpreted ? INTERPRETED : 1;
    const own = new Steps(this.#left / price, isInterpreted);
    countOf(schema)(value, own);
    this.#left = own.#left * price;
  }
}

/** A pattern that takes many steps for a text. */
interface CountedPattern {
  stepsFor?(text: string): number;
}

/** The keywords whose checks are counted or whose violations are named. */
export interface Keywords {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string | CountedPattern;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: unknown;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: TSchema;
  readonly prefixItems?: readonly TSchema[];
  readonly allOf?: readonly TSchema[];
  readonly anyOf?: readonly TSchema[];
  readonly oneOf?: readonly TSchema[];
}

/** Spends the steps of one value, in the validator's order. Returns false if the validator is sure to end at this value. */
type Count = (value: unknown, steps: Steps) => boolean;

/** How many comparisons of names or texts take as long as one step. */
const COMPARISONS = 20;
/** How many characters take as long as one step, if the check only counts them. */
const CHARACTERS = 400;

const IS_TYPE: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

const isScalar = (value: unknown): boolean => typeof value !== 'object' || value === null;

function ofType({ type }: Keywords): Count[] {
  if (type === undefined) return [];
  const kinds = [type].flat().map((each) => IS_TYPE[each]);
  return [(value, { findsAll }) => findsAll || kinds.some((isKind) => isKind?.(value) ?? true)];
}

function ofText({ minLength, maxLength, pattern }: Keywords): Count[] {
  const isMeasured = minLength !== undefined || maxLength !== undefined;
  const isCounted = typeof pattern === 'object' && pattern.stepsFor !== undefined;
  if (!isMeasured && !isCounted) return [];
  return [
    (value, steps) => {
      if (typeof value !== 'string') return true;
      if (isMeasured) steps.spend(value.length / CHARACTERS);
      if (isCounted) steps.spend(pattern.stepsFor?.(value) ?? 0);
      return true;
    },
  ];
}

/** Returns what counts the steps of `enum` and `const`. Objects among the allowed values are compared member by member. */
function ofValues(schema: Keywords): Count[] {
  const allowed = [...(schema.enum ?? []), ...('const' in schema ? [schema.const] : [])];
  if (allowed.length === 0) return [];
  const isSimple = allowed.every(isScalar);
  const all = new Set(allowed);
  const each = allowed.length / (isSimple ? COMPARISONS : 1);
  return [
    (value, steps) => {
      steps.spend(each);
      return steps.findsAll || !isSimple || all.has(value);
    },
  ];
}

function ofMembers(schema: Keywords): Count[] {
  const { properties = {}, required = [], additionalProperties: others = true } = schema;
  const members = Object.entries(properties).map(([key, each]) => [key, countOf(each)] as const);
  const other = countOf(others as TSchema);
  const hasOthers = typeof others === 'boolean' ? !others : Object.keys(others as object).length > 0;
  const readsKeys = hasOthers || 'minProperties' in schema || 'maxProperties' in schema;
  if (members.length + required.length === 0 && !readsKeys) return [];
  const ofNames = (value: object, steps: Steps): boolean => {
    const keys = Object.keys(value);
    steps.spend((keys.length * (1 + members.length)) / COMPARISONS);
    return keys.every((key) => !hasOthers || Object.hasOwn(properties, key) || other(Reflect.get(value, key), steps));
  };
  return [
    (value, steps) => {
      if (!IS_TYPE.object?.(value)) return true;
      const own = value as object;
      steps.spend((required.length + members.length) / COMPARISONS);
      if (!steps.findsAll && !required.every((key) => Object.hasOwn(own, key))) return false;
      if (readsKeys && !ofNames(own, steps)) return false;
      return members.every(([key, count]) => !Object.hasOwn(own, key) || count(Reflect.get(own, key), steps));
    },
  ];
}

function ofItems({ items, prefixItems = [] }: Keywords): Count[] {
  const first = prefixItems.map(countOf);
  const rest = items === undefined ? undefined : countOf(items);
  if (!rest && first.length === 0) return [];
  return [
    (value, steps) => {
      if (!Array.isArray(value)) return true;
      return (
        value.slice(first.length).every((item) => rest?.(item, steps) ?? true) &&
        value.slice(0, first.length).every((item, index) => first[index]?.(item, steps))
      );
    },
  ];
}

/** Returns what counts the steps of alternatives. It counts each, although the validator may end at the first that fits. */
function ofAlternatives(alternatives: readonly TSchema[] | undefined): Count[] {
  if (!alternatives) return [];
  const counts = alternatives.map(countOf);
  return [(value, steps) => counts.filter((count) => count(value, steps)).length > 0];
}

function newCount(schema: TSchema): Count {
  if (typeof schema === 'boolean') return (_, { findsAll }) => findsAll || schema;
  const shape: Keywords = schema;
  const parts = [
    ...ofType(shape),
    ...ofMembers(shape),
    ...ofItems(shape),
    ...ofText(shape),
    ...ofValues(shape),
    ...(shape.allOf ?? []).map(countOf),
    ...ofAlternatives(shape.anyOf),
    ...ofAlternatives(shape.oneOf),
  ];
  return (value, steps) => {
    steps.spend(1);
    return parts.every((count) => count(value, steps));
  };
}

/** Rows share many schemas. */
const countBySchema = new WeakMap<object, Count>();

function countOf(schema: TSchema): Count {
  const count = countBySchema.get(schema) ?? newCount(schema);
  if (typeof schema === 'object') countBySchema.set(schema, count);
  return count;
}
