import { Refusal } from '@asset-gateway/protocol';
import { LRUCache } from 'lru-cache';
import type { Share } from '../budget/store.ts';
import type { Spend } from '../call.ts';
import { type Upstream, UpstreamRefusal } from '../upstreams/upstream.ts';
import { batchInput, itemsOf } from './batches.ts';
import { type KeptText, keptFor, type Plan } from './stored.ts';
import type { Waiter } from './waiters.ts';

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

/** Refusals of one waiter's own sign-in, which keep nobody else from making the call. */
const OWN = new Set(['invalid_siwx_nonce', 'invalid_siwx_expired']);

export const isOwn = (error: unknown): boolean => error instanceof Refusal && OWN.has(error.code);

/** Nobody who waited may make the call; each of them has been told why. */
export class NoLeader extends Error {}

/** Nothing where slots are not shared out. */
function sharesOf(waiters: readonly Waiter[]): readonly Share[] | undefined {
  const shares = waiters.map(({ share }) => share).filter((share) => share !== undefined);
  return shares.length > 0 ? shares : undefined;
}

/** What tells who takes the slot of a call. */
export interface LeadershipParts {
  /** Those who wait for the call. */
  readonly waiters: () => readonly Waiter[];
  /** Spends for a call that nobody waits for. */
  readonly spendAlone: Spend;
  readonly dismiss: (waiter: Waiter, error: unknown) => void;
}

/** One of those who wait for a call takes its slot, with its own sign-in. */
export class CallLeadership {
  readonly #parts: LeadershipParts;
  #leader: Waiter | undefined;
  #asked: readonly Waiter[] = [];

  constructor(parts: LeadershipParts) {
    this.#parts = parts;
  }

  get leader(): Waiter | undefined {
    return this.#leader;
  }

  /** Those whom the slot was to be charged to when it was last asked for. */
  get asked(): readonly Waiter[] {
    return this.#asked;
  }

  /** Takes a slot for the call, by the first waiter whose sign-in allows it; charged to the one of all whose group holds least. */
  readonly spend: Spend = async (budget) => {
    this.#asked = [...this.#parts.waiters()];
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
        this.#parts.dismiss(waiter, error);
        hasDismissed = true;
      }
    }
    if (hasDismissed) throw new NoLeader();
    return this.#parts.spendAlone(budget);
  };
}

/** What one call is made with. */
export interface CallMaking {
  readonly upstream: Upstream;
  readonly leadership: CallLeadership;
  /** The wallet of one who waits for it, for the log. */
  readonly wallet: string | undefined;
  /** Told when the call has its slot. */
  readonly sent: () => void;
  /** Milliseconds of a clock that never steps. */
  readonly now: () => number;
}

/** Calls of a cache are made for many; where one of them has come from is nobody's business. */
const NOWHERE = { hosts: [], port: 0 } as const;

/** Makes one upstream call for all of these keys. Resolves with what is to be kept: of a batch only the items that were asked for. */
export async function makeCall(plans: readonly Plan[], making: CallMaking): Promise<KeptText[]> {
  const { upstream, leadership, wallet, sent, now } = making;
  const [{ route, input } = missing()] = plans;
  const mints = plans.flatMap(({ mint }) => mint ?? []);
  let sentAtMs = now();
  const spend: Spend = async (budget) => {
    const slot = await leadership.spend(budget);
    sentAtMs = now();
    sent();
    return slot;
  };
  const asked = mints.length > 0 ? batchInput(route, mints) : input;
  const { json } = await upstream.answer({ route, input: asked, wallet, arrival: NOWHERE, spend });
  if (mints.length === 0) return plans.map((plan) => keptFor(plan, sentAtMs, json));
  const items = itemsOf(route, json);
  return plans.flatMap((plan) => {
    const text = items.get(plan.mint);
    return text === undefined ? [] : keptFor(plan, sentAtMs, text);
  });
}

function missing(): never {
  throw new Error('a call for nothing');
}

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
