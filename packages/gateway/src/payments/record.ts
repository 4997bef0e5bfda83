import { DAY_MS } from '@asset-gateway/protocol';
import { LIMITS } from '../limits.ts';
import type { PaidRequest } from '../receipts/paid-answers.ts';
import { TIMES } from '../times.ts';
import type { Facilitator, Payment } from './facilitator/facilitator.ts';
import type { Transfer } from './read/transaction.ts';

/** The state of a payment. From `settling` on money may have moved, and only proof changes the record. */
export type PaymentProgress = 'reserved' | 'settling' | 'unresolved' | 'settled' | 'refused';

/** A payment as it is reserved, and its first request. Its key is its network and the hash of its message. */
export interface NewPayment
  extends PaidRequest,
    Pick<Payment, 'key' | 'network' | 'transaction' | 'requirement'>,
    Pick<Transfer, 'payer' | 'source'> {
  readonly memo: string | undefined;
  /** The price of the answer. */
  readonly priceUsd: string;
  /** The part that becomes credit when it settles, in millionths of a dollar. */
  readonly creditMicros: number;
  /** The cost of its settlement for the gateway's own fee payer. */
  readonly feeLamports: number;
}

/** A payment and its state. Times are in milliseconds. */
export interface PaymentRecord extends NewPayment {
  readonly progress: PaymentProgress;
  /** When the lease ends. Until then the payment belongs to the process that reserved it or settles it. */
  readonly leasedUntilMs?: number;
  /** Upstream calls so far, also those before an earlier reservation ended. */
  readonly calls?: number;
  readonly signature?: string | undefined;
  /** The finalized block height before it was sent. */
  readonly height?: number | undefined;
  readonly reason?: string | undefined;
  /** Whether the transaction has failed on the chain and cost its fee. If false, it may still land. */
  readonly hasFailedOnChain?: boolean;
  /** The time from which money may have moved. */
  readonly settlingSinceMs?: number;
  /** When it settled or was refused. */
  readonly resolvedAtMs?: number;
  /** When it may be deleted. */
  readonly forgetAtMs?: number;
  /** When its outcome is looked up next, if it is unknown. */
  readonly searchFromMs?: number;
  /** When the search has ended, because the payment can no longer land and only the facilitator knows its outcome. */
  readonly searchEndedMs?: number;
  /** Whether it has settled but its answer has not reached the payer. */
  readonly owed?: boolean;
}

/** The amount of the transfer, which the requirement repeats, in millionths of a dollar. */
export const amountOf = ({ requirement }: NewPayment): number => Number(requirement.amount);

/**
 * The outcome of an attempt to reserve. `taken`: another request has reserved it, or credit pays for its call. `payer_busy`,
 * `exhausted`: the limits of the payer and of the payment. `called`: its only call may have had its effect. `owed`: the payer has an
 * open or owed payment for the same request. Of payments that buy credit: another one is in progress (`under_way`), the balance now
 * pays for the call (`covered`), or the balance would be too large (`over_limit`).
 */
export type ReserveVerdict =
  | 'reserved'
  | 'taken'
  | 'payer_busy'
  | 'exhausted'
  | 'called'
  | 'owed'
  | 'over_limit'
  | 'under_way'
  | 'covered';

/** What is stored before money can move. */
export interface SettlementAttempt {
  /** The upstream's answer, as JSON. */
  readonly answer: string;
  readonly signature?: string | undefined;
  readonly height?: number | undefined;
  /** From when money may move, by the database's clock; default: when the step is decided. Receipts name it. */
  readonly settlingSinceMs?: number;
  /** Undefined if another facilitator pays the fee. */
  readonly fee?: FeeCharge | undefined;
}

/** The mainnet payments of one day. */
export interface Paid {
  /** When the first one settled. */
  readonly atMs: number;
  readonly micros: number;
}

/** Everything that decides about one payment. */
export interface PayerState {
  readonly record: PaymentRecord | undefined;
  /** Upstream calls for this payment so far, while it has no record. */
  readonly calls: number;
  /** The payer's other payments between reservation and settlement. */
  readonly inFlight: number;
  /** The payer's upstream calls of the last minute that are not paid for. */
  readonly recentCalls: number;
  /** The payer's mainnet payments of the last 30 days, oldest first; only as many as make a known payer. */
  readonly paid: readonly Paid[];
  /**
   * The payer's other payments for the same request: first those whose answer is owed until a time, then those whose outcome is unknown.
   * Steps of this payment do not change them.
   */
  readonly due: readonly { readonly key: string; readonly untilMs?: number }[];
  /** Until when the wallet may buy nothing, because too many of its payments have failed on the chain. 0 if it may buy. */
  readonly closedUntilMs: number;
  /** The credit of the payer's wallet. */
  readonly balanceMicros: number;
  /** Whether credit has covered this payment, or is about to. */
  readonly isCovered: boolean;
  /** Another payment of the wallet that brings credit now. */
  readonly purchaseKey: string | undefined;
}

type OpenRecord = PaymentRecord & { readonly progress: 'settling' | 'unresolved' };

/** Whether money may have moved but the outcome is unknown. */
export const isOpenPayment = (record: PaymentRecord | undefined): record is OpenRecord =>
  record?.progress === 'settling' || record?.progress === 'unresolved';

/** A record at a time. If its lease has lapsed, a reservation is void and the outcome of a settlement unknown. */
export function readRecord(record: PaymentRecord | undefined, nowMs: number): PaymentRecord | undefined {
  if (!record || (record.forgetAtMs ?? Number.POSITIVE_INFINITY) < nowMs) return undefined;
  const { leasedUntilMs = 0, progress } = record;
  if ((progress !== 'reserved' && progress !== 'settling') || leasedUntilMs > nowMs) return record;
  return progress === 'settling' ? { ...record, progress: 'unresolved' } : undefined;
}

/** A state at a time, without what has expired. */
export const readState = <State extends PayerState>(stored: State, nowMs: number): State => ({
  ...stored,
  record: readRecord(stored.record, nowMs),
  due: stored.due.filter(({ untilMs }) => (untilMs ?? Number.POSITIVE_INFINITY) > nowMs),
});

/** Adds a mainnet payment. Drops old payments, and those that are not needed to make a known payer. */
export function withPaid(paid: readonly Paid[], micros: number, nowMs: number): readonly Paid[] {
  const last = paid.at(-1);
  const isSameDay = last !== undefined && nowMs - last.atMs < DAY_MS;
  const isEnoughAlone = micros >= LIMITS.knownPayerMicros;
  const added =
    isSameDay && !isEnoughAlone ? { atMs: last.atMs, micros: last.micros + micros } : { atMs: nowMs, micros };
  const kept = [added];
  let sum = added.micros;
  for (const each of (isSameDay ? paid.slice(0, -1) : paid).toReversed()) {
    if (sum >= LIMITS.knownPayerMicros || nowMs - each.atMs >= TIMES.payerMs) break;
    sum += each.micros;
    kept.unshift(each);
  }
  return kept;
}

/** Whether the mainnet payments of the last 30 days make a known payer. */
export function isKnownPayer(paid: readonly Paid[], nowMs: number): boolean {
  let sum = 0;
  for (const { atMs, micros } of paid) if (nowMs - atMs < TIMES.payerMs) sum += micros;
  return sum >= LIMITS.knownPayerMicros;
}

/** The cost of a settlement for the gateway's own fee payer, and the fee payer's hourly limit. */
export interface FeeCharge {
  /** Network and address. */
  readonly feePayer: string;
  readonly lamports: number;
  readonly limit: number;
  /** New payers share a part of the limit. */
  readonly isNewPayer: boolean;
}

/** Whether the gateway's own fee payer pays. A remote facilitator pays its own fees, and other shops may share its fee payer. */
export const hasOwnFeePayer = ({ feeBudgetPerHour }: Facilitator): boolean => feeBudgetPerHour !== undefined;

/** Each network has its own fee budget, because devnet's fees cost nothing. */
export const feePayerName = (network: string, feePayer: string): string => `${network}:${feePayer}`;

/** The charge of a settlement against the fee budget; undefined if a remote facilitator pays. */
export function feeChargeOf(
  facilitator: Facilitator,
  { network, feeLamports: lamports }: NewPayment,
  paidOnMainnet: readonly Paid[],
  nowMs: number,
): FeeCharge | undefined {
  const limit = facilitator.feeBudgetPerHour;
  const feePayer = facilitator.feePayer(network);
  if (limit === undefined || feePayer === undefined) return undefined;
  return {
    feePayer: feePayerName(network, feePayer),
    lamports,
    limit,
    isNewPayer: !isKnownPayer(paidOnMainnet, nowMs),
  };
}

/** How much the fee payer may have spent within the hour before this fee, in lamports: for all payers, and for new ones. */
export const mostSpentBefore = ({ lamports, limit }: FeeCharge) => ({
  all: Math.floor(limit) - lamports,
  ofNewPayers: Math.floor(limit * LIMITS.newPayersFraction) - lamports,
});

/** Whether the fee budget suffices after what was spent within the hour. `updateToSettle` in changes.ts has the same condition in SQL. */
export function fitsBudget(fee: FeeCharge, spent: ReturnType<typeof mostSpentBefore>): boolean {
  const most = mostSpentBefore(fee);
  return spent.all <= most.all && (!fee.isNewPayer || spent.ofNewPayers <= most.ofNewPayers);
}
