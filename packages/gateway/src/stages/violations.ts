import type { Issue, Values } from '@asset-gateway/protocol';

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
