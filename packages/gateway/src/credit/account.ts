/** Part of a balance that a call on its way may cost. */
export interface Hold {
  readonly id: string;
  readonly micros: number;
  /** When it lapses, in milliseconds by the store's clock: its process has died, or its answer takes too long. */
  readonly untilMs: number;
}

/** One movement of a balance, for whoever looks at the account. */
export interface Movement {
  readonly kind: 'grant' | 'debit';
  readonly micros: number;
  readonly atMs: number;
  /** The route that was bought or, of a grant, with which it came. */
  readonly route: string;
  /** The transaction that a grant came with. */
  readonly transaction?: string;
}

/** An answer that was charged and has not reached its wallet. */
export interface OwedAnswer {
  readonly id: string;
  readonly requestHash: string;
  readonly untilMs: number;
}

/** A purchase of credit on its way: whoever else would buy waits for it. */
export interface CreditPurchase {
  /** Its payment's key. */
  readonly key: string;
  /** The credit that it brings. */
  readonly micros: number;
  readonly untilMs: number;
}

/** What a wallet has paid on one network and not yet spent, in millionths of a dollar; never negative. */
export interface Account {
  readonly grantedMicros: number;
  readonly spentMicros: number;
  readonly holds: readonly Hold[];
  readonly owed: readonly OwedAnswer[];
  /** The latest ones, the newest first. */
  readonly movements: readonly Movement[];
  readonly purchase?: CreditPurchase;
  /** When calls to the upstream were made that nothing was charged for, in milliseconds. */
  readonly unchargedAtMs?: readonly number[];
}

/** Limits of credit, and its times in milliseconds. */
export const CREDIT = {
  holdsPerWallet: 8,
  /** How long a call may take before what it holds is anybody's again, where its upstream has no longer. */
  leaseMs: 30_000,
  /** How long a debit is remembered and its answer kept: longer than any nonce or memo is good. */
  debitMs: 600_000,
  /** What is only held is forgotten by then, whoever held it. */
  heldMs: 120_000,
  /** As long as verification, the upstream and a settlement may take together, where the upstream has no longer. */
  purchaseMs: 60_000,
  /** So many calls to the upstream may come to nothing in so long a time: what costs nobody anything has an end. */
  unchargedCalls: 10,
  unchargedWindowMs: 60_000,
  movements: 20,
  /** More answers that were never delivered are not owed; each can still be fetched by what has paid for it. */
  owed: 32,
} as const;

export const NEW_ACCOUNT: Account = { grantedMicros: 0, spentMicros: 0, holds: [], owed: [], movements: [] };

/** Whether an account says nothing: nobody need keep it. */
export const isEmpty = ({ grantedMicros, spentMicros, holds, owed, purchase }: Account): boolean =>
  grantedMicros + spentMicros + holds.length + owed.length === 0 && purchase === undefined;

/** What is left, held or not. */
export const balanceOf = ({ grantedMicros, spentMicros }: Account): number => grantedMicros - spentMicros;

/** What may be spent by a new call. */
export const availableOf = (account: Account): number =>
  account.holds.reduce((left, { micros }) => left - micros, balanceOf(account));

/** An account as it reads now: what has lapsed by itself is no more. */
export function readAccount(stored: Account | undefined, nowMs: number): Account {
  const { purchase, unchargedAtMs = [], ...account } = stored ?? NEW_ACCOUNT;
  const uncharged = unchargedAtMs.filter((atMs) => nowMs - atMs < CREDIT.unchargedWindowMs);
  return {
    ...account,
    holds: account.holds.filter(({ untilMs }) => untilMs > nowMs),
    owed: account.owed.filter(({ untilMs }) => untilMs > nowMs),
    ...(purchase && purchase.untilMs > nowMs && { purchase }),
    ...(uncharged.length > 0 && { unchargedAtMs: uncharged }),
  };
}

const noted = (account: Account, movement: Movement): readonly Movement[] =>
  [movement, ...account.movements].slice(0, CREDIT.movements);

const withoutHold = ({ holds }: Account, id: string): readonly Hold[] => holds.filter((hold) => hold.id !== id);

/** Whether a call could be paid for, and if not, why. */
export function whyNotHeld(
  account: Account,
  { id, micros }: Pick<Hold, 'id' | 'micros'>,
): 'insufficient' | 'busy' | 'failing' | undefined {
  const others = released(account, id);
  if (balanceOf(others) < micros) return 'insufficient';
  if ((others.unchargedAtMs?.length ?? 0) >= CREDIT.unchargedCalls) return 'failing';
  // What others hold may come back.
  return others.holds.length >= CREDIT.holdsPerWallet || availableOf(others) < micros ? 'busy' : undefined;
}

/** Sets aside what a call costs. */
export const withHold = (account: Account, { id, micros, untilMs }: Hold): Account => ({
  ...account,
  holds: [...withoutHold(account, id), { id, micros, untilMs }],
});

/** Notes a call to the upstream that nothing is charged for. */
export const withUnchargedCall = (account: Account, nowMs: number): Account => ({
  ...account,
  unchargedAtMs: [...(account.unchargedAtMs ?? []), nowMs].slice(-CREDIT.unchargedCalls),
});

/** Gives back what was set aside. */
export const released = (account: Account, id: string): Account => ({ ...account, holds: withoutHold(account, id) });

/** A debit that is to be charged now. */
export interface Charge {
  readonly id: string;
  readonly micros: number;
  readonly route: string;
  readonly requestHash: string;
}

/** Charges what was set aside, or what is still there where that has lapsed; nothing where somebody else has spent it since. */
export function charged(
  account: Account,
  { id, micros, route, requestHash }: Charge,
  nowMs: number,
): Account | undefined {
  const rest = released(account, id);
  if (availableOf(rest) < micros) return undefined;
  const owed = [...account.owed, { id, requestHash, untilMs: nowMs + CREDIT.debitMs }].slice(-CREDIT.owed);
  return {
    ...rest,
    spentMicros: account.spentMicros + micros,
    owed,
    movements: noted(account, { kind: 'debit', micros, atMs: nowMs, route }),
  };
}

/** The answer of a debit has reached its wallet. */
export const delivered = (account: Account, id: string): Account => ({
  ...account,
  owed: account.owed.filter((owed) => owed.id !== id),
});

/** A payment that brought credit has settled. */
export function granted(account: Account, grant: Omit<Movement, 'kind'>, key: string): Account {
  return {
    ...endedPurchase(account, key),
    grantedMicros: account.grantedMicros + grant.micros,
    movements: noted(account, { kind: 'grant', ...grant }),
  };
}

/** Notes that credit is being bought; nothing where somebody is buying already. */
export function withPurchase(account: Account, purchase: CreditPurchase): Account | undefined {
  if (account.purchase && account.purchase.key !== purchase.key) return undefined;
  return { ...account, purchase };
}

/** A purchase has ended, one way or another. */
export function endedPurchase(account: Account, key: string): Account {
  if (account.purchase?.key !== key) return account;
  const { purchase: _, ...rest } = account;
  return rest;
}
