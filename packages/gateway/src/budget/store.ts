import type { Share, ShareScope } from './shares.ts';

export type { Share, ShareScope };

/** The budget of an upstream key: a sliding log of `limit` slots. */
export interface Budget {
  readonly key: string;
  readonly limit: number;
  /** How long a slot stays taken after its call has completed. */
  readonly windowMs: number;
  /** How long a call may take. */
  readonly inFlightMs: number;
  /**
   * How much later the upstream may still read an abandoned call; default: 0. A slot without a known end of its call frees after the
   * sum of all three.
   */
  readonly lateMs?: number;
  /** Whether a slot frees one window after it was taken, however long the call takes. Such slots are not stored. */
  readonly fromDispatch?: boolean;
}

/** A sign-in nonce to burn, with the epoch it was checked under. */
export interface NonceUse {
  readonly nonce: string;
  readonly issuedAtSeconds: number;
  readonly epoch: string;
}

/** This node's calls in flight to one upstream. */
export interface Room {
  /** Whether there is room for one more call, of this wallet. */
  isFreeFor(wallet?: string): boolean;
  /** Counts the call of this owner, once. */
  take(owner: string, wallet?: string): void;
}

/** One attempt to take a slot. */
export interface Admit {
  readonly budget: Budget;
  /** A fresh random value. A retry with the same owner gets the same admission, because the first reply may be lost. */
  readonly owner: string;
  /** Taken with the slot: refused calls do not count. */
  readonly room: Room;
  /** The client's wallet, of whose calls the room has only so many. */
  readonly wallet?: string | undefined;
  readonly nonce?: NonceUse | undefined;
  /**
   * The share that the slot is charged to until it frees; judged last. Of several shares that wait for one call, the one whose group
   * holds the fewest slots is charged. Without a share the slot is charged to none.
   */
  readonly share?: Share | readonly Share[] | undefined;
  /** Set on a retry: milliseconds already spent waiting for the first reply. */
  readonly waitedMs?: number;
}

/** The verdict on a nonce. */
export type NonceVerdict = 'burnt' | 'nonce_used' | 'nonce_expired';

/**
 * The verdict on an attempt. Only `admitted` and `not_given_back` have taken a slot and burnt the nonce; after `not_given_back` the call
 * must not be made.
 */
export interface Verdict {
  readonly kind: 'admitted' | 'nonce_used' | 'nonce_expired' | 'crowded' | 'limited' | 'paused' | 'not_given_back';
  /** With `limited` and `paused`: when to try again. */
  readonly retryAfterMs?: number;
  /** With `limited`: the share that is used up, if slots are left. */
  readonly scope?: ShareScope;
  /** With `admitted`: the share that is charged. */
  readonly charged?: Share;
}

/** A budget as this node last saw it. */
export interface BudgetView {
  readonly left: number;
  /** How long until the next slot frees; 0 if none is held. */
  readonly resetMs: number;
  /** How long the pause that the upstream has asked for lasts; 0 if there is none. */
  readonly pauseMs: number;
}

/** The budgets of one upstream's keys together. */
export interface Allowance {
  readonly limit: number;
  readonly windowMs: number;
  view(): BudgetView;
  /** The refusal of this share if no key has a slot for it; undefined if one has, or if that is unknown. */
  judge(share: Share): Promise<Verdict | undefined>;
}

/**
 * Used sign-ins and budgets. Methods may reject while the store is unavailable. Implementations pass the suite in
 * tests/stores/contract.ts.
 */
export interface Store {
  /** The store's clock, in milliseconds since the Unix epoch, which judges ages. It never steps. */
  now(): number;
  /** The time of day, for dates that are shown and compared. It steps when someone sets the clock. */
  wallNow(): number;
  /** Whether the store answered last. */
  ready(): boolean;
  /** The id of the set of used nonces; undefined before the first one is read. */
  epoch(): string | undefined;
  /**
   * One atomic step, judged in this order: the nonce (epoch, age from -30 to 300 s, use), a pause, room, the limit,
   * the share. Takes the slot and burns the nonce, or does neither.
   */
  admit(attempt: Admit): Promise<Verdict>;
  /** The refusal that `admit` would give for limit and share now; undefined if it would admit. Takes nothing. */
  judge(budget: Budget, share: Share): Promise<Verdict | undefined>;
  /** Burns a nonce without a slot. */
  burn(use: NonceUse, owner: string): Promise<NonceVerdict>;
  /** The call has ended: its slot frees one window from now. */
  complete(budget: Budget, owner: string): void;
  /** Stops handing out slots for this many milliseconds. */
  pause(budget: Budget, milliseconds: number): Promise<void>;
  view(budget: Budget): BudgetView;
}

/** The greatest age of a nonce by the store's clock. */
export const NONCE_MAX_AGE_SECONDS = 300;
/** How far a nonce's time may be ahead of the store's clock. */
export const NONCE_MAX_AHEAD_SECONDS = 30;
/** How long after its issue a used nonce is stored; no clock accepts it any more then. */
export const NONCE_MEMORY_SECONDS = 360;
