import type { Issue, Values } from '@asset-gateway/protocol';
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/schema';
import type { Violations } from './violations.ts';

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
