import type { Issue, Values } from '@asset-gateway/protocol';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';

/** How many violations a refusal names; whoever looks for more of them stops there. */
const MAX_ISSUES = 20;
const NAME = /^[\w.[\]-]{1,64}$/;

/** A parameter's name as it may be shown: a caller's own text is not echoed. */
const shownName = (name: string): string => (NAME.test(name) ? name : '(unreadable name)');

/** What is allowed, in words, by the rule that was broken. */
const ALLOWED: Readonly<Record<string, (parameters: Values) => string>> = {
  repeated: () => 'Give this parameter once.',
  required: () => 'This parameter is required.',
  additionalProperties: () => 'There is no such parameter.',
  type: ({ type }) =>
    type === 'integer' ? 'Must be an integer in decimal digits.' : `Must be of type ${String(type)}.`,
  enum: ({ allowedValues }) => `Must be one of ${(allowedValues as string[]).join(', ')}.`,
  minimum: ({ limit }) => `Must be at least ${String(limit)}.`,
  maximum: ({ limit }) => `Must be at most ${String(limit)}.`,
  minLength: () => 'Must not be empty.',
  maxLength: ({ limit }) => `Must have at most ${String(limit)} characters.`,
  minItems: ({ limit }) => `Must have at least ${String(limit)} items.`,
  maxItems: ({ limit }) => `Must have at most ${String(limit)} items.`,
  maxValues: ({ limit }) => `Must hold at most ${String(limit)} values.`,
  pattern: ({ pattern }) => `Must match ${String(pattern)}.`,
};

/** `params[1].limit` is in `params`. */
const topOf = (name: string): string => name.split(/[.[]/, 1)[0] ?? '';

/** The violations of one request that have been found so far. */
export class Violations {
  readonly #issues: Issue[] = [];

  get issues(): readonly Issue[] {
    return this.#issues;
  }

  /** Whether there are enough of them, so that nobody needs to look any further. */
  get isFull(): boolean {
    return this.#issues.length >= MAX_ISSUES;
  }

  /** Notes that a parameter breaks a rule, whose bounds tell what is allowed; without a name, that its whole place does. */
  note(place: Issue['in'], name: string, rule: string, bounds: Values = {}): void {
    const message = ALLOWED[rule]?.(bounds) ?? 'Must fit the schema of this route.';
    this.add({ in: place, name: name === '' ? place : shownName(name), rule, message });
  }

  add(issue: Issue): void {
    if (!this.isFull) this.#issues.push(issue);
  }

  /** Whether something is wrong with a parameter, with anything in it, or with its whole place. */
  concern(place: Issue['in'], parameter: string): boolean {
    const wrong = [topOf(parameter), place];
    return this.#issues.some((issue) => issue.in === place && wrong.includes(topOf(issue.name)));
  }
}

/** A look at the values of one place, which names each of them once. */
class Search {
  readonly #place: Issue['in'];
  readonly #violations: Violations;
  readonly #named = new Set<string>();

  constructor(place: Issue['in'], violations: Violations) {
    this.#place = place;
    this.#violations = violations;
  }

  get isOver(): boolean {
    return this.#violations.isFull;
  }

  get hasFound(): boolean {
    return this.#named.size > 0;
  }

  found(name: string, rule: string, bounds: Values = {}): void {
    if (!this.#named.has(name)) this.#violations.note(this.#place, name, rule, bounds);
    this.#named.add(name);
  }
}

type Judge = (value: unknown, name: string, search: Search) => void;

/** What is read of a schema here; its other keywords are the library's to judge. */
interface Shape {
  readonly anyOf?: readonly TSchema[];
  readonly properties?: Readonly<Record<string, TSchema>>;
  readonly required?: readonly string[];
  readonly items?: TSchema;
  readonly prefixItems?: readonly TSchema[];
  readonly minItems?: number;
  readonly maxItems?: number;
}

const memberOf = (name: string, key: string): string => (name === '' ? key : `${name}.${key}`);

/** One value: the first of its keywords that is broken. */
function scalar(schema: TSchema): Judge {
  const validator = Compile(schema);
  return (value, name, search) => {
    if (validator.Check(value)) return;
    const [, [error]] = validator.Errors(value);
    search.found(name, error?.keyword ?? 'schema', error?.params as Values);
  };
}

/** One of several: when it is none of them, what keeps it from being each. */
function choice(schema: TSchema, alternatives: readonly TSchema[]): Judge {
  const validator = Compile(schema);
  const judges = alternatives.map(judgeOf);
  return (value, name, search) => {
    if (validator.Check(value)) return;
    for (const judge of judges) judge(value, name, search);
  };
}

function object({ properties = {}, required = [] }: Shape): Judge {
  const members = Object.entries(properties).map(([key, schema]) => ({ key, judge: judgeOf(schema) }));
  return (value, name, search) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      search.found(name, 'type', { type: 'object' });
      return;
    }
    for (const key of Object.keys(value)) {
      if (search.isOver) return;
      if (!Object.hasOwn(properties, key)) search.found(memberOf(name, key), 'additionalProperties');
    }
    for (const { key, judge } of members) {
      if (search.isOver) return;
      if (Object.hasOwn(value, key)) judge(Reflect.get(value, key), memberOf(name, key), search);
      else if (required.includes(key)) search.found(memberOf(name, key), 'required');
    }
  };
}

/** A list; what is beyond its limit is not looked at. */
function array({ items, prefixItems = [], minItems = 0, maxItems = Number.POSITIVE_INFINITY }: Shape): Judge {
  const first = prefixItems.map(judgeOf);
  const rest = items && judgeOf(items);
  return (value, name, search) => {
    if (!Array.isArray(value)) {
      search.found(name, 'type', { type: 'array' });
      return;
    }
    if (value.length < minItems) search.found(name, 'minItems', { limit: minItems });
    if (value.length > maxItems) search.found(name, 'maxItems', { limit: maxItems });
    for (let index = 0; index < Math.min(value.length, maxItems) && !search.isOver; index++) {
      (first[index] ?? rest)?.(value[index], `${name}[${index}]`, search);
    }
  };
}

function newJudge(schema: TSchema): Judge {
  const shape: Shape = schema;
  if (shape.anyOf) return choice(schema, shape.anyOf);
  if (shape.properties) return object(shape);
  return shape.items || shape.prefixItems ? array(shape) : scalar(schema);
}

/** Rows share many of their schemas. */
const known = new Map<TSchema, Judge>();

function judgeOf(schema: TSchema): Judge {
  const judge = known.get(schema) ?? newJudge(schema);
  known.set(schema, judge);
  return judge;
}

/** Judges the values of a place. */
export type Check = (value: unknown, violations: Violations) => void;

/**
 * A compiled schema, whose check notes the first violation of each value until there are enough. What passes is for the library
 * to say; what is wrong is looked for here, because the library's own search goes on to the last value whatever it has found.
 */
export function compile(schema: TSchema, place: Issue['in']): Check {
  const validator = Compile(schema);
  const judge = judgeOf(schema);
  return (value, violations) => {
    if (validator.Check(value)) return;
    const search = new Search(place, violations);
    judge(value, '', search);
    // What the schema refuses never passes.
    if (!search.hasFound) search.found('', 'schema');
  };
}
