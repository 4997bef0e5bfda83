import { Refusal, type Route } from '@asset-gateway/protocol';
import { LRUCache } from 'lru-cache';
import type { Share } from '../budget/store.ts';
import type { Spend } from '../call.ts';
import { UpstreamRefusal } from '../upstreams/upstream.ts';
import { itemsOf } from './batches.ts';
import { idsOf, type KeptText, keptFor, type Plan } from './stored.ts';
import type { Waiter } from './waiters.ts';

/** The upstream rejected the request itself: the same holds for every client. */
export const isVerdict = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code === 'upstream_rejected';
/** The call may succeed for a part of its keys. */
export const isDivisible = (error: unknown): error is Refusal =>
  isVerdict(error) || (error instanceof Refusal && error.code === 'upstream_invalid_response');
/** The upstream is up; the request is at fault. */
export const isOfRequest = (error: unknown): error is Refusal =>
  isVerdict(error) || (isDivisible(error) && !(error instanceof UpstreamRefusal));
/** The call was not made for a temporary reason; its waiters keep waiting. */
export const isPassing = (error: unknown): boolean =>
  error instanceof NoLeader || (error instanceof Refusal && ['rate_limited', 'overloaded'].includes(error.code));
/** The upstream, or its circuit breaker, did not answer. */
export const isOfUpstream = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code.startsWith('upstream_');

/** Slots are left, but none for the shares of the waiting requests. */
export const isOfShares = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.details.scope !== undefined;

/** A failed key is retried after a minute at most. */
const MEMORY_MS = 90_000;

/** Recent failures by key, and the keys that must be fetched alone. */
export class CallFailures {
  readonly #failures = new LRUCache<string, Refusal>({ max: 1_024, ttl: MEMORY_MS });
  readonly #alone = new LRUCache<string, true>({ max: 8_192, ttl: MEMORY_MS });

  note(ids: readonly string[], error: unknown): void {
    if (!isOfUpstream(error) || isVerdict(error)) return;
    for (const id of ids) this.#failures.set(id, error);
  }

  /** One of these keys was rejected: each is fetched alone until it is answered. */
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

  /** The failure of any of these keys. */
  of(ids: readonly string[]): Refusal | undefined {
    return ids.map((id) => this.#failures.get(id)).find((failure) => failure !== undefined);
  }
}

/** Refusals of one waiter's sign-in; another waiter may still make the call. */
const OWN = new Set(['invalid_siwx_nonce', 'invalid_siwx_expired']);

export const isOwn = (error: unknown): boolean => error instanceof Refusal && OWN.has(error.code);

/** No waiter may make the call; each was refused with its own reason. */
class NoLeader extends Error {}

/** Undefined without shares. */
function sharesOf(waiters: readonly Waiter[]): readonly Share[] | undefined {
  const shares = waiters.map(({ share }) => share).filter((share) => share !== undefined);
  return shares.length > 0 ? shares : undefined;
}

/** Dependencies of the choice of a call's leader. */
export interface LeadershipDependencies {
  /** The requests that wait for the call. */
  readonly waiters: () => readonly Waiter[];
  /** Spends for a refresh without a waiting request. */
  readonly spendAlone: Spend;
  readonly dismiss: (waiter: Waiter, error: unknown) => void;
}

/** One waiting request takes the call's slot with its own sign-in. */
export class CallLeadership {
  readonly #dependencies: LeadershipDependencies;
  #leader: Waiter | undefined;
  #asked: readonly Waiter[] = [];

  constructor(dependencies: LeadershipDependencies) {
    this.#dependencies = dependencies;
  }

  get leader(): Waiter | undefined {
    return this.#leader;
  }

  /** The waiters at the last attempt to take the slot. */
  get asked(): readonly Waiter[] {
    return this.#asked;
  }

  /** Takes a slot by the first waiter with a valid sign-in; charged to the waiter whose group holds least. */
  readonly spend: Spend = async (budget) => {
    this.#asked = [...this.#dependencies.waiters()];
    const shares = sharesOf(this.#asked);
    if (this.#leader) return this.#leader.asker.spend(budget, shares);
    let hasDismissed = false;
    for (const waiter of this.#asked) {
      try {
        const slot = await waiter.asker.spend(budget, shares);
        this.#leader = waiter;
        return slot;
      } catch (error) {
        if (!isOwn(error)) throw error;
        this.#dependencies.dismiss(waiter, error);
        hasDismissed = true;
      }
    }
    if (hasDismissed) throw new NoLeader();
    return this.#dependencies.spendAlone(budget);
  };
}

/** The entries of an answer to these keys, whose call went out then: of a batch only the requested items. */
export function entriesIn(plans: readonly Plan[], route: Route, json: string, sentAtMs: number): KeptText[] {
  if (plans.every(({ mint }) => mint === undefined)) return plans.map((plan) => keptFor(plan, sentAtMs, json));
  const items = itemsOf(route, json);
  return plans.flatMap((plan) => {
    const text = items.get(plan.mint);
    return text === undefined ? [] : keptFor(plan, sentAtMs, text);
  });
}

/** A part of a call that is retried, with its requests. */
export interface CallPart {
  readonly plans: readonly Plan[];
  readonly waiters: readonly Waiter[];
}

/** A call that the upstream rejected or answered in part. */
interface RejectedCall {
  readonly asked: readonly Plan[];
  readonly unanswered: readonly Plan[];
  /** The requests that wait for unanswered keys. */
  readonly waiters: readonly Waiter[];
  /** Whether the upstream answered this key before. */
  readonly wasAnswered: (id: string) => boolean;
}

/**
 * Splits a rejected shared call to find the request at fault: one part per distinct request, and one for all requests whose keys were
 * answered before. Empty if one request asked for the whole call.
 */
export function partsOf({ asked, unanswered, waiters, wasAnswered }: RejectedCall): readonly CallPart[] {
  const byPlans = new Map<string, { readonly plans: readonly Plan[]; readonly waiters: Waiter[] }>();
  for (const waiter of waiters) {
    const plans = unanswered.filter(({ key }) => waiter.asksFor(key.id));
    const name = JSON.stringify(idsOf(plans));
    const part = byPlans.get(name) ?? { plans, waiters: [] };
    part.waiters.push(waiter);
    byPlans.set(name, part);
  }
  const parts = [...byPlans.values()];
  const isOfOne = parts.length === 1 && waiters.every((waiter) => idsOf(asked).every((id) => waiter.asksFor(id)));
  if (isOfOne) return [];
  const isKnown = ({ plans }: CallPart) => idsOf(plans).every(wasAnswered);
  const [known, others] = [parts.filter(isKnown), parts.filter((part) => !isKnown(part))];
  return known.length > 1 && others.length > 0 ? [...others, joined(known)] : parts;
}

const joined = (parts: readonly CallPart[]): CallPart => ({
  plans: [...new Set(parts.flatMap(({ plans }) => plans))],
  waiters: parts.flatMap(({ waiters }) => waiters),
});
