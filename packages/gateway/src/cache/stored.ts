import { createHash } from 'node:crypto';
import { envelope, type Refusal, type Route } from '@asset-gateway/protocol';
import type { Answer, Input } from '../call.ts';
import type { CacheKey } from './key-demand.ts';
import type { Lifetime } from './lifetimes.ts';

/** Memory of an entry besides its text, roughly. */
export const OVERHEAD_BYTES = 512;

/** A cached entry: an upstream's answer for a key. */
export abstract class Kept {
  readonly key: CacheKey;
  /** Size in the shared memory limit. */
  abstract readonly bytes: number;
  /** When its call went out, on the clock of `ageSeconds`. */
  readonly fetchedAtMs: number;

  constructor(key: CacheKey, fetchedAtMs: number) {
    this.key = key;
    this.fetchedAtMs = fetchedAtMs;
  }

  ageSeconds(nowMs: number): number {
    return Math.max(0, nowMs - this.fetchedAtMs) / 1_000;
  }
}

/** How a fetched answer is described in Cache-Status (RFC 9211). */
export interface Fetched {
  readonly forwarded: 'miss' | 'stale';
  /** Another request's call answered this one. */
  readonly isCollapsed: boolean;
}

/** Caching headers of a cached answer: a hit, unless it was `fetched` for this request. */
export function cacheHeaders(
  ageSeconds: number,
  { freshSeconds }: Pick<Lifetime, 'freshSeconds'>,
  fetched: Fetched | undefined,
  tag: string,
): Readonly<Record<string, string>> {
  const timeToLive = Math.floor(freshSeconds - ageSeconds);
  const status = fetched
    ? `fwd=${fetched.forwarded}; stored${fetched.isCollapsed ? '; collapsed' : ''}`
    : `hit; ttl=${timeToLive}`;
  return {
    Age: String(Math.floor(ageSeconds)),
    'Cache-Control': `private, max-age=${Math.max(0, timeToLive)}`,
    'Cache-Status': `asset-gateway; ${status}`,
    ETag: tag,
  };
}

/** A strong entity tag. */
export const tagOf = (body: Uint8Array): string =>
  `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;

/** A cached whole answer, ready to send. */
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

  /** The upstream's text. */
  get json(): string {
    return Buffer.from(this.#body.subarray(this.#resultAt, -1)).toString();
  }

  /** The answer with its current age; `onSettled` is called once the admission has settled. */
  answer(nowMs: number, fetched?: Fetched, onSettled: () => void = ignore): Answer {
    const kept = this;
    const headers = cacheHeaders(this.ageSeconds(nowMs), this.key, fetched, this.#tag);
    return {
      body: this.#body,
      headers,
      onSettled,
      // Decoded only on demand.
      get json() {
        return kept.json;
      },
    };
  }
}

const ignore = (): void => undefined;

/** A cached item of a batch: the upstream's text about one mint. */
export class KeptItem extends Kept {
  readonly json: string;
  readonly bytes: number;

  constructor(key: CacheKey, fetchedAtMs: number, json: string) {
    super(key, fetchedAtMs);
    this.json = json;
    // V8 uses one byte per character for Latin-1 text, else two.
    this.bytes = 2 * json.length + key.id.length + OVERHEAD_BYTES;
  }
}

/** A cached rejection of a key by the upstream. */
export class KeptRefusal extends Kept {
  readonly bytes = 2_048;
  readonly refusal: Refusal;

  constructor(key: CacheKey, fetchedAtMs: number, refusal: Refusal) {
    super(key, fetchedAtMs);
    this.refusal = refusal;
  }
}

/** How to fetch a key. */
export interface Plan {
  readonly key: CacheKey;
  readonly route: Route;
  /** The input of a whole answer. */
  readonly input: Input;
  /** For rows cached per mint. */
  readonly mint?: string;
}

/** A cached answer with its text. */
export type KeptText = KeptAnswer | KeptItem;

/** Makes the entry of a plan's key; `fetchedAtMs` is when its call went out. */
export const keptFor = ({ key, route, mint }: Plan, fetchedAtMs: number, json: string): KeptText =>
  mint === undefined ? new KeptAnswer(key, fetchedAtMs, route, json) : new KeptItem(key, fetchedAtMs, json);

export const idsOf = (keyed: readonly Pick<Plan, 'key'>[]): string[] => keyed.map(({ key }) => key.id);
