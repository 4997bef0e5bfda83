/** How far a payment has come. From `settling` on money may have moved, and only evidence moves the record. */
export type PaymentProgress = 'reserved' | 'settling' | 'unresolved' | 'settled' | 'refused';

/** Everything that is known of one payment. Its key is its network and the hash of its message. */
export interface PaymentRecord {
  readonly key: string;
  readonly network: string;
  /** Plain hash of the request that it belongs to: neither a restart nor a rotated secret disowns it. */
  readonly requestHash: string;
  readonly payer: string;
  /** The token account that is debited, whose history the chain can be asked for. */
  readonly source: string;
  readonly memo: string | undefined;
  readonly priceUsd: string;
  /** The transaction as it was sent, in base64; a settlement's signature must be the fee payer's over its message. */
  readonly transaction: string;
  /** The requirement that it was made for, as JSON. */
  readonly requirement: string;
  readonly progress: PaymentProgress;
  /** Whoever reserved it; nobody else may give it back. */
  readonly owner: string;
  readonly signature?: string;
  /** The finalized block height noted before it was sent. */
  readonly height?: number;
  readonly reason?: string;
  /** When it was settled or refused, in milliseconds. */
  readonly resolvedAtMs?: number;
  /** When it may be forgotten. */
  readonly forgetAtMs?: number;
  /** Settled, and its answer has not reached the payer. */
  readonly owed?: boolean;
}

/** What is noted when a payment is reserved. */
export type NewPayment = Omit<
  PaymentRecord,
  'progress' | 'signature' | 'height' | 'reason' | 'resolvedAtMs' | 'forgetAtMs' | 'owed'
>;

/**
 * What became of an attempt to reserve: `taken` is somebody else's at this moment, `payer_busy` and `exhausted` are the
 * limits of a payer and of a payment, `owed` means that this payer has an open payment for the same request.
 */
export type ReserveVerdict = 'reserved' | 'taken' | 'payer_busy' | 'exhausted' | 'owed';

/** What is written before money can move. */
export interface Settling {
  readonly answer: string;
  readonly signature?: string;
  readonly height?: number;
}

/** What the chain or a facilitator has proved. */
export type Proof =
  | { readonly progress: 'settled'; readonly signature: string }
  | { readonly progress: 'refused'; readonly reason: string };

/**
 * What the gateway remembers about payments. Each method is one atomic step. A promise that resolves means that the fact is
 * durable; every one may reject when the store is down, but for `release`.
 */
export interface PaymentStore {
  /** The store's clock, in milliseconds since the Unix epoch; it never steps. */
  now(): number;
  find(key: string): Promise<PaymentRecord | undefined>;
  /** The answer that this payment has bought, while it is kept. */
  answer(key: string): Promise<string | undefined>;
  reserve(payment: NewPayment): Promise<ReserveVerdict>;
  /** Notes a payment that the chain shows to have been settled before we knew of it. */
  adopt(payment: NewPayment, signature: string): Promise<void>;
  /** Keeps the answer of a settled payment whose first one is gone. */
  keep(key: string, answer: string): Promise<void>;
  /** Counts a call to the upstream for this payment. */
  called(key: string): Promise<void>;
  /** How many calls to the upstream there have been for this payment. */
  calls(key: string): Promise<number>;
  /**
   * Everything is noted that a crash must not lose, and from now on money may move. `owed`: nothing was noted, for this payer
   * has an open or owed payment for the same request. Rejects when the reservation is not this owner's any more.
   */
  settling(key: string, owner: string, facts: Settling): Promise<'settling' | 'owed'>;
  /** The outcome is not known. */
  unresolved(key: string, signature?: string): Promise<void>;
  /**
   * Moves the record to where the proof says. A refusal that is this owner's own word counts only while the payment is still
   * this owner's: after that others may have sent it.
   */
  resolve(key: string, proof: Proof, owner?: string): Promise<void>;
  /** Our own failure before anything was sent: the payment is as good as new. */
  withdraw(key: string, owner: string): Promise<void>;
  /** Gives back what this owner has only reserved; does nothing otherwise. Never throws. */
  release(key: string, owner: string): Promise<void>;
  /** The answer has reached the payer. */
  delivered(key: string): Promise<void>;
  /** What must be asked of the chain. */
  open(): Promise<readonly PaymentRecord[]>;
  /** A payment of this payer for this request whose outcome is open, or whose answer is still owed. */
  owed(payer: string, requestHash: string): Promise<PaymentRecord | undefined>;
}

/** Limits and times of payments. */
export const PAYMENTS = {
  callsPerPayment: 3,
  inFlightPerPayer: 4,
  unsettledCallsPerPayer: 10,
  unsettledWindowMs: 60_000,
  answerMs: 600_000,
  recordMs: 86_400_000,
  refusedMs: 120_000,
  answerBytes: 256 * 1024 * 1024,
} as const;
