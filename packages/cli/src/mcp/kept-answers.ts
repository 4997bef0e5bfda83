import { randomUUID } from 'node:crypto';

const LIFETIME_MS = 3_600_000;
const MAX_ANSWERS = 64;
const MAX_CHARACTERS = 32 * 1024 * 1024;
const URI = 'asset-gateway://answers/';

/** A whole answer of which a model saw a part. */
interface Kept {
  /** JSON. */
  readonly text: string;
  readonly at: number;
}

/** The URI template of all answers. */
export const ANSWER_TEMPLATE = `${URI}{answer}`;

/** The URI of a whole answer. */
export const answerUri = (answer: string): string => `${URI}${answer}`;

/**
 * Whole answers of which a model saw a part, in memory: for an hour, and of more than 64 answers or 32 million characters the oldest go
 * first. Over HTTP all connections share them, so there is no list: a client reads an answer only by its name.
 */
export class KeptAnswers {
  readonly #answers = new Map<string, Kept>();
  readonly #now: () => number;
  #characters = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Keeps the JSON of an answer; returns its name, which cannot be guessed. */
  keep(text: string): string {
    const answer = randomUUID();
    this.#answers.set(answer, { text, at: this.#now() });
    this.#characters += text.length;
    this.#sweep();
    return answer;
  }

  /** The JSON of an answer, as long as it is kept. */
  text(answer: string): string | undefined {
    this.#sweep();
    return this.#answers.get(answer)?.text;
  }

  /** The answers are in the order in which they came. */
  #sweep(): void {
    for (const [answer, { text, at }] of this.#answers) {
      // The newest one stays however long it is: it may have been paid for.
      const isLast = this.#answers.size === 1;
      const isOver = this.#answers.size > MAX_ANSWERS || (this.#characters > MAX_CHARACTERS && !isLast);
      if (!isOver && this.#now() - at < LIFETIME_MS) return;
      this.#answers.delete(answer);
      this.#characters -= text.length;
    }
  }
}
