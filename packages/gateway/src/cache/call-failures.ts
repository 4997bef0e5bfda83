import { Refusal } from '@asset-gateway/protocol';
import { LRUCache } from 'lru-cache';
import { NoLeader } from './call-leadership.ts';

/** What an upstream says of a request itself, which is as true for the next one who asks. */
export const isVerdict = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code === 'upstream_rejected';
/** Nothing was asked of the upstream, for a reason that may be over soon: whoever waits waits on. */
export const isPassing = (error: unknown): boolean =>
  error instanceof NoLeader || (error instanceof Refusal && ['rate_limited', 'overloaded'].includes(error.code));
/** That the upstream, or what stands for it while it is left alone, did not answer. */
export const isOfUpstream = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code.startsWith('upstream_');

/** There are slots, but none for the shares of those who wait. */
export const isOfShares = (error: unknown): boolean => error instanceof Refusal && error.details.scope !== undefined;

/** A key is asked for again after a minute at most, when its turn has come. */
const MEMORY_MS = 90_000;

/** How the last call for a key has failed: that is why none goes out for a while. */
export class CallFailures {
  readonly #failures = new LRUCache<string, Refusal>({ max: 1_024, ttl: MEMORY_MS });

  note(ids: readonly string[], error: unknown): void {
    if (!isOfUpstream(error) || isVerdict(error)) return;
    for (const id of ids) this.#failures.set(id, error);
  }

  forget(id: string): void {
    this.#failures.delete(id);
  }

  /** Of any of these keys. */
  of(ids: readonly string[]): Refusal | undefined {
    return ids.map((id) => this.#failures.get(id)).find((failure) => failure !== undefined);
  }
}
