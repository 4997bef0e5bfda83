import { createHash } from 'node:crypto';
import { envelope, type Route } from '@asset-gateway/protocol';
import type { Answer } from '../call.ts';
import type { CacheKey } from './call-order.ts';

/** How an answer came to be that is not from the cache (RFC 9211). */
export interface Fetched {
  readonly forwarded: 'miss' | 'stale';
  /** Another request's call answered this one too. */
  readonly isCollapsed: boolean;
}

/** What an entry weighs beside its text: what JavaScript needs for it, roughly. */
const OVERHEAD_BYTES = 512;

/** An upstream's answer as it is kept, with all that a hit needs ready. */
export class KeptAnswer {
  readonly key: CacheKey;
  /** Its part of the memory that all of them share. */
  readonly bytes: number;
  readonly #body: Uint8Array;
  readonly #resultAt: number;
  readonly #tag: string;
  readonly #fetchedAtMs: number;

  /** `fetchedAtMs` is when its call went out, by the clock that ages are asked with. */
  constructor(key: CacheKey, route: Route, json: string, fetchedAtMs: number) {
    this.key = key;
    const whole = envelope(route, json);
    this.#body = Buffer.from(whole);
    this.#resultAt = Buffer.byteLength(whole.slice(0, whole.length - json.length - 1));
    this.bytes = this.#body.length + key.id.length + OVERHEAD_BYTES;
    this.#tag = `"${createHash('sha256').update(this.#body).digest('base64url').slice(0, 22)}"`;
    this.#fetchedAtMs = fetchedAtMs;
  }

  ageSeconds(nowMs: number): number {
    return Math.max(0, nowMs - this.#fetchedAtMs) / 1_000;
  }

  /** The answer as it is told now; a hit unless it was fetched for this request. */
  answer(nowMs: number, fetched?: Fetched): Answer {
    const age = this.ageSeconds(nowMs);
    const timeToLive = Math.floor(this.key.freshSeconds - age);
    const status = fetched
      ? `fwd=${fetched.forwarded}; stored${fetched.isCollapsed ? '; collapsed' : ''}`
      : `hit; ttl=${timeToLive}`;
    const headers = {
      Age: String(Math.floor(age)),
      'Cache-Control': `private, max-age=${Math.max(0, timeToLive)}`,
      'Cache-Status': `asset-gateway; ${status}`,
      ETag: this.#tag,
    };
    const [body, start] = [this.#body, this.#resultAt];
    return {
      headers,
      body,
      get json() {
        return Buffer.from(body.subarray(start, -1)).toString();
      },
    };
  }
}
