import { DAY_MS } from '@asset-gateway/protocol';
import { LIMITS } from '../limits.ts';
import type { PaidRequest } from '../receipts/paid-answers.ts';
import { TIMES } from '../times.ts';
import type { Facilitator, Payment } from './facilitator/facilitator.ts';
import type { Transfer } from './read/transaction.ts';

/** The state of a payment. From `settling` on money may have moved, so only proof changes the record. */
type PaymentProgress = 'reserved' | 'settling' | 'unresolved' | 'settled' | 'refused';

/** A payment that is to be reserved, with its first request. Its key is its network and the hash of its message. */
export interface NewPayment
  extends PaidRequest,
    Pick<Payment, 'key' | 'network' | 'transaction' | 'requirement'>,
    Pick<Transfer, 'payer' | 'source'> {
  readonly memo: string | undefined;
  /** The price of the answer, in dollars. */
  readonly priceUsd: string;
  /** The part of the amount that becomes credit once the payment settles, in millionths of a dollar. */
  readonly creditMicros: number;
  /** The fee that its settlement costs the gateway's own fee payer; 0 if a remote facilitator pays. */
  readonly feeLamports: number;
}

/** A payment with its state. Times are milliseconds of the books' clock. */
export interface PaymentRecord extends NewPayment {
  readonly progress: PaymentProgress;
  /** When the lease ends. Until then the payment belongs to the process that reserved it or settles it. */
  readonly leasedUntilMs?: number;
  /** How many upstream calls were made for it, including those under earlier reservations. */
  readonly calls?: number;
  readonly signature?: string | undefined;
  /** The height of a final block that was read before the payment was sent. */
  readonly height?: number | undefined;
  readonly reason?: string | undefined;
  /** Whether the transaction has failed on the chain and cost its fee. If a payment was refused without this, it may still land. */
  readonly hasFailedOnChain?: boolean;
  /** The time from which money may have moved. */
  readonly settlingSinceMs?: number;
  /** When the payment settled or was refused. */
  readonly resolvedAtMs?: number;
  /** When the record may be deleted. */
  readonly forgetAtMs?: number;
  /** When the payment is looked up next, if its outcome is unknown. */
  readonly searchFromMs?: number;
  /** When the search for the outcome ended, because the payment can no longer land and only the facilitator knows the outcome. */
  readonly searchEndedMs?: number;
  /** Whether the payment has settled but its answer has not reached the payer. */
  readonly owed?: boolean;
}

/** Returns the amount of the payment's transfer, in millionths of a dollar. */
export const amountOf = ({ requirement }: NewPayment): number => Number(requirement.amount);

/**
 * The outcome of an attempt to reserve a payment.
 *
 * | verdict | means |
 * |---|---|
 * | `reserved` | the payment belongs to this request |
 * | `taken` | another request has reserved it, or credit pays for its call |
 * | `payer_busy` | the payer is at one of its limits |
 * | `exhausted` | the payment has used up its upstream calls |
 * | `called` | its only call may have had its effect |
 * | `due` | the payer has an open or owed payment for the same request |
 * | `under_way` | another purchase of credit by the payer is in progress |
 * | `covered` | the payer's balance now pays for the call |
 * | `over_limit` | the balance would exceed its limit |
 */
export type ReserveVerdict =
  | 'reserved'
  | 'taken'
  | 'payer_busy'
  | 'exhausted'
  | 'called'
  | 'due'
  | 'over_limit'
  | 'under_way'
  | 'covered';

/** What is stored when a settlement begins, before money can move. */
export interface SettlementAttempt {
  /** The upstream's answer, as JSON. */
  readonly answer: string;
  readonly signature?: string | undefined;
  readonly height?: number | undefined;
  /** When the settlement begins, in milliseconds of the books' clock. Default: when the step is decided. Receipts name this time. */
  readonly settlingSinceMs?: number;
  /** The fee to charge against the budget; undefined if a remote facilitator pays it. */
  readonly fee?: FeeCharge | undefined;
  /** Whether the upstream was called; default: true. If not, the count of calls is one less. */
  readonly isCalled?: boolean;
}

/** The sum of a payer's mainnet payments of one day. */
export interface Paid {
  /** When the first of them settled. */
  readonly atMs: number;
  readonly micros: number;
}

/** Everything that decides about one payment, as it was read from the database. */
export interface PayerState {
  readonly record: PaymentRecord | undefined;
  /** How many upstream calls were made for this payment, if it has no record. */
  readonly calls: number;
  /** How many other payments of the payer are between reservation and settlement. */
  readonly inFlight: number;
  /** The number of the payer's upstream calls in the last minute that nothing has paid for. */
  readonly recentCalls: number;
  /** The payer's mainnet payments of the last 30 days, oldest first. The list ends once they suffice to count as a known payer. */
  readonly paid: readonly Paid[];
  /**
   * The payer's other payments for the same request. First come those whose answer is owed until a time, then those whose outcome is
   * unknown. Steps of this payment do not change them.
   */
  readonly due: readonly { readonly key: string; readonly untilMs?: number }[];
  /** The time before which the wallet may buy nothing, because too many of its payments have failed on the chain; 0 if it may buy. */
  readonly closedUntilMs: number;
  /** The payer's credit, in millionths of a dollar. */
  readonly balanceMicros: number;
  /** Whether credit has covered this payment, or is about to. */
  readonly isCovered: boolean;
  /** The key of another payment of the wallet that is buying credit now. */
  readonly purchaseKey: string | undefined;
}

type OpenRecord = PaymentRecord & { readonly progress: 'settling' | 'unresolved' };

/** Whether the payment may have moved money and its outcome is unknown. */
export const isOpenPayment = (record: PaymentRecord | undefined): record is OpenRecord =>
  record?.progress === 'settling' || record?.progress === 'unresolved';

/**
 * Returns the record as it counts at `nowMs`; undefined once it may be deleted. If the lease has lapsed, a reservation is void, and the
 * outcome of a settlement is unknown.
 */
export function readRecord(record: PaymentRecord | undefined, nowMs: number): PaymentRecord | undefined {
  if (!record || (record.forgetAtMs ?? Number.POSITIVE_INFINITY) < nowMs) return undefined;
  const { leasedUntilMs = 0, progress } = record;
  if ((progress !== 'reserved' && progress !== 'settling') || leasedUntilMs > nowMs) return record;
  return progress === 'settling' ? { ...record, progress: 'unresolved' } : undefined;
}

/** Returns the state as it counts at `nowMs`, without expired parts. */
export const readState = <State extends PayerState>(stored: State, nowMs: number): State => ({
  ...stored,
  record: readRecord(stored.record, nowMs),
  due: stored.due.filter(({ untilMs }) => (untilMs ?? Number.POSITIVE_INFINITY) > nowMs),
});

/**
 * Returns a payer's mainnet payments with another one added. Drops old payments, and those that are not needed to count as a known payer.
 */
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

/** The fee of a settlement for the gateway's own fee payer, and the fee payer's hourly limit, in lamports. */
export interface FeeCharge {
  /** The fee payer's network and address. */
  readonly feePayer: string;
  readonly lamports: number;
  readonly limit: number;
  /** Whether the payer is new. New payers share a part of the limit. */
  readonly isNewPayer: boolean;
}

/** Whether the gateway's own fee payer pays the fees. A remote facilitator pays its own, and other shops may share its fee payer. */
export const hasOwnFeePayer = ({ feeBudgetPerHour }: Facilitator): boolean => feeBudgetPerHour !== undefined;

/** Returns the name of a fee payer's budget. Each network has its own, because devnet's fees cost nothing. */
export const feePayerName = (network: string, feePayer: string): string => `${network}:${feePayer}`;

/** Returns what a settlement charges against the fee budget; undefined if a remote facilitator pays. */
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

/** Returns how many lamports the fee payer may have spent within the hour before this fee: for all payers, and for new payers. */
export const mostSpentBefore = ({ lamports, limit }: FeeCharge) => ({
  all: Math.floor(limit) - lamports,
  ofNewPayers: Math.floor(limit * LIMITS.newPayersFraction) - lamports,
});

/** Whether the fee budget suffices, given what was spent within the hour. `updateToSettle` in changes.ts has the same condition in SQL. */
export function fitsBudget(fee: FeeCharge, spent: ReturnType<typeof mostSpentBefore>): boolean {
  const most = mostSpentBefore(fee);
  return spent.all <= most.all && (!fee.isNewPayer || spent.ofNewPayers <= most.ofNewPayers);
}
