import { Refusal } from '@asset-gateway/protocol';
import { LRUCache } from 'lru-cache';
import { UpstreamRefusal } from '../upstreams/upstream-refusal.ts';
import { NoLeader } from './call-leadership.ts';

/** What an upstream says of a request itself, which is as true for the next one who asks. */
export const isVerdict = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code === 'upstream_rejected';
/** A call that failed so may succeed for a part of what it asked for. */
export const isDivisible = (error: unknown): error is Refusal =>
  isVerdict(error) || (error instanceof Refusal && error.code === 'upstream_invalid_response');
/** The upstream is up; what it was asked for is the fault. */
export const isOfRequest = (error: unknown): error is Refusal =>
  isVerdict(error) || (isDivisible(error) && !(error instanceof UpstreamRefusal));
/** Nothing was asked of the upstream, for a reason that may be over soon: whoever waits waits on. */
export const isPassing = (error: unknown): boolean =>
  error instanceof NoLeader || (error instanceof Refusal && ['rate_limited', 'overloaded'].includes(error.code));
/** That the upstream, or what stands for it while it is left alone, did not answer. */
export const isOfUpstream = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code.startsWith('upstream_');

/** There are slots, but none for the shares of those who wait. */
export const isOfShares = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.details.scope !== undefined;

/** A key is asked for again after a minute at most, when its turn has come. */
const MEMORY_MS = 90_000;

/** How the last call for a key has failed: none goes out for a while, or none that serves other requests too. */
export class CallFailures {
  readonly #failures = new LRUCache<string, Refusal>({ max: 1_024, ttl: MEMORY_MS });
  readonly #alone = new LRUCache<string, true>({ max: 8_192, ttl: MEMORY_MS });

  note(ids: readonly string[], error: unknown): void {
    if (!isOfUpstream(error) || isVerdict(error)) return;
    for (const id of ids) this.#failures.set(id, error);
  }

  /** One of these keys was rejected: each goes alone until it is answered. */
  noteAlone(ids: readonly string[]): void {
    for (const id of ids) this.#alone.set(id, true);
  }

  goesAlone(id: string): boolean {
    return this.#alone.has(id);
  }

  forget(id: string): void {
    this.#failures.delete(id);
    this.#alone.delete(id);
  }

  /** Of any of these keys. */
  of(ids: readonly string[]): Refusal | undefined {
    return ids.map((id) => this.#failures.get(id)).find((failure) => failure !== undefined);
  }
}
