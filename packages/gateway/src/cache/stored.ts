import { createHash } from 'node:crypto';
import { envelope, type Refusal, type Route } from '@asset-gateway/protocol';
import type { Answer, Input } from '../call.ts';
import type { CacheKey } from './cache-key.ts';
/** The approximate bytes of memory of an entry besides its text. */
export const OVERHEAD_BYTES = 512;

/** What cached answers and cached rejections have in common. */
interface CacheEntry {
  readonly key: CacheKey;
  /** How many bytes count towards the memory limit. */
  readonly bytes: number;
  /** When the entry's call went out, in milliseconds on the clock of `ageOf`. */
  readonly fetchedAtMs: number;
}

/** A cached answer. */
export interface CachedAnswer extends CacheEntry {
  /** The upstream's text; from a batch only the item of one mint. */
  readonly json: string;
  /** The whole answer, ready to send; absent for the item of a batch. */
  readonly ready?: ReadyAnswer;
}

/** A cached answer, or the upstream's cached rejection of the key. */
export type CachedOutcome = CachedAnswer | (CacheEntry & { readonly refusal: Refusal });

export const ageOf = ({ fetchedAtMs }: CacheEntry, nowMs: number): number => Math.max(0, nowMs - fetchedAtMs) / 1_000;

type ReadyAnswer = ReturnType<typeof wholeAnswerOf>;

/** Returns an upstream's text in its envelope, with a strong entity tag. */
export function wholeAnswerOf(route: Route, json: string) {
  const whole = envelope(route, json);
  const resultAt = whole.length - json.length - 1;
  const body = Buffer.from(whole);
  return {
    body,
    tag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    /** The upstream's text. It is decoded each time when it is read, to save memory. */
    get json() {
      return body.toString('utf8', resultAt, body.length - 1);
    },
  };
}

/** What Cache-Status (RFC 9211) says about a fetched answer. */
interface Fetched {
  readonly forwarded: 'miss' | 'stale';
  /** Whether another request's call fetched the answer. */
  readonly isCollapsed: boolean;
}

/**
 * Returns the answer that these entries make, as old as the oldest of them. It is a hit unless a call fetched it for this request
 * (`fetched`).
 */
export function cachedAnswerOf(
  ready: ReadyAnswer,
  entries: readonly CacheEntry[],
  nowMs: number,
  fetched?: Fetched,
): Answer {
  let age = 0;
  let freshSeconds = Number.POSITIVE_INFINITY;
  for (const entry of entries) {
    age = Math.max(age, ageOf(entry, nowMs));
    freshSeconds = Math.min(freshSeconds, entry.key.freshSeconds);
  }
  const timeToLive = Math.floor(freshSeconds - age);
  const status = fetched
    ? `fwd=${fetched.forwarded}; stored${fetched.isCollapsed ? '; collapsed' : ''}`
    : `hit; ttl=${timeToLive}`;
  return {
    body: ready.body,
    headers: {
      Age: String(Math.floor(age)),
      'Cache-Control': `private, max-age=${Math.max(0, timeToLive)}`,
      'Cache-Status': `asset-gateway; ${status}`,
      ETag: ready.tag,
    },
    get json() {
      return ready.json;
    },
  };
}

/** How to fetch a key. */
export interface FetchPlan {
  readonly key: CacheKey;
  readonly route: Route;
  /** The input for the whole answer. */
  readonly input: Input;
  /** The mint, for rows that are cached per mint. */
  readonly mint?: string;
}

/** Makes the entry of a plan's key. `fetchedAtMs`: when the call went out. */
export function entryFor({ key, route, mint }: FetchPlan, fetchedAtMs: number, json: string): CachedAnswer {
  const entry = { key, fetchedAtMs };
  const overhead = key.id.length + OVERHEAD_BYTES;
  // V8 uses one byte for each character of a Latin-1 text, and two for other texts.
  if (mint !== undefined) return { ...entry, json, bytes: 2 * json.length + overhead };
  const ready = wholeAnswerOf(route, json);
  return {
    ...entry,
    bytes: ready.body.length + overhead,
    ready,
    get json() {
      return ready.json;
    },
  };
}

/** Any value with a key, such as a plan. */
export type Keyed = Pick<FetchPlan, 'key'>;

export const idsOf = (keyed: readonly Keyed[]): string[] => keyed.map(({ key }) => key.id);
