import type { Full } from '@asset-gateway/client';
import type { Step } from '../recorder.ts';

/** An answer, and what was said for it. */
export interface KeptAnswer<T = unknown> {
  readonly full: Full<T>;
  readonly steps: readonly Step[];
}

const KEPT_MS = 60_000;
/** In characters of their texts, so that a few very long ones do not fill a tab. */
const MAX_LENGTH = 16_000_000;

/** The answers of the last minute: going back to one takes no call. */
export class KeptAnswers {
  readonly #kept = new Map<string, { readonly answer: KeptAnswer; readonly until: number }>();

  get(key: string, now: number): KeptAnswer | undefined {
    this.#forget(now);
    return this.#kept.get(key)?.answer;
  }

  keep(key: string, answer: KeptAnswer, now: number): void {
    // What is kept anew is the latest again.
    this.#kept.delete(key);
    this.#kept.set(key, { answer, until: now + KEPT_MS });
    this.#forget(now);
  }

  #forget(now: number): void {
    let length = 0;
    for (const [key, { answer, until }] of [...this.#kept].reverse()) {
      length += answer.full.text.length;
      if (until <= now || length > MAX_LENGTH) this.#kept.delete(key);
    }
  }
}
