import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Admit, Allowance, Budget, NonceUse, Store, Verdict } from '../budget/store.ts';
import type { NoncedTake, Slot, Spend, Trail } from '../call.ts';
import type { InFlight } from './in-flight.ts';

/** What spending stands on. */
export interface SpendParts {
  readonly store: Store;
  /** What is left for everybody, for the log. */
  readonly allowance: Allowance;
  /** How many calls to the upstream this node keeps in flight. */
  readonly room: InFlight;
  /** A fresh random text, unknown to clients. */
  readonly randomId: () => string;
}

/** The part of an admission that spending needs. */
interface Spender {
  spend(take: NoncedTake): Promise<Slot>;
}

const CODES: Readonly<Record<Exclude<Verdict['kind'], 'admitted'>, RefusalCode>> = {
  nonce_used: 'invalid_siwx_nonce',
  nonce_expired: 'invalid_siwx_expired',
  crowded: 'overloaded',
  limited: 'rate_limited',
  paused: 'upstream_rate_limited',
  not_given_back: 'state_unavailable',
};

function refusalOf(reason: keyof typeof CODES, retryAfterMs: number | undefined): Refusal {
  const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new Refusal(CODES[reason], { reason, ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}

/**
 * An answer of the store that took longer has met a process that was stopped. It is the margin that a slot of a minute is held
 * for (`lateMs`): beyond, the slot may be somebody else's before the call has been read.
 */
const STALE_MS = 5_000;

/** Asks the store; a lost reply is asked for once more, with the same owner, which the store recognises. */
async function ask(store: Store, attempt: Admit): Promise<Verdict> {
  const sinceMs = performance.now();
  try {
    const again = () => store.admit({ ...attempt, waitedMs: performance.now() - sinceMs });
    const verdict = await store.admit(attempt).catch(again);
    if (performance.now() - sinceMs > STALE_MS) throw new Error('its answer is stale');
    return verdict;
  } catch (error) {
    const reason = `store: ${error instanceof Error ? error.message : 'failed'}`;
    throw new Refusal('state_unavailable', { reason });
  }
}

/** Makes the `spend` of each call: one atomic step that takes a slot and burns the nonce, or refuses. */
export function createSpending({ store, allowance, room, randomId }: SpendParts) {
  const take = async (trail: Trail, budget: Budget, nonce?: NonceUse): Promise<Slot> => {
    const owner = randomId();
    try {
      const { kind, retryAfterMs } = await ask(store, { budget, owner, room, ...(nonce && { nonce }) });
      trail.budgetLeft = allowance.view().left;
      if (kind !== 'admitted') throw refusalOf(kind, retryAfterMs);
    } catch (error) {
      room.leave(owner);
      throw error;
    }
    const startedAt = performance.now();
    return {
      release(isOver) {
        room.leave(owner);
        trail.upstreamMs = performance.now() - startedAt;
        if (isOver) store.complete(budget, owner);
      },
    };
  };

  return (admission: Spender, trail: Trail): Spend =>
    (budget) =>
      admission.spend((nonce) => take(trail, budget, nonce));
}
