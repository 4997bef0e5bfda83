import type { Issue, Values } from '@asset-gateway/protocol';
import type { TSchema } from 'typebox';
import { Compile, Check as check, Errors } from 'typebox/schema';
import { type Keywords, Steps, StepsSpent } from './steps.ts';

/** The most violations that a refusal names. */
const MAX_ISSUES = 20;
/** The most steps for the values of one request. They take about 20 ms. */
const MAX_STEPS = 30_000;
/** For a value of a request that is not admitted. These take about a millisecond. */
const MAX_BRIEF_STEPS = 1_000;
/** The most steps to find the names of the violations in one place. */
const MAX_SEARCH_STEPS = 10_000;
const NAME = /^[\w.[\]-]{1,64}$/;

/** Returns a parameter's name for the response. An unusual name is replaced, because no arbitrary text of a client is echoed. */
const shownName = (name: string): string => (NAME.test(name) ? name : '(unreadable name)');

const MAX_SHOWN = 500;

/** Returns the first values as one text of limited length. Cuts no value. */
function firstOf(values: readonly unknown[]): string {
  const text = values.join(', ');
  if (text.length <= MAX_SHOWN) return text;
  return `${text.slice(0, Math.max(0, text.lastIndexOf(',', MAX_SHOWN)))}, …`;
}

/** Returns the beginning of a long text. */
const short = (text: string): string => (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text);

/** The message for each broken rule. */
const ALLOWED: Readonly<Record<string, (parameters: Values) => string>> = {
  repeated: () => 'Give this parameter once.',
  required: () => 'This parameter is required.',
  additionalProperties: () => 'There is no such parameter.',
  type: ({ type }) =>
    type === 'integer' ? 'Must be an integer in decimal digits.' : `Must be of type ${String(type)}.`,
  enum: ({ allowedValues }) => `Must be one of ${firstOf(allowedValues as unknown[])}.`,
  minimum: ({ limit }) => `Must be at least ${String(limit)}.`,
  maximum: ({ limit }) => `Must be at most ${String(limit)}.`,
  minLength: ({ limit }) => (limit === 1 ? 'Must not be empty.' : `Must have at least ${String(limit)} characters.`),
  maxLength: ({ limit }) => `Must have at most ${String(limit)} characters.`,
  minItems: ({ limit }) => `Must have at least ${String(limit)} items.`,
  maxItems: ({ limit }) => `Must have at most ${String(limit)} items.`,
  maxSteps: () => 'Takes too long to check. Send fewer values or shorter texts.',
  maxValues: ({ limit }) => `Must hold at most ${String(limit)} values.`,
  segment: () => 'Must be one segment of a path, without slashes.',
  pattern: ({ pattern }) => `Must match ${short(String(pattern))}.`,
};

/** Returns the parameter that a name is in: `params` for `params[1].limit`. */
const topOf = (name: string): string => name.split(/[.[]/, 1)[0] ?? '';

/** The violations found in one request. */
export class Violations {
  readonly issues: Issue[] = [];
  readonly steps = new Steps(MAX_STEPS);

  /** Whether no further violation is added. */
  get isFull(): boolean {
    return this.issues.length >= MAX_ISSUES;
  }

  /** Adds a violation of `rule`, with the rule's bounds. An empty name means the whole place. */
  note(place: Issue['in'], name: string, rule: string, bounds: Values = {}): void {
    const message = ALLOWED[rule]?.(bounds) ?? 'Must match the schema of this route.';
    this.add({ in: place, name: name === '' ? place : shownName(name), rule, message });
  }

  add(issue: Issue): void {
    if (!this.isFull) this.issues.push(issue);
  }

  /** Whether a violation concerns this parameter, a value in it, or its whole place. */
  concern(place: Issue['in'], parameter: string): boolean {
    const wrong = [topOf(parameter), place];
    return this.issues.some((issue) => issue.in === place && wrong.includes(topOf(issue.name)));
  }
}

/** The name of a value, the rule that it breaks, and the rule's bounds. */
type Violation = readonly [name: string, rule: string, bounds?: Values];

/** Finds the violations of a value one by one, so that a search can end at a limit. */
type Judge = (value: unknown, name: string, steps: Steps) => Iterable<Violation>;

const memberOf = (name: string, key: string): string => (name === '' ? key : `${name}.${key}`);

/** Returns the library's validator. It is compiled, unless its schema is too wide for the engine's parser. */
function validatorOf(schema: TSchema) {
  const compiled = compiledOf(schema);
  return {
    spend: (steps: Steps, value: unknown) => steps.spendOn(schema, value, !compiled),
    Check: compiled ?? ((value: unknown) => check(schema, value)),
    Errors: (value: unknown) => Errors(schema, value),
  };
}

function compiledOf(schema: TSchema): ((value: unknown) => boolean) | undefined {
  try {
    const validator = Compile(schema);
    return (value) => validator.Check(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Returns the judge of a single value, which finds the first broken keyword. */
function scalar(schema: TSchema): Judge {
  const validator = validatorOf(schema);
  return function* (value, name, steps) {
    validator.spend(steps, value);
    if (validator.Check(value)) return;
    steps.spendOn(schema, value, true);
    const [, [error]] = validator.Errors(value);
    yield [name, error?.keyword ?? 'schema', error?.params as Values];
  };
}

/** Returns the judge of alternatives. If no alternative fits, it finds the violations of each. */
function choice(schema: TSchema, alternatives: readonly TSchema[]): Judge {
  const validator = validatorOf(schema);
  const judges = alternatives.map(judgeOf);
  return function* (value, name, steps) {
    validator.spend(steps, value);
    if (validator.Check(value)) return;
    for (const judge of judges) yield* judge(value, name, steps);
  };
}

/** Returns the judge of an `allOf`, which finds the violations of each part and of the rest of the schema. */
function all(parts: readonly TSchema[], { allOf: _, ...rest }: Keywords): Judge {
  const judges = [...parts, rest as TSchema].map(judgeOf);
  return function* (value, name, steps) {
    for (const judge of judges) yield* judge(value, name, steps);
  };
}

function object({ properties = {}, required = [], additionalProperties }: Keywords): Judge {
  const members = Object.entries(properties).map(([key, schema]) => ({ key, judge: judgeOf(schema) }));
  return function* (value, name, steps) {
    steps.spend(1 + members.length);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      yield [name, 'type', { type: 'object' }];
      return;
    }
    for (const key of Object.keys(value)) {
      const isUnknown = additionalProperties === false && !Object.hasOwn(properties, key);
      if (isUnknown) yield [memberOf(name, key), 'additionalProperties'];
    }
    for (const { key, judge } of members) {
      if (Object.hasOwn(value, key)) yield* judge(Reflect.get(value, key), memberOf(name, key), steps);
      else if (required.includes(key)) yield [memberOf(name, key), 'required'];
    }
  };
}

/** Returns the judge of a list. It reads no items beyond the list's limit. */
function array({ items, prefixItems = [], minItems = 0, maxItems = Number.POSITIVE_INFINITY }: Keywords): Judge {
  const first = prefixItems.map(judgeOf);
  const rest = items && judgeOf(items);
  return function* (value, name, steps) {
    steps.spend(1);
    if (!Array.isArray(value)) {
      yield [name, 'type', { type: 'array' }];
      return;
    }
    if (value.length < minItems) yield [name, 'minItems', { limit: minItems }];
    if (value.length > maxItems) yield [name, 'maxItems', { limit: maxItems }];
    for (const [index, item] of value.slice(0, maxItems).entries()) {
      yield* (first[index] ?? rest)?.(item, `${name}[${index}]`, steps) ?? [];
    }
  };
}

function newJudge(schema: TSchema): Judge {
  const shape: Keywords = schema;
  if (shape.allOf) return all(shape.allOf, shape);
  const alternatives = shape.anyOf ?? shape.oneOf;
  if (alternatives) return choice(schema, alternatives);
  if (shape.properties) return object(shape);
  return shape.items || shape.prefixItems ? array(shape) : scalar(schema);
}

/** Rows share many schemas. */
const judgeBySchema = new Map<TSchema, Judge>();

function judgeOf(schema: TSchema): Judge {
  const judge = judgeBySchema.get(schema) ?? newJudge(schema);
  judgeBySchema.set(schema, judge);
  return judge;
}

/** Adds the violations of a place's values. */
export type Check = (value: unknown, violations: Violations) => void;

/** Runs a task that throws when it has spent its steps. Returns whether the task ended before that. */
function hasSufficed(task: () => void): boolean {
  try {
    task();
    return true;
  } catch (error) {
    if (error instanceof StepsSpent) return false;
    throw error;
  }
}

/** Adds the violations of a value that its schema refuses. Returns whether the steps of the search sufficed. */
const search = (judge: Judge, value: unknown, add: (violation: Violation) => boolean): boolean =>
  hasSufficed(() => {
    for (const violation of judge(value, '', new Steps(MAX_SEARCH_STEPS))) if (!add(violation)) return;
  });

/**
 * Compiles a schema into a check that reports the first violation of each value, up to a limit. The library decides what passes. This file
 * finds what is wrong, because the library's own search always visits every value.
 */
export function compile(schema: TSchema, place: Issue['in']): Check {
  const validator = validatorOf(schema);
  const judge = judgeOf(schema);
  return (value, violations) => {
    if (!hasSufficed(() => validator.spend(violations.steps, value))) return violations.note(place, '', 'maxSteps');
    if (validator.Check(value)) return;
    const named = new Set<string>();
    search(judge, value, ([name, rule, bounds]) => {
      if (!named.has(name)) violations.note(place, name, rule, bounds);
      named.add(name);
      return !violations.isFull;
    });
    // The search found no name for the violation. The value must not pass all the same.
    if (named.size === 0) violations.note(place, '', 'schema');
  };
}

/** Compiles a schema into a check for requests that are not admitted. A value that takes long to check does not fit. */
export function compileBrief(schema: TSchema): (value: unknown) => boolean {
  const validator = validatorOf(schema);
  return (value) => hasSufficed(() => validator.spend(new Steps(MAX_BRIEF_STEPS), value)) && validator.Check(value);
}
