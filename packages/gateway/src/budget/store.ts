import type { Share, ShareScope } from './shares.ts';

export type { Share, ShareScope };

/** A budget that an upstream key has: a sliding log of `limit` slots. */
export interface Budget {
  readonly key: string;
  readonly limit: number;
  /** How long a slot stays taken after its call has completed. */
  readonly windowMs: number;
  /** How long a call may take. */
  readonly inFlightMs: number;
  /**
   * How much later than that the upstream may still read a call that was given up; none unless told. A slot whose call is not
   * known to be over frees after all three.
   */
  readonly lateMs?: number;
  /** Whether a slot frees one window after it was taken, however long the call takes; such slots are not kept on disk. */
  readonly fromDispatch?: boolean;
}

/** A sign-in nonce to be burnt: its text, when it was issued, and under which epoch it was checked. */
export interface NonceUse {
  readonly nonce: string;
  readonly issuedAtSeconds: number;
  readonly epoch: string;
}

/** The calls to one upstream that this node keeps in flight. */
export interface Room {
  /** Whether there is room for one more. */
  readonly isFree: boolean;
  /** Counts the call of this owner, once. */
  take(owner: string): void;
}

/** One attempt to take a slot. */
export interface Admit {
  readonly budget: Budget;
  /** A fresh random value of this node. The same owner asking again gets the same yes: the first reply was lost. */
  readonly owner: string;
  /** Looked at when everything else has been judged, and taken with the slot: what is refused was never counted. */
  readonly room: Room;
  readonly nonce?: NonceUse;
  /**
   * Whom the slot is charged to until it frees, which is judged after everything else. Of several that wait for one call it is
   * the one whose group holds the fewest slots. Without one the slot is nobody's.
   */
  readonly share?: Share | readonly Share[];
  /** It was asked before, and after so many milliseconds the reply was given up as lost: that much less time is left. */
  readonly waitedMs?: number;
}

/** What became of a nonce. */
export type NonceVerdict = 'burnt' | 'nonce_used' | 'nonce_expired';

/**
 * What became of an attempt. Nothing was taken and nothing burnt unless it is `admitted`, or `not_given_back`: then nobody may
 * make the call that slot and nonce were taken for.
 */
export interface Verdict {
  readonly kind: 'admitted' | 'nonce_used' | 'nonce_expired' | 'crowded' | 'limited' | 'paused' | 'not_given_back';
  /** With `limited` and `paused`: until it is worth asking again. */
  readonly retryAfterMs?: number;
  /** With `limited`, when there are slots left but not for this share. */
  readonly scope?: ShareScope;
  /** With `admitted`: whom the slot is charged to. */
  readonly charged?: Share;
}

/** What a node last knew of a budget. */
export interface BudgetView {
  readonly left: number;
  /** Until the next slot frees; 0 when none is held. */
  readonly resetMs: number;
  /** Until the upstream, which has asked for a pause, may be asked again; 0 without one. */
  readonly pauseMs: number;
}

/** What the keys of one upstream may spend together. */
export interface Allowance {
  readonly limit: number;
  readonly windowMs: number;
  /** What this node last knew. */
  readonly view: () => BudgetView;
  /** Why no key has a slot for this share now; absent where one has, or where that is not known. */
  readonly judge: (share: Share) => Promise<Verdict | undefined>;
}

/**
 * What the gateway remembers about sign-ins and budgets. Every method may reject when the store is down.
 * Implementations pass the suite in tests/stores/contract.ts.
 */
export interface Store {
  /** The store's clock, in milliseconds since the Unix epoch; it never steps. Ages are judged by it, whatever the time of day. */
  now(): number;
  /** The time of day, for dates that are shown and compared. It steps when somebody sets it right. */
  wallNow(): number;
  /** Whether the store can be reached, as this node last knew; `admit` finds out anew each time. */
  ready(): boolean;
  /** Lives and dies with the set of used nonces. Nothing until one has been read. */
  epoch(): string | undefined;
  /**
   * One atomic step, judged in this order: the nonce (epoch, age from -30 to 300 s, use), a pause, room, the limit,
   * the share.
   * Takes the slot and burns the nonce, or does neither.
   */
  admit(attempt: Admit): Promise<Verdict>;
  /** The refusal with which `admit` would answer for limit and share now; absent where it would admit. Takes nothing. */
  judge(budget: Budget, share: Share): Promise<Verdict | undefined>;
  /** Burns a nonce where no slot is needed. */
  burn(use: NonceUse, owner: string): Promise<NonceVerdict>;
  /** The call is over: its slot frees one window from now. */
  complete(budget: Budget, owner: string): void;
  /** Nobody gets a slot of this budget for so long. */
  pause(budget: Budget, milliseconds: number): Promise<void>;
  view(budget: Budget): BudgetView;
}

/** A nonce is judged by the store's clock: at most this old, */
export const NONCE_MAX_AGE_SECONDS = 300;
/** at most this far ahead of it, */
export const NONCE_MAX_AHEAD_SECONDS = 30;
/** and remembered until this long after its issue, when no clock can accept it any more. */
export const NONCE_MEMORY_SECONDS = 360;
