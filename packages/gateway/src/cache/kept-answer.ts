import { createHash } from 'node:crypto';
import { envelope, type Route } from '@asset-gateway/protocol';
import type { Answer } from '../call.ts';
import { cacheHeaders, type Fetched } from './cache-headers.ts';
import type { CacheKey } from './call-order.ts';
import { Kept, OVERHEAD_BYTES } from './kept.ts';

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

  /** The answer as it is told now. */
  answer(nowMs: number, fetched?: Fetched): Answer {
    const [body, text] = [this.#body, () => this.json];
    return {
      headers: { ...cacheHeaders(this.ageSeconds(nowMs), this.key, fetched), ETag: this.#tag },
      body,
      get json() {
        return text();
      },
    };
  }
}
