import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Admission, RequestFacts, Slot, Slots } from '../call.ts';
import { fromStore } from '../from-store.ts';
import { TIMES } from '../times.ts';
import type { InFlight } from './in-flight.ts';
import type { Allowance, Budget, NonceUse, Share, SlotAttempt, SlotVerdict, Store } from './store.ts';

/** How slots are divided among clients. */
export interface Sharing {
  /** Returns the share to which a client's slots are charged. */
  readonly shareOf: (caller: Pick<RequestFacts, 'client' | 'wallet'>) => Promise<Share>;
  /** Called with the share of each slot that is taken. */
  readonly onSlot: (charged: Share) => void;
}

/** Dependencies of slot takers; the same for all requests of a channel. */
interface SlotDependencies {
  readonly store: Store;
  /** The budget whose free slots the log line names. */
  readonly allowance: Allowance;
  readonly inFlightLimit: InFlight;
  /** How slots are divided; undefined without fair shares, when the first request gets the slot. */
  readonly sharing?: Sharing | undefined;
  /** Returns a random id that clients cannot guess. */
  readonly randomId: () => string;
}

const CODES: Readonly<Record<Exclude<SlotVerdict['kind'], 'admitted'>, RefusalCode>> = {
  nonce_used: 'invalid_siwx_nonce',
  nonce_expired: 'invalid_siwx_expired',
  crowded: 'overloaded',
  limited: 'rate_limited',
  paused: 'upstream_rate_limited',
  not_given_back: 'state_unavailable',
};

const SHARE_USED = {
  group: 'The share of your network or address is used up; retry after Retry-After.',
  wallet: 'The share of this wallet is used up; retry after Retry-After.',
} as const;

function refusalOfSlot(reason: keyof typeof CODES, { retryAfterMs, scope }: SlotVerdict): Refusal {
  const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new Refusal(CODES[reason], {
    reason,
    ...(scope && { scope, message: SHARE_USED[scope] }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/**
 * Asks the store for a slot. If the reply is lost, asks once more with the same owner, which the store recognises. Rejects an answer that
 * is too late.
 */
async function ask(store: Store, attempt: SlotAttempt): Promise<SlotVerdict> {
  const sinceMs = performance.now();
  const verdict = await store
    .admit(attempt)
    .catch(() => store.admit({ ...attempt, waitedMs: performance.now() - sinceMs }));
  if (performance.now() - sinceMs > TIMES.slotAnswerMs) throw new Error('its answer is stale');
  return verdict;
}

/** Returns a request's share. `withinMs`: throws a refusal if the share gets no slot within this time. */
async function checkedShare(by: Sharing, facts: RequestFacts, allowance: Allowance, withinMs?: number): Promise<Share> {
  const share = await by.shareOf(facts);
  const verdict = withinMs === undefined ? undefined : await allowance.judge(share);
  if (verdict && (verdict.retryAfterMs ?? 0) > (withinMs ?? 0)) throw refusalOfSlot('limited', verdict);
  return share;
}

/** Takes the slots of one request. In one atomic step, it takes a slot and uses up the nonce, or refuses. */
export class SlotTaker implements Slots {
  readonly share: Slots['share'];
  readonly #dependencies: SlotDependencies;
  readonly #admission: Admission;
  readonly #facts: RequestFacts;
  #nonce: NonceUse | undefined;
  #startedAt: number | undefined;

  constructor(dependencies: SlotDependencies, admission: Admission, facts: RequestFacts) {
    const { sharing, allowance } = dependencies;
    this.#dependencies = dependencies;
    this.#admission = admission;
    this.#facts = facts;
    this.#nonce = admission.nonce;
    this.share = sharing && ((withinMs) => checkedShare(sharing, facts, allowance, withinMs));
  }

  get nonce(): string | undefined {
    return this.#admission.nonce?.nonce;
  }

  async take(budget: Budget, charge?: Share | readonly Share[]): Promise<Slot> {
    const { store, allowance, inFlightLimit, sharing, randomId } = this.#dependencies;
    const { beforeSlot, onSlot } = this.#admission;
    const facts = this.#facts;
    await beforeSlot?.();
    const owner = randomId();
    const share = sharing && (charge ?? (await sharing.shareOf(facts)));
    const attempt = { budget, owner, inFlightLimit, wallet: facts.wallet, nonce: this.#nonce, share };
    try {
      const verdict = await fromStore(ask(store, attempt));
      facts.budgetLeft = allowance.view().left;
      if (verdict.kind !== 'admitted') throw refusalOfSlot(verdict.kind, verdict);
      if (verdict.charged) sharing?.onSlot(verdict.charged);
    } catch (error) {
      inFlightLimit.leave(owner);
      throw error;
    }
    this.#nonce = undefined;
    const startedAt = performance.now();
    this.#startedAt ??= startedAt;
    await onSlot?.();
    return {
      usedMs: startedAt - this.#startedAt,
      release(isDoneAtUpstream) {
        inFlightLimit.leave(owner);
        facts.upstreamMs = performance.now() - startedAt;
        if (isDoneAtUpstream) store.complete(budget, owner);
      },
    };
  }
}
