import { Refusal, type RefusalCode } from '@asset-gateway/protocol';
import type { Admit, Allowance, Room, Share, Store, Verdict } from '../budget/store.ts';
import type { Admission, Slot, Spend, Trail } from '../call.ts';
import { Counts } from '../tallies.ts';

/** This node's calls in flight to one upstream, by slot owner; at most `limit`, and `ofWallet` of one wallet. */
export class InFlight implements Room {
  readonly #limit: number;
  /** The larger room that also counts these calls. */
  readonly #within: InFlight | undefined;
  readonly #ofWallet: number;
  /** Slot owners and their wallets. */
  readonly #owners = new Map<string, string | undefined>();
  readonly #ofWallets = new Counts();

  constructor(limit: number, { within, ofWallet = limit }: { within?: InFlight; ofWallet?: number } = {}) {
    this.#limit = limit;
    this.#within = within;
    this.#ofWallet = ofWallet;
  }

  isFreeFor(wallet?: string): boolean {
    if (this.#owners.size >= this.#limit || this.#within?.isFreeFor() === false) return false;
    return wallet === undefined || this.#ofWallets.of(wallet) < this.#ofWallet;
  }

  take(owner: string, wallet?: string): void {
    if (this.#owners.has(owner)) return;
    this.#owners.set(owner, wallet);
    if (wallet !== undefined) this.#ofWallets.add(wallet, 1);
    this.#within?.take(owner);
  }

  /** Removes a call that is over or was never made. */
  leave(owner: string): void {
    const wallet = this.#owners.get(owner);
    if (!this.#owners.delete(owner)) return;
    this.#within?.leave(owner);
    if (wallet !== undefined) this.#ofWallets.add(wallet, -1);
  }
}

/** How slots are divided among clients. */
export interface Sharing {
  /** The share that a client's slots are charged to. */
  readonly shareOf: (caller: Pick<Trail, 'client' | 'wallet'>) => Promise<Share>;
  /** Called with each slot taken. */
  readonly onSlot: (charged: Share) => void;
}

interface SpendDependencies {
  readonly store: Store;
  /** The slots left, for the log. */
  readonly allowance: Allowance;
  readonly room: InFlight;
  /** Undefined: first come, first served. */
  readonly sharing?: Sharing | undefined;
  /** A random id that clients cannot guess. */
  readonly randomId: () => string;
}

const CODES: Readonly<Record<Exclude<Verdict['kind'], 'admitted'>, RefusalCode>> = {
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

function refusalOf(reason: keyof typeof CODES, { retryAfterMs, scope }: Verdict): Refusal {
  const retryAfterSeconds = retryAfterMs === undefined ? undefined : Math.max(1, Math.ceil(retryAfterMs / 1000));
  return new Refusal(CODES[reason], {
    reason,
    ...(scope && { scope, message: SHARE_USED[scope] }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

/**
 * A slower answer means that this process was suspended. Slots are held this long beyond their window (`lateMs`); after that another
 * call may own the slot before this one is read.
 */
const STALE_MS = 5_000;

/** Asks the store for a slot; retries a lost reply once with the same owner, which the store recognises. */
async function ask(store: Store, attempt: Admit): Promise<Verdict> {
  const sinceMs = performance.now();
  try {
    const verdict = await store
      .admit(attempt)
      .catch(() => store.admit({ ...attempt, waitedMs: performance.now() - sinceMs }));
    if (performance.now() - sinceMs > STALE_MS) throw new Error('its answer is stale');
    return verdict;
  } catch (error) {
    const reason = `store: ${error instanceof Error ? error.message : 'failed'}`;
    throw new Refusal('state_unavailable', { reason });
  }
}

/** A request's share. With `withinMs` it refuses if the share gets no slot in that time. */
async function shareOf(by: Sharing, trail: Trail, allowance: Allowance, withinMs?: number): Promise<Share> {
  const share = await by.shareOf(trail);
  const verdict = withinMs === undefined ? undefined : await allowance.judge(share);
  if (verdict && (verdict.retryAfterMs ?? 0) > (withinMs ?? 0)) throw refusalOf('limited', verdict);
  return share;
}

type Spending = Pick<Admission, 'nonce' | 'spend'>;
type Asked = Pick<Admit, 'budget' | 'nonce' | 'share'>;

/** Makes each call's `spend`: one atomic step that takes a slot and burns the nonce, or refuses. */
export function createSpending({ store, allowance, room, sharing, randomId }: SpendDependencies) {
  const take = async (trail: Trail, { budget, nonce, share: charge }: Asked): Promise<Slot> => {
    const { wallet } = trail;
    const owner = randomId();
    const share = sharing && (charge ?? (await sharing.shareOf(trail)));
    try {
      const verdict = await ask(store, { budget, owner, room, wallet, nonce, share });
      trail.budgetLeft = allowance.view().left;
      if (verdict.kind !== 'admitted') throw refusalOf(verdict.kind, verdict);
      if (verdict.charged) sharing?.onSlot(verdict.charged);
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

  return (admission: Spending, trail: Trail): Spend => {
    const spend: Spend = (budget, share) => admission.spend((nonce) => take(trail, { budget, nonce, share }));
    const { nonce } = admission;
    const share = sharing && ((withinMs?: number) => shareOf(sharing, trail, allowance, withinMs));
    return Object.assign(spend, { nonce }, share && { share });
  };
}
