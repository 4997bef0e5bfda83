import { createHash } from 'node:crypto';
import { envelope, type Route } from '@asset-gateway/protocol';
import type { Answer } from '../call.ts';
import { cacheHeaders, type Fetched } from './cache-headers.ts';
import { Kept, OVERHEAD_BYTES } from './kept.ts';
import type { CacheKey } from './known-key.ts';

/** A strong entity tag of these bytes. */
export const tagOf = (body: Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

/** An upstream's whole answer as it is kept, with all that a hit needs ready. */
export class KeptAnswer extends Kept {
  readonly bytes: number;
  readonly #body: Uint8Array;
  readonly #resultAt: number;
  readonly #tag: string;

  constructor(key: CacheKey, fetchedAtMs: number, route: Route, json: string) {
    super(key, fetchedAtMs);
    const whole = envelope(route, json);
    this.#body = Buffer.from(whole);
    this.#resultAt = whole.length - json.length - 1;
    this.#tag = tagOf(this.#body);
    this.bytes = this.#body.length + key.id.length + OVERHEAD_BYTES;
  }

  /** The upstream's own text. */
  get json(): string {
    return Buffer.from(this.#body.subarray(this.#resultAt, -1)).toString();
  }

  /** The answer as it is told now; `onSettled` is told when it is its caller's. */
  answer(nowMs: number, fetched?: Fetched, onSettled: () => void = nobody): Answer {
    const headers = cacheHeaders(this.ageSeconds(nowMs), this.key, fetched, this.#tag);
    return new WholeAnswer(this, this.#body, headers, onSettled);
  }
}

const nobody = (): void => undefined;

/** An answer whose text is made only for who asks for it. */
class WholeAnswer implements Answer {
  readonly body: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  readonly onSettled: () => void;
  readonly #kept: KeptAnswer;

  constructor(kept: KeptAnswer, body: Uint8Array, headers: Readonly<Record<string, string>>, onSettled: () => void) {
    this.#kept = kept;
    this.body = body;
    this.headers = headers;
    this.onSettled = onSettled;
  }

  get json(): string {
    return this.#kept.json;
  }
}
