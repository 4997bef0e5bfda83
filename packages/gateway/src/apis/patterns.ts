import { createRequire } from 'node:module';
import { DocumentFault } from './document.ts';

const require = createRequire(import.meta.url);

const MAX_PATTERN = 500;
/** The instructions of a compiled pattern, and the characters that it is matched against: their product bounds the time. */
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
 * A pattern that is matched in linear time, against a text that is not too long. It is a RegExp only because the validator takes no
 * other object; JSON shows its source.
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

/** The pattern of a document. Throws a DocumentFault for one that is not matched in linear time. */
export function patternOf(source: unknown): LinearPattern {
  if (String(source).length > MAX_PATTERN) throw new DocumentFault(`is longer than ${MAX_PATTERN} characters`);
  return new LinearPattern(String(source));
}
