/** How far a payment has come. From `settling` on money may have moved, and only evidence moves the record. */
export type PaymentProgress = 'reserved' | 'settling' | 'unresolved' | 'settled' | 'refused';

/** What is noted when a payment is reserved. Its key is its network and the hash of its message. */
export interface NewPayment {
  readonly key: string;
  /** CAIP-2. */
  readonly network: string;
  /** Plain hash of its request, which neither a restart nor a rotated secret changes. */
  readonly requestHash: string;
  readonly payer: string;
  /** The token account that is debited, whose history the chain can be asked for. */
  readonly source: string;
  readonly memo: string | undefined;
  /** The price of the answer. */
  readonly priceUsd: string;
  /** The part that becomes credit when it settles, in millionths of a dollar. */
  readonly creditMicros?: number;
  /** The transaction as it was sent, in base64; a settlement's signature must be the fee payer's over its message. */
  readonly transaction: string;
  /** The requirement that it was made for, as JSON. */
  readonly requirement: string;
  /** A random word of the request that reserved it: only that request may release it. */
  readonly owner: string;
  /** The route and the request that it came with first. */
  readonly route: string;
  readonly requestId: string;
  /** What settling it costs the gateway's own fee payer. */
  readonly feeLamports: number;
  /** The URL that it pays for, which its receipt names; only if receipts are signed. */
  readonly resourceUrl?: string;
}

/** Everything that is known of one payment. */
export interface PaymentRecord extends NewPayment {
  readonly progress: PaymentProgress;
  readonly signature?: string;
  /** The finalized block height noted before it was sent. */
  readonly height?: number;
  readonly reason?: string;
  /** From when on it may have moved money, in milliseconds. */
  readonly settlingSinceMs?: number;
  /** When it was settled or refused, in milliseconds. */
  readonly resolvedAtMs?: number;
  /** When it may be forgotten. */
  readonly forgetAtMs?: number;
  /** Settled, and its answer has not reached the payer. */
  readonly owed?: boolean;
}

/** The amount of the transfer, which the requirement repeats, in millionths of a dollar. */
export const amountOf = ({ requirement }: NewPayment): number =>
  Number((JSON.parse(requirement) as { readonly amount: string }).amount);

/**
 * The outcome of an attempt to reserve: `taken` is reserved by another request, `payer_busy` and `exhausted` are the limits of a
 * payer and of a payment, `owed` means that this payer has an open payment for the same request. A payment that would bring credit
 * is not taken while another one does (`under_way`), if the balance pays for the call by now (`covered`), or beyond the limit.
 */
export type ReserveVerdict =
  | 'reserved'
  | 'taken'
  | 'payer_busy'
  | 'exhausted'
  | 'owed'
  | 'under_way'
  | 'covered'
  | 'over_limit';

/** What settling a payment may cost the gateway's own fee payer, and how much that may spend in an hour. */
export interface FeeCharge {
  /** Network and address. */
  readonly feePayer: string;
  readonly lamports: number;
  readonly limit: number;
  /** Payers that are not known share a part of the limit. */
  readonly isNewPayer: boolean;
}

/** What is written before money can move. */
export interface SettlementAttempt {
  /** The upstream's answer, as JSON. */
  readonly answer: string;
  readonly signature?: string;
  readonly height?: number;
  /** Absent if another facilitator pays the fee. */
  readonly fee?: FeeCharge;
}

/** Why a payment is refused whose transaction the chain has taken with an error: its fee was paid. */
export const FAILED_ON_CHAIN = 'failed on the chain';

/** What the chain or a facilitator has proved. */
export type Proof =
  | { readonly progress: 'settled'; readonly signature: string }
  | { readonly progress: 'refused'; readonly reason: string };

/** Limits of payments, and their times in milliseconds. */
export const PAYMENTS = {
  /** One that fails at the upstream may be tried again. */
  callsPerPayment: 3,
  inFlightPerPayer: 4,
  /** Longer than verification, the upstream and a settlement take together. */
  inFlightMs: 60_000,
  unsettledCallsPerPayer: 10,
  unsettledWindowMs: 60_000,
  /** How long a process keeps a payment without renewing its lease, and how often it renews. */
  leaseMs: 6_000,
  renewMs: 2_000,
  /** How long an answer is kept, and owed if it was not delivered; longer than any memo is good. */
  answerMs: 600_000,
  recordMs: 86_400_000,
  /** Longer than a memo is good by any clock of ours: anybody can copy a payment that failed on the chain. */
  refusedMs: 330_000,
  /** How long mainnet payments count for their wallet, and how much makes a known payer, in millionths of a dollar. */
  payerMs: 30 * 86_400_000,
  knownPayerMicros: 10_000,
  /** How long a fee counts, and how much of the fee budget new payers share. */
  feeMs: 3_600_000,
  newPayersShare: 0.5,
  /** Bytes of all stored answers. */
  answerBytes: 256 * 1024 * 1024,
} as const;

/** A record and its lease. */
export interface HeldRecord extends PaymentRecord {
  /** Until when it belongs to the process that reserved it or is settling it. */
  readonly leasedUntilMs?: number;
  /** Upstream calls that were made for it, counted here once it has settled. */
  readonly calls?: number;
}

/** What is remembered of a payer beside its payments. */
export interface PayerRecord {
  /** Payments between reservation and settlement, and until when each counts. */
  readonly inFlight: readonly { readonly key: string; readonly untilMs: number }[];
  /** Upstream calls that no settlement has followed. */
  readonly calls: readonly { readonly key: string; readonly atMs: number }[];
  /** What has settled on mainnet in the last 30 days, as far as it takes to make a known payer: the oldest first. */
  readonly paid?: readonly Paid[];
}

/** What a payer has paid on mainnet within a day. */
export interface Paid {
  /** When the first payment of the day settled. */
  readonly atMs: number;
  readonly micros: number;
}

/** A payment of a payer for a request whose outcome is open or, until `untilMs`, whose answer is owed. */
export interface Due {
  readonly key: string;
  readonly untilMs?: number;
}

/** Everything that decides about one payment. */
export interface PaymentState {
  readonly record: HeldRecord | undefined;
  readonly payer: PayerRecord;
  /** The payer's payments that are open or owed for the same request. */
  readonly due: readonly Due[];
  /** The credit of the payer's wallet. */
  readonly balanceMicros: number;
  /** Another payment of the wallet that is bringing credit now. */
  readonly purchaseKey: string | undefined;
}

export const NEW_PAYER: PayerRecord = { inFlight: [], calls: [] };

/** Whether money may have moved and the outcome is not known. */
export const isOpen = (record: PaymentRecord | undefined): record is HeldRecord =>
  record?.progress === 'settling' || record?.progress === 'unresolved';

/** A record as it reads now: without its lease a reservation is void, and the outcome of a settlement is not known. */
export function readRecord(record: HeldRecord | undefined, nowMs: number): HeldRecord | undefined {
  if (!record || (record.forgetAtMs ?? Number.POSITIVE_INFINITY) < nowMs) return undefined;
  const { leasedUntilMs = 0, progress } = record;
  if ((progress !== 'reserved' && progress !== 'settling') || leasedUntilMs > nowMs) return record;
  return progress === 'settling' ? { ...record, progress: 'unresolved' } : undefined;
}

/** What is due now. */
export const readDue = (due: readonly Due[], nowMs: number): readonly Due[] =>
  due.filter(({ untilMs }) => (untilMs ?? Number.POSITIVE_INFINITY) > nowMs);

const readPayer = (payer: PayerRecord, nowMs: number): PayerRecord => ({
  ...payer,
  inFlight: payer.inFlight.filter(({ untilMs }) => untilMs > nowMs),
  calls: payer.calls.filter(({ atMs }) => nowMs - atMs < PAYMENTS.answerMs),
});

/** A state as it reads now, without what has ended by itself. */
export const readState = (stored: PaymentState, nowMs: number): PaymentState => ({
  ...stored,
  record: readRecord(stored.record, nowMs),
  payer: readPayer(stored.payer, nowMs),
  due: readDue(stored.due, nowMs),
});

/** Which payment is due of several: one whose outcome is open, or else the last that was settled. */
export const dueOf = (due: readonly Due[]): Due | undefined =>
  due.find(({ untilMs }) => untilMs === undefined) ?? due.at(-1);

/** How many upstream calls were made for a payment. */
export const callsOf = ({ record, payer }: Pick<PaymentState, 'record' | 'payer'>, key: string): number =>
  (record?.calls ?? 0) + payer.calls.filter((call) => call.key === key).length;

const DAY_MS = 86_400_000;

const recent = (paid: readonly Paid[], nowMs: number): readonly Paid[] =>
  paid.filter(({ atMs }) => nowMs - atMs < PAYMENTS.payerMs);

const isEnough = (paid: readonly Paid[]): boolean =>
  paid.reduce((sum, { micros }) => sum + micros, 0) >= PAYMENTS.knownPayerMicros;

/** Notes a mainnet payment. Leaves out what is too old, and what later payments make unnecessary. */
export function withPaid(paid: readonly Paid[], micros: number, nowMs: number): readonly Paid[] {
  const [last, others] = [paid.at(-1), paid.slice(0, -1)];
  const isSameDay = last !== undefined && nowMs - last.atMs < DAY_MS;
  const noted = isSameDay
    ? [...others, { atMs: last.atMs, micros: last.micros + micros }]
    : [...paid, { atMs: nowMs, micros }];
  const all = isEnough([{ atMs: nowMs, micros }]) ? [{ atMs: nowMs, micros }] : recent(noted, nowMs);
  const needed = all.findLastIndex((_, index) => isEnough(all.slice(index)));
  return all.slice(Math.max(needed, 0));
}

/** Whether a payer's mainnet payments of the last 30 days are enough to make a known payer. */
export const isKnownPayer = ({ paid = [] }: PayerRecord, nowMs: number): boolean => isEnough(recent(paid, nowMs));
