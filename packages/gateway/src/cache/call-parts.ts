import type { Plan } from './plan.ts';
import type { Waiter } from './waiters.ts';

/** The part of a call that is made again, and the requests that it is made for. */
export interface CallPart {
  readonly plans: readonly Plan[];
  readonly waiters: readonly Waiter[];
}

/** A call that the upstream has rejected, or answered in part. */
export interface RejectedCall {
  readonly asked: readonly Plan[];
  readonly unanswered: readonly Plan[];
  /** The requests that wait for what is unanswered. */
  readonly waiters: readonly Waiter[];
  /** Whether the upstream has answered for this key before. */
  readonly wasAnswered: (id: string) => boolean;
}

const idsOf = (plans: readonly Plan[]): string[] => plans.map(({ key }) => key.id);

/**
 * The calls that show which request a shared call was rejected for: one for each request, but only one for those that ask for
 * the same, and one for all whose mints the upstream has answered before. None where one request asked for all of the call.
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
