import type { Database, RootDatabase } from 'lmdb';
import type { Clock } from './clock.ts';
import { PAYMENTS } from './payments.ts';

interface KeptAnswer {
  readonly text: string;
  readonly atMs: number;
}

/** The answers that payments have bought, on disk: for ten minutes, and together up to a limit, the oldest dropped first. */
export class KeptAnswers {
  readonly #texts: Database<KeptAnswer, string>;
  readonly #now: Clock;
  readonly #sizes = new Map<string, { readonly bytes: number; readonly atMs: number }>();
  #bytes = 0;

  constructor(root: RootDatabase, now: Clock) {
    this.#texts = root.openDB<KeptAnswer, string>({ name: 'answers' });
    this.#now = now;
    const kept = this.#texts.getRange().map(({ key, value: { text, atMs } }) => ({ key, text, atMs }));
    for (const { key, text, atMs } of [...kept].sort((one, other) => one.atMs - other.atMs)) {
      this.#count(key, text, atMs);
    }
  }

  get isOverfull(): boolean {
    return this.#bytes > PAYMENTS.answerBytes;
  }

  async put(key: string, text: string): Promise<void> {
    const atMs = this.#now();
    this.#count(key, text, atMs);
    await this.#texts.put(key, { text, atMs });
  }

  /** A young answer, or an old one that is still needed. */
  get(key: string, isNeeded: boolean): string | undefined {
    const size = this.#sizes.get(key);
    if (!size) return undefined;
    return isNeeded || this.#isYoung(size.atMs) ? this.#texts.get(key)?.text : undefined;
  }

  /** Drops what is old and not needed, and the oldest of too many whether needed or not: the upstream can be asked again. */
  sweep(isNeeded: (key: string) => boolean): void {
    for (const [key, { bytes, atMs }] of this.#sizes) {
      if (!this.isOverfull && (this.#isYoung(atMs) || isNeeded(key))) continue;
      this.#sizes.delete(key);
      this.#bytes -= bytes;
      this.#texts.remove(key).catch(() => undefined);
    }
  }

  #isYoung(atMs: number): boolean {
    return this.#now() - atMs < PAYMENTS.answerMs;
  }

  #count(key: string, text: string, atMs: number): void {
    const bytes = Buffer.byteLength(text);
    this.#bytes += bytes - (this.#sizes.get(key)?.bytes ?? 0);
    this.#sizes.delete(key);
    this.#sizes.set(key, { bytes, atMs });
  }
}
