import { Refusal } from '@asset-gateway/protocol';
import type { Share } from '../budget/store.ts';
import type { UpstreamCall } from '../call.ts';
import { UpstreamRefusal } from '../upstreams/upstream.ts';
import type { CacheKey } from './cache-key.ts';
import type { CallOrder } from './call-order.ts';
import type { KeyRequest } from './key-demand.ts';
import { type CachedAnswer, type FetchPlan, idsOf } from './stored.ts';

/** Whether the upstream rejected the request, as it would reject it from every client. */
export const isRejection = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code === 'upstream_rejected';
/** Whether a call for fewer of the keys may succeed. */
export const isDivisible = (error: unknown): error is Refusal =>
  isRejection(error) || (error instanceof Refusal && error.code === 'upstream_invalid_response');
/** Whether the request, and not the upstream, caused the failure. */
export const isOfRequest = (error: unknown): error is Refusal =>
  isRejection(error) || (isDivisible(error) && !(error instanceof UpstreamRefusal));
/** Whether the call was not made, for a reason that passes. Then its requests keep waiting. */
export const isTemporary = (error: unknown): boolean =>
  error instanceof NoLeader || (error instanceof Refusal && ['rate_limited', 'overloaded'].includes(error.code));
/**
 * Whether the upstream is the reason of a refusal: it failed, it rejected the request or our key, it asked for a pause, or its circuit
 * breaker is open.
 */
export const isOfUpstream = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.code.startsWith('upstream_');

/** Whether slots are free, but the shares of the waiting requests may take none. */
export const lacksShare = (error: unknown): error is Refusal =>
  error instanceof Refusal && error.details.scope !== undefined;

/** Thrown if no waiting request may make the call, because each was refused for its own reason. */
export class NoLeader extends Error {}

/** The codes that refuse one request's sign-in. Another request may still make the call. */
const OWN = new Set(['invalid_siwx_nonce', 'invalid_siwx_expired']);

export const isOfSignIn = (error: unknown): boolean => error instanceof Refusal && OWN.has(error.code);

/** A key that a request waits for, and the state of its stored answer. */
export interface WantedKey extends Pick<KeyRequest, 'ageSeconds' | 'refusesCached'> {
  readonly key: CacheKey;
  /** The request accepts no answer that was fetched earlier, in milliseconds; undefined: it accepts any answer that may be served. */
  readonly notBeforeMs?: number | undefined;
}

/** A request for keys. Its `slots` take the slot of a call, which uses up the request's sign-in. */
export type Requester = Pick<UpstreamCall, 'wallet' | 'slots'>;

/** A request that waits until all its keys are answered. */
export class Waiter {
  readonly asker: Requester;
  /** The share to which its calls are charged; undefined without shares. */
  readonly share: Share | undefined;
  readonly weight: number;
  /** The entries that the request has received, by key id. */
  readonly given = new Map<string, CachedAnswer>();
  /** Whether another request's call has answered at least one of its keys. */
  isCollapsed = false;
  /** Whether the waiting time is over. The request then waits only for calls in flight. */
  isLate = false;
  /** Whether the request has a call of its own in flight, because a shared call was rejected. */
  isRetried = false;
  readonly done: Promise<void>;
  readonly #wanted: Map<string, WantedKey>;
  #resolve: () => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(wanted: readonly WantedKey[], asker: Requester, share?: Share) {
    this.asker = asker;
    this.share = share;
    this.weight = 1 / wanted.length;
    this.#wanted = new Map(wanted.map((each) => [each.key.id, each]));
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Returns the keys that are still missing. */
  wanted(): readonly WantedKey[] {
    return [...this.#wanted.values()];
  }

  lacks(id: string): boolean {
    return this.#wanted.has(id);
  }

  /** Whether the request waits for this key, or has waited for it. */
  asksFor(id: string): boolean {
    return this.#wanted.has(id) || this.given.has(id);
  }

  /** Whether an entry was fetched late enough for the request. */
  accepts({ key, fetchedAtMs }: CachedAnswer): boolean {
    return fetchedAtMs >= (this.#wanted.get(key.id)?.notBeforeMs ?? Number.NEGATIVE_INFINITY);
  }

  give(kept: CachedAnswer, isCollapsed: boolean): void {
    if (!this.#wanted.delete(kept.key.id)) return;
    this.given.set(kept.key.id, kept);
    this.isCollapsed ||= isCollapsed;
    if (this.#wanted.size === 0) this.#resolve();
  }

  refuse(error: unknown): void {
    this.#reject(error);
  }
}

/** How long a request waits for its calls to start, in milliseconds. */
export const WAIT_MS = 2_000;
/** The most waiting requests in total. */
const MAX_WAITING = 256;
/** The most waiting requests of one group or wallet. */
const MAX_OF_SHARE = 64;

/** Holds the waiting requests in their order of arrival. They are few, so each look-up reads all. */
export class Waiters {
  readonly #timers = new Map<Waiter, NodeJS.Timeout>();
  readonly #order: CallOrder;

  constructor(order: CallOrder) {
    this.#order = order;
  }

  get count(): number {
    return this.#timers.size;
  }

  has(waiter: Waiter): boolean {
    return this.#timers.has(waiter);
  }

  /** Whether a request with the same sign-in is already waiting. */
  hasNonce(nonce: string | undefined): boolean {
    return nonce !== undefined && this.all().some(({ asker }) => asker.slots.nonce === nonce);
  }

  hasRoomFor({ share }: Waiter): boolean {
    const isCrowded = (part: keyof Share) =>
      this.all().filter((waiter) => waiter.share?.[part] === share?.[part]).length >= MAX_OF_SHARE;
    return this.count < MAX_WAITING && !(share && (isCrowded('group') || isCrowded('wallet')));
  }

  /** Returns the requests that wait for at least one of these keys. */
  of(ids: readonly string[]): Waiter[] {
    return this.all().filter((waiter) => ids.some((id) => waiter.lacks(id)));
  }

  all(): Waiter[] {
    return [...this.#timers.keys()];
  }

  enter(waiter: Waiter, waitMs: number, giveUp: () => void): void {
    this.#timers.set(waiter, setTimeout(giveUp, waitMs).unref());
  }

  /** Gives an entry to the requests that wait for it. */
  give(kept: CachedAnswer, leader: Waiter | undefined): void {
    for (const waiter of this.of([kept.key.id])) {
      waiter.give(kept, waiter !== leader);
      if (waiter.wanted().length === 0) this.#forget(waiter);
    }
  }

  /** Refuses a request if it is still waiting. */
  refuse(waiter: Waiter, error: unknown): void {
    if (!this.#forget(waiter)) return;
    const asked = { weight: waiter.weight, isVoid: isOfSignIn(error) };
    for (const { key, refusesCached } of waiter.wanted()) this.#order.dequeue(key.id, { ...asked, refusesCached });
    waiter.refuse(error);
  }

  #forget(waiter: Waiter): boolean {
    clearTimeout(this.#timers.get(waiter));
    return this.#timers.delete(waiter);
  }
}

/** A part of a call, with the requests that wait for it. */
export interface CallPart {
  readonly plans: readonly FetchPlan[];
  readonly waiters: readonly Waiter[];
}

/**
 * Splits a call that was rejected, or answered only in part, to find the request at fault. Returns one part per distinct request, and one
 * for all requests whose keys were answered before. Returns no parts if all requests wanted exactly the keys of this call.
 */
export function partsByRequest(
  asked: readonly FetchPlan[],
  { plans: unanswered, waiters }: CallPart,
  wasAnswered: (id: string) => boolean,
): readonly CallPart[] {
  const byPlans = new Map<string, { readonly plans: readonly FetchPlan[]; readonly waiters: Waiter[] }>();
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
  const known = parts.filter(isKnown);
  const others = parts.filter((part) => !isKnown(part));
  if (known.length < 2 || others.length === 0) return parts;
  const plans = new Set(known.flatMap((part) => part.plans));
  return [...others, { plans: [...plans], waiters: known.flatMap((part) => part.waiters) }];
}
