import { createRequire } from 'node:module';
import { DocumentFault } from './document.ts';

const require = createRequire(import.meta.url);

const MAX_PATTERN = 500;
/** Limits for the instructions of a compiled pattern and for the matched text. Their product bounds the time. */
const MAX_PROGRAM = 600;
const MAX_MATCHED = 1_000;

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

/**
 * A pattern that matches in linear time and refuses a long text. It extends RegExp because the validator accepts no other object, and
 * because JSON then shows its source.
 */
class LinearPattern extends RegExp {
  readonly #source: string;
  readonly #pattern: import('re2js').RE2JS;

  constructor(source: string) {
    super('');
    this.#source = source;
    this.#pattern = compiled(source);
    if (this.#pattern.programSize() > MAX_PROGRAM) throw new DocumentFault('takes too long to match');
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

/** Operations of one document share patterns, and compiling is slow. */
const known = new Map<string, LinearPattern>();

/** A pattern of the document. Throws a DocumentFault if it cannot be matched in linear time. */
export function patternOf(value: unknown): LinearPattern {
  const source = String(value);
  if (source.length > MAX_PATTERN) throw new DocumentFault(`is longer than ${MAX_PATTERN} characters`);
  const pattern = known.get(source) ?? new LinearPattern(source);
  known.set(source, pattern);
  return pattern;
}

/** A usual character of each class, and the characters for a negated class that excludes it. */
const USUAL = [
  ['a', 'a', '\\w', '\\S'],
  ['1', '0', '1', '\\d', '\\w', '\\S'],
  ['A', 'A', '\\w', '\\S'],
  ['-', '-', '\\W', '\\S'],
  [' ', ' ', '\\s', '\\W'],
] as const;
const CLASSES: Readonly<Record<string, string>> = { d: '1', D: 'a', w: 'a', W: '-', s: ' ', S: 'a' };
const OPENING = /\((?:\?:|\?<\w{1,20}>)?/y;
const QUANTIFIER = /(?:[*+?]|\{(\d{1,4})[\d,]{0,5}\})\??/y;

/** Writes a short text that a usual pattern matches. Takes the first of several alternatives. */
class Matching {
  readonly #source: string;
  readonly #maxLength: number;
  #at = 0;

  constructor(source: string, maxLength: number) {
    this.#source = source;
    this.#maxLength = maxLength;
  }

  /** The text of the first alternative, up to a bracket or the end of the pattern. */
  text(): string {
    const alternatives = [''];
    while (this.#at < this.#source.length && this.#source[this.#at] !== ')') {
      const isNext = this.#source[this.#at] === '|';
      if (isNext) this.#at++;
      alternatives.push(isNext ? '' : (alternatives.pop() ?? '') + this.#repeated());
    }
    return (alternatives[0] ?? '').slice(0, this.#maxLength);
  }

  #match(token: RegExp): RegExpExecArray | null {
    token.lastIndex = this.#at;
    const found = token.exec(this.#source);
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #repeated(): string {
    const text = this.#one();
    const [quantifier = '', count] = this.#match(QUANTIFIER) ?? [];
    const least = count ?? (/^[*?]/.test(quantifier) ? 0 : 1);
    return text.repeat(Math.min(Number(least), this.#maxLength)).slice(0, this.#maxLength);
  }

  #one(): string {
    if (this.#match(OPENING)) {
      const text = this.text();
      this.#at++;
      return text;
    }
    const sign = this.#source.charAt(this.#at++);
    if (sign === '\\') return this.#escaped();
    if (sign === '[') return this.#ofClass();
    return sign === '^' || sign === '$' ? '' : sign;
  }

  #escaped(): string {
    const sign = this.#source.charAt(this.#at++);
    return CLASSES[sign] ?? sign;
  }

  #ofClass(): string {
    const start = this.#at;
    while (this.#at < this.#source.length && this.#source[this.#at] !== ']')
      this.#at += this.#source[this.#at] === '\\' ? 2 : 1;
    const inside = this.#source.slice(start, this.#at++);
    const [sign = '', next = ''] = inside;
    if (sign !== '^') return sign === '\\' ? (CLASSES[next] ?? next) : sign;
    return USUAL.find(([, ...parts]) => !parts.some((part) => inside.includes(part)))?.[0] ?? '';
  }
}

/** A text that the pattern matches. If the pattern is unusual, the text may not match. */
export const matching = (pattern: string, maxLength: number): string => new Matching(pattern, maxLength).text();
