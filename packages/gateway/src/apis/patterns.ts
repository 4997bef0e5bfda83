import { createRequire } from 'node:module';
import { type Set as CharacterClass, type Tokens, types } from 'ret';
import { tokenizer } from 'ret/dist/tokenizer.js';
import { DocumentFault } from './document.ts';

const require = createRequire(import.meta.url);

const MAX_PATTERN = 500;
/** Limits for the instructions of a compiled pattern and for the matched text. Their product bounds the time. */
const MAX_PROGRAM = 600;
const MAX_MATCHED = 1_000;
/** The most transitions of an automaton whose states are all made at once. */
const MAX_TRANSITIONS = 2_000;
/** How many characters take one step of a validator, in a one-pass pattern or a whole automaton. */
const CHARACTERS = 4;
/** How many instructions take one step, if a character may need a new state. */
const INSTRUCTIONS = 4;

/** Loads the library only for a document that has a pattern. */
function compiled(source: string): import('re2js').RE2JS {
  const { RE2JS, RE2JSException }: typeof import('re2js') = require('re2js');
  try {
    return RE2JS.compile(RE2JS.translateRegExp(source));
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw new DocumentFault('cannot be matched in linear time');
  }
}

/** Makes the states that matching may need, and returns whether these are all. */
function isSmall({ onepass, prefixComplete, dfa }: import('re2js').RE2JS['re2Input'], first: () => void): boolean {
  if (onepass || prefixComplete) return true;
  first();
  const letters = [0, ...dfa.classBounds];
  const states = new Set(dfa.startStates.values());
  let transitions = 0;
  for (const state of states) {
    transitions += letters.length;
    if (transitions > MAX_TRANSITIONS) return false;
    for (const letter of letters) states.add(dfa.step(state, dfa.runeClass(letter), letter, 0));
  }
  return !states.has(null);
}

/**
 * A pattern that matches in linear time and refuses a long text. It extends RegExp, because the validator accepts no other object and
 * because JSON then shows its source.
 */
class LinearPattern extends RegExp {
  readonly #source: string;
  readonly #pattern: import('re2js').RE2JS;
  readonly #perCharacter: number;

  constructor(source: string) {
    super('');
    this.#source = source;
    this.#pattern = compiled(source);
    if (this.#pattern.programSize() > MAX_PROGRAM) throw new DocumentFault('takes too long to match');
    const isFast = isSmall(this.#pattern.re2Input, () => this.#pattern.testExact(''));
    this.#perCharacter = isFast ? 1 / CHARACTERS : Math.max(1, this.#pattern.programSize() / INSTRUCTIONS);
  }

  /** Returns how many steps a validator takes to match a text. */
  stepsFor({ length }: string): number {
    return length > MAX_MATCHED ? 1 : 1 + length * this.#perCharacter;
  }

  override test(text: string): boolean {
    return text.length <= MAX_MATCHED && this.#pattern.test(text);
  }

  override toString(): string {
    return this.#source;
  }

  toJSON(): string {
    return this.#source;
  }
}

/** The compiled patterns by source. Operations of one document share patterns, and compiling is slow. */
const patterns = new Map<string, LinearPattern>();

/** Compiles a pattern of the document. Throws a DocumentFault if it cannot be matched in linear time. */
export function patternOf(value: unknown): LinearPattern {
  const source = String(value);
  if (source.length > MAX_PATTERN) throw new DocumentFault(`is longer than ${MAX_PATTERN} characters`);
  const pattern = patterns.get(source) ?? new LinearPattern(source);
  patterns.set(source, pattern);
  return pattern;
}

/** The characters that read well in a sample. The first one that a class contains stands for the class. */
const USUAL = [...'a1A- '].map((sign) => sign.charCodeAt(0));

/** Whether a class of characters contains this character. */
const isIn = (code: number, { set, not: isNegated }: CharacterClass): boolean =>
  isNegated !==
  set.some((each) => {
    if (each.type === types.SET) return isIn(code, each);
    return each.type === types.RANGE ? each.from <= code && code <= each.to : each.value === code;
  });

const leastOf = (each: CharacterClass['set'][number]): number[] => {
  if (each.type === types.SET) return each.set.flatMap(leastOf);
  return [each.type === types.RANGE ? each.from : each.value];
};

function matchingCharacter(characters: CharacterClass): string {
  const code = [...USUAL, ...characters.set.flatMap(leastOf)].find((each) => isIn(each, characters));
  return code === undefined ? '' : String.fromCharCode(code);
}

function matchingText(token: Tokens, maxLength: number): string {
  switch (token.type) {
    case types.CHAR:
      return String.fromCharCode(token.value);
    case types.SET:
      return matchingCharacter(token);
    case types.REPETITION: {
      // A lazy quantifier is an optional repetition here.
      const { value, min } = token.value.type === types.REPETITION ? token.value : token;
      return matchingText(value, maxLength).repeat(Math.min(min, maxLength)).slice(0, maxLength);
    }
    case types.ROOT:
    case types.GROUP: {
      const [alternative = []] = token.options ?? [token.stack ?? []];
      return alternative
        .map((each) => matchingText(each, maxLength))
        .join('')
        .slice(0, maxLength);
    }
    default:
      return '';
  }
}

/**
 * Returns a text that the pattern matches: the first of alternatives, as short as possible. For an unusual pattern the text may not match.
 */
export function matching(pattern: string, maxLength: number): string {
  try {
    return matchingText(tokenizer(pattern), maxLength);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return '';
  }
}
