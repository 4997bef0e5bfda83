import { NETWORKS } from '@asset-gateway/protocol';
import type { CreditLimits } from '../credit/account.ts';
import { LIMITS } from '../limits.ts';
import { TIMES } from '../times.ts';
import type { Settlement } from './facilitator/facilitator.ts';
import {
  amountOf,
  isOpenPayment,
  type NewPayment,
  type PayerState,
  type PaymentRecord,
  type ReserveVerdict,
  readState,
  type SettlementAttempt,
  withPaid,
} from './record.ts';

/** Why a step changes nothing. `lost`: the reservation belongs to another request. `ignored`: the step does not apply to this state. */
type Unchanged = Exclude<ReserveVerdict, 'reserved'> | 'ignored' | 'lost';

/** One step of a payment. Returns the state after it, or why the step changes nothing. */
export type Transition = (state: PayerState, nowMs: number) => PayerState | Unchanged;

/** The states before and after a transition, and its verdict. */
export interface TransitionResult {
  readonly before: PayerState;
  readonly after: PayerState;
  readonly verdict: Unchanged | 'done';
}

/** Applies a transition to a stored state. */
export function apply(stored: PayerState, transition: Transition, nowMs: number): TransitionResult {
  const before = readState(stored, nowMs);
  const next = transition(before, nowMs);
  return typeof next === 'string' ? { before, after: before, verdict: next } : { before, after: next, verdict: 'done' };
}

/** Returns why a payment cannot buy credit now; undefined if it can. */
function creditRefusal(
  { balanceMicros, purchaseKey }: PayerState,
  { creditMicros }: NewPayment,
  limits: CreditLimits | undefined,
): Unchanged | undefined {
  if (!limits || creditMicros === 0) return undefined;
  if (purchaseKey !== undefined) return 'under_way';
  if (limits.priceMicros !== undefined && balanceMicros >= limits.priceMicros) return 'covered';
  return balanceMicros + creditMicros > limits.limitMicros ? 'over_limit' : undefined;
}

function reserveRefusal(state: PayerState, { mayHaveEffect }: NewPayment, nowMs: number): Unchanged | undefined {
  if (state.record || (mayHaveEffect && state.isCovered)) return 'taken';
  if (state.due.length > 0) return 'due';
  if (mayHaveEffect && state.calls > 0) return 'called';
  if (state.calls >= LIMITS.callsPerAnswer) return 'exhausted';
  const isBusy = state.inFlight >= LIMITS.paymentsInFlight || state.recentCalls >= LIMITS.unchargedCalls;
  // `assertMayVerify` in verification.ts has checked this limit before and named the exact time, but its state may have been older.
  return isBusy || state.closedUntilMs > nowMs ? 'payer_busy' : undefined;
}

/**
 * Returns the step that reserves a payment and counts its first upstream call, which follows. `limits`: how much credit the wallet may
 * hold, if the payment buys credit.
 */
export const reserve =
  (payment: NewPayment, limits?: CreditLimits): Transition =>
  (state, nowMs) => {
    const refusal = reserveRefusal(state, payment, nowMs) ?? creditRefusal(state, payment, limits);
    if (refusal) return refusal;
    const leasedUntilMs = nowMs + TIMES.leaseMs;
    return { ...state, record: { ...payment, progress: 'reserved', leasedUntilMs, calls: state.calls + 1 } };
  };

/** The step that counts one more upstream call. */
export const countCall: Transition = (state) => {
  const { record } = state;
  return record ? { ...state, record: { ...record, calls: (record.calls ?? 0) + 1 } } : 'ignored';
};

/** Returns the state after a release: the payment is unused again. `calls`: how many upstream calls were made for it so far. */
const releasedStateOf = (state: PayerState, calls = 0): PayerState => ({ ...state, record: undefined, calls });

function settledStateOf(state: PayerState, record: PaymentRecord, signature: string, nowMs: number): PayerState {
  return {
    ...state,
    record: {
      ...record,
      reason: undefined,
      hasFailedOnChain: false,
      progress: 'settled',
      signature,
      resolvedAtMs: nowMs,
      forgetAtMs: nowMs + TIMES.recordMs,
      owed: true,
    },
    // Devnet's money is free.
    paid: record.network === NETWORKS.mainnet ? withPaid(state.paid, amountOf(record), nowMs) : state.paid,
  };
}

/**
 * Returns the step that records a settlement's outcome. `owner`: the request that reports it; undefined for the reconciler, which has proof
 * from the chain. A request may report that no money moved only while it owns the payment, because another owner may be about to send it.
 */
export const resolve =
  (settlement: Settlement, owner?: string): Transition =>
  (state, nowMs) => {
    const { record } = state;
    if (!record || record.progress === 'settled') return 'ignored';
    // A refused payment changes only if the chain shows that it has settled after all.
    if (record.progress === 'refused' && settlement.outcome !== 'settled') return 'ignored';
    if (settlement.outcome === 'settled') return settledStateOf(state, record, settlement.signature, nowMs);
    if (settlement.outcome === 'unknown') {
      if (!isOpenPayment(record)) return 'ignored';
      const signature = settlement.signature ?? record.signature;
      return { ...state, record: { ...record, progress: 'unresolved', signature } };
    }
    // Release only if the lease lasts longer than one renewal, because another node may send the payment once it has lapsed.
    const isLeased = (record.leasedUntilMs ?? 0) > nowMs + TIMES.renewMs;
    const isTheirs = record.progress === 'settling' && record.owner === owner && isLeased;
    if (settlement.outcome === 'unsent') return isTheirs ? releasedStateOf(state, record.calls) : 'ignored';
    if (owner !== undefined && !isTheirs) return 'ignored';
    const { reason, isOnChain } = settlement;
    const hasCostFee = isOnChain === true && record.feeLamports > 0;
    // A paid fee counts for an hour. The record must last as long, or a new reservation would restart that hour.
    const keepMs = hasCostFee ? TIMES.feeMs : TIMES.rememberedMs;
    const resolved = {
      resolvedAtMs: nowMs,
      forgetAtMs: nowMs + keepMs,
      owed: false,
      hasFailedOnChain: isOnChain === true,
    };
    // This payment cost its fee and paid nothing, so its payer counts as new until it pays again.
    const paid = hasCostFee ? [] : state.paid;
    return { ...state, paid, record: { ...record, ...resolved, progress: 'refused', reason } };
  };

/** The step that ends the search for an unknown outcome. */
export const endSearch: Transition = (state, nowMs) => {
  const { record } = state;
  if (record?.progress !== 'unresolved' || record.searchEndedMs !== undefined) return 'ignored';
  return { ...state, record: { ...record, searchEndedMs: nowMs } };
};

/** Returns the step that records a settled payment that has no record but is on the chain. */
export const adopt =
  (payment: NewPayment, signature: string): Transition =>
  (state, nowMs) =>
    state.record?.progress === 'settled'
      ? 'ignored'
      : settledStateOf(state, { ...payment, progress: 'reserved', calls: state.calls }, signature, nowMs);

/** The upstream calls of a reservation, which has counted its first call before that was made. */
const callsOf = ({ calls = 0 }: PaymentRecord, isCalled: boolean): number => calls - Number(!isCalled);

/** Returns the step that begins a settlement. After it money may move. */
export const beginSettlement =
  (owner: string, attempt: Omit<SettlementAttempt, 'answer' | 'fee'>): Transition =>
  (state, nowMs) => {
    const { record, due } = state;
    if (record?.progress !== 'reserved' || record.owner !== owner) return 'lost';
    if (due.length > 0) return 'due';
    const leasedUntilMs = nowMs + TIMES.leaseMs;
    const { signature, height, settlingSinceMs = nowMs, isCalled = true } = attempt;
    const sent = { settlingSinceMs, signature, height, leasedUntilMs, calls: callsOf(record, isCalled) };
    return { ...state, record: { ...record, ...sent, progress: 'settling' } };
  };

/** Returns the step that releases a reservation, so that the payment is unused again. `isCalled`: whether the upstream was called. */
export const release =
  (owner: string, isCalled: boolean): Transition =>
  (state) => {
    const { record } = state;
    if (record?.progress !== 'reserved' || record.owner !== owner) return 'ignored';
    return releasedStateOf(state, callsOf(record, isCalled));
  };
