import { Refusal, type Route } from '@asset-gateway/protocol';
import type { Share } from '../budget/store.ts';
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

/** No waiter may make the call; each was refused with its own reason. */
export class NoLeader extends Error {}

/** The shares of waiting requests; undefined without shares. */
export function sharesOf(waiters: readonly Waiter[]): readonly Share[] | undefined {
  const shares = waiters.map(({ share }) => share).filter((share) => share !== undefined);
  return shares.length > 0 ? shares : undefined;
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

/** A part of a call, with the requests that wait for it. */
export interface CallPart {
  readonly plans: readonly Plan[];
  readonly waiters: readonly Waiter[];
}

/**
 * Splits a call for these keys that was rejected or answered in part, to find the request at fault: one part per distinct request, and
 * one for all requests whose keys were answered before. Empty if one request asked for the whole call.
 */
export function partsOf(
  asked: readonly Plan[],
  { plans: unanswered, waiters }: CallPart,
  wasAnswered: (id: string) => boolean,
): readonly CallPart[] {
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
