import { randomUUID } from 'node:crypto';

const LIFETIME_MS = 3_600_000;
const MAX_ANSWERS = 64;
const MAX_CHARACTERS = 32 * 1024 * 1024;
const URI = 'asset-gateway://answers/';

interface StoredAnswer {
  /** JSON. */
  readonly text: string;
  readonly at: number;
}

/** The URI template of all answers. */
export const ANSWER_TEMPLATE = `${URI}{answer}`;

/** The URI of a whole answer. */
export const answerUri = (answer: string): string => `${URI}${answer}`;

/**
 * The whole texts of cut answers, in memory for an hour. Beyond 64 answers or 32 million characters the oldest are dropped. Over HTTP all
 * connections share them, so they are not listed: a client needs an answer's id.
 */
export class StoredAnswers {
  readonly #answers = new Map<string, StoredAnswer>();
  readonly #now: () => number;
  #characters = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Stores the JSON of an answer and returns its id, which cannot be guessed. */
  add(text: string): string {
    const answer = randomUUID();
    this.#answers.set(answer, { text, at: this.#now() });
    this.#characters += text.length;
    this.#sweep();
    return answer;
  }

  /** The JSON of an answer, if it is still stored. */
  text(answer: string): string | undefined {
    this.#sweep();
    return this.#answers.get(answer)?.text;
  }

  /** Drops old answers. The map is in the order of insertion. */
  #sweep(): void {
    for (const [answer, { text, at }] of this.#answers) {
      // The newest answer stays, however long: the user may have paid for it.
      const isLast = this.#answers.size === 1;
      const isOver = this.#answers.size > MAX_ANSWERS || (this.#characters > MAX_CHARACTERS && !isLast);
      if (!isOver && this.#now() - at < LIFETIME_MS) return;
      this.#answers.delete(answer);
      this.#characters -= text.length;
    }
  }
}
