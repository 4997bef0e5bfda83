/** Whose balance it is: credit of one network never meets that of another. */
export interface AccountHolder {
  /** CAIP-2. */
  readonly network: string;
  readonly wallet: string;
}

/** A call that is to be paid from credit. Its id is a sign-in's wallet and nonce, or a payment's key. */
export interface NewDebit extends AccountHolder {
  readonly id: string;
  readonly micros: number;
  readonly route: string;
  readonly requestHash: string;
  /** What spends it: a signature, or a payment that is covered and never settled. */
  readonly by: 'signature' | 'payment';
  /** A random word of the request that holds the price: only that request may charge or release it. */
  readonly owner: string;
  /** The memo of the covered payment, by which it is found if it is broadcast all the same. */
  readonly memo?: string;
  /** For the journal. */
  readonly requestId: string;
  /** The URL that it pays for, which its receipt names; only if receipts are signed. */
  readonly resourceUrl?: string;
  /** When it was charged, in milliseconds. */
  readonly capturedAtMs?: number;
}

/** A debit as it is stored. */
export interface Debit extends NewDebit {
  readonly progress: 'held' | 'captured';
  /** When a hold lapses, in milliseconds. */
  readonly untilMs: number;
  /** Upstream calls after the first, for a captured debit whose answer was lost. */
  readonly callsAgain: number;
}

/** The id of a debit that a signature pays for. It begins with the time, so that an index takes new ids at one end. */
export const signedDebitId = ({ network, wallet }: AccountHolder, nonce: string): string =>
  `${nonce}:${network}:${wallet}`;

/** A purchase of credit that is under way: other calls that would buy wait for it. */
interface CreditPurchase {
  /** Its payment's key. */
  readonly key: string;
  /** The credit that it brings. */
  readonly micros: number;
}

/** What a wallet has paid on one network and not yet spent, in millionths of a dollar. */
export interface Account {
  readonly grantedMicros: number;
  readonly spentMicros: number;
  /** What calls under way may cost, and how many they are. */
  readonly heldMicros: number;
  readonly holds: number;
  /** Until when no call is taken, because too many came to nothing. */
  readonly failingUntilMs: number;
  readonly purchase?: CreditPurchase;
}

/** Limits of credit, and its times in milliseconds. */
export const CREDIT = {
  holdsPerWallet: 8,
  /** How long a call may take before its hold lapses, unless its upstream may take longer. */
  leaseMs: 30_000,
  /** How long a debit is remembered and its answer kept: longer than any nonce or memo is good. */
  debitMs: 600_000,
  /** How long other calls wait for a purchase whose outcome is open. */
  purchaseMs: 60_000,
  /** At most this many uncharged upstream calls of a wallet per window. */
  unchargedCalls: 10,
  unchargedWindowMs: 60_000,
  movements: 20,
  /** How long a covered payment is looked for on the chain. */
  watchMs: 3_600_000,
} as const;

export const NEW_ACCOUNT: Account = { grantedMicros: 0, spentMicros: 0, heldMicros: 0, holds: 0, failingUntilMs: 0 };

/** What is left, held or not. */
export const balanceOf = ({ grantedMicros, spentMicros }: Account): number => grantedMicros - spentMicros;

/** What a new call may spend. */
export const availableOf = (account: Account): number => balanceOf(account) - account.heldMicros;

/** Why a price is not held. The condition of `hold` in rows.ts is the same; a test compares them. */
export function whyNotHeld(
  account: Account,
  micros: number,
  nowMs: number,
): 'insufficient' | 'busy' | 'failing' | undefined {
  if (balanceOf(account) < micros) return 'insufficient';
  if (account.failingUntilMs > nowMs) return 'failing';
  // What other calls hold may come back.
  return account.holds >= CREDIT.holdsPerWallet || availableOf(account) < micros ? 'busy' : undefined;
}

/** The times of uncharged calls with one more, and until when no call is taken because of them. */
export function withUnchargedCall(times: readonly number[], nowMs: number) {
  const recent = [...times.filter((atMs) => nowMs - atMs < CREDIT.unchargedWindowMs), nowMs].slice(
    -CREDIT.unchargedCalls,
  );
  const isFull = recent.length === CREDIT.unchargedCalls;
  return { times: recent, failingUntilMs: isFull ? (recent[0] ?? nowMs) + CREDIT.unchargedWindowMs : 0 };
}
