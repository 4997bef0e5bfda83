import { NETWORKS } from '@asset-gateway/protocol';
import type { CreditLimits } from '../credit/account.ts';
import { MOST_CALLS } from '../gates/gate.ts';
import { TIMES } from '../times.ts';
import type { Settlement } from './facilitator/facilitator.ts';
import {
  amountOf,
  callsOf,
  isOpen,
  type NewPayment,
  PAYMENTS,
  type PaymentRecord,
  type PaymentState,
  type ReserveVerdict,
  readState,
  type SettlementAttempt,
  withPaid,
} from './record.ts';

/** Why a step changes nothing. `lost`: the reservation belongs to another request. */
type Unchanged = Exclude<ReserveVerdict, 'reserved'> | 'ignored' | 'lost';

/** One step of a payment: the state after it, or why it changes nothing. */
export type Transition = (state: PaymentState, nowMs: number) => PaymentState | Unchanged;

/** The result of a transition. */
export interface Step {
  readonly before: PaymentState;
  readonly after: PaymentState;
  readonly verdict: Unchanged | 'done';
}

/** Applies a transition to a stored state. */
export function step(stored: PaymentState, transition: Transition, nowMs: number): Step {
  const before = readState(stored, nowMs);
  const next = transition(before, nowMs);
  return typeof next === 'string' ? { before, after: before, verdict: next } : { before, after: next, verdict: 'done' };
}

const without = <T extends { readonly key: string }>(all: readonly T[], key: string): readonly T[] =>
  all.filter((each) => each.key !== key);

/** Why a payment cannot bring credit now. */
function creditRefusal(
  { balanceMicros, purchaseKey }: PaymentState,
  { creditMicros }: NewPayment,
  limits: CreditLimits | undefined,
): Unchanged | undefined {
  if (!limits || creditMicros === 0) return undefined;
  if (purchaseKey !== undefined) return 'under_way';
  if (limits.priceMicros !== undefined && balanceMicros >= limits.priceMicros) return 'covered';
  return balanceMicros + creditMicros > limits.limitMicros ? 'over_limit' : undefined;
}

function reserveRefusal(
  { record, payer, due }: PaymentState,
  { key, isOnce }: NewPayment,
  nowMs: number,
): Unchanged | undefined {
  if (record) return 'taken';
  if (due.length > 0) return 'owed';
  if (callsOf({ record, payer }, key) >= (isOnce ? 1 : MOST_CALLS)) return 'exhausted';
  if (without(payer.inFlight, key).length >= PAYMENTS.inFlightPerPayer) return 'payer_busy';
  const recent = payer.calls.filter(({ atMs }) => nowMs - atMs < TIMES.failuresMs);
  return recent.length >= PAYMENTS.unsettledCallsPerPayer ? 'payer_busy' : undefined;
}

/** Counts the first upstream call, which follows. `limits`: of a payment that brings credit. */
export const reserve =
  (payment: NewPayment, limits?: CreditLimits): Transition =>
  (state, nowMs) => {
    const { key } = payment;
    const refusal = reserveRefusal(state, payment, nowMs) ?? creditRefusal(state, payment, limits);
    if (refusal) return refusal;
    const { payer } = state;
    return {
      ...state,
      record: { ...payment, progress: 'reserved', leasedUntilMs: nowMs + TIMES.leaseMs },
      payer: {
        ...payer,
        inFlight: [...without(payer.inFlight, key), { key, untilMs: nowMs + TIMES.inFlightMs }],
        calls: [...payer.calls, { key, atMs: nowMs }],
      },
    };
  };

/** Counts one more upstream call. */
export const call: Transition = (state, nowMs) => {
  const { record, payer } = state;
  if (!record) return 'ignored';
  if (record.progress === 'settled') return { ...state, record: { ...record, calls: (record.calls ?? 0) + 1 } };
  return { ...state, payer: { ...payer, calls: [...payer.calls, { key: record.key, atMs: nowMs }] } };
};

function settled(state: PaymentState, known: PaymentRecord, signature: string, nowMs: number): PaymentState {
  const { reason: _, failedOnChain: __, ...record } = known;
  const { key } = record;
  const { inFlight, calls, paid = [] } = state.payer;
  return {
    ...state,
    record: {
      ...record,
      progress: 'settled',
      signature,
      resolvedAtMs: nowMs,
      forgetAtMs: nowMs + TIMES.recordMs,
      owed: true,
      calls: callsOf({ ...state, record }, key),
    },
    payer: {
      inFlight: without(inFlight, key),
      calls: without(calls, key),
      // Devnet's money is free.
      paid: record.network === NETWORKS.mainnet ? withPaid(paid, amountOf(record), nowMs) : paid,
    },
  };
}

/** The outcome of a settlement. If `owner` reports that nothing moved, the payment must still be theirs: others may send it later. */
export const resolve =
  (settlement: Settlement, owner?: string): Transition =>
  (state, nowMs) => {
    const { record } = state;
    if (!record || record.progress === 'settled') return 'ignored';
    // Looked up again and still not found.
    if (record.progress === 'refused' && settlement.outcome !== 'settled') return 'ignored';
    if (settlement.outcome === 'settled') return settled(state, record, settlement.signature, nowMs);
    const payer = { ...state.payer, inFlight: without(state.payer.inFlight, record.key) };
    if (settlement.outcome === 'unknown') {
      if (!isOpen(record)) return 'ignored';
      const signature = settlement.signature ?? record.signature;
      return { ...state, record: { ...record, progress: 'unresolved', signature }, payer };
    }
    const isTheirs = record.progress === 'settling' && record.owner === owner;
    if (settlement.outcome === 'unsent') return isTheirs ? { ...state, record: undefined, payer } : 'ignored';
    if (owner !== undefined && !isTheirs) return 'ignored';
    const { reason, isOnChain } = settlement;
    // A paid fee counts for an hour. The record must last as long, or a new reservation would restart that hour.
    const keepMs = isOnChain && record.feeLamports > 0 ? TIMES.feeMs : TIMES.rememberedMs;
    const over = {
      resolvedAtMs: nowMs,
      forgetAtMs: nowMs + keepMs,
      owed: false,
      failedOnChain: isOnChain ? 1 : 0,
    } as const;
    return { ...state, record: { ...record, ...over, progress: 'refused', reason }, payer };
  };

/** Ends looking up an unknown outcome. */
export const endSearch: Transition = (state, nowMs) => {
  const { record } = state;
  if (record?.progress !== 'unresolved' || record.searchEndedMs !== undefined) return 'ignored';
  return { ...state, record: { ...record, searchEndedMs: nowMs } };
};

/** The chain shows a payment that no record has. */
export const adopt =
  (payment: NewPayment, signature: string): Transition =>
  (state, nowMs) =>
    state.record?.progress === 'settled'
      ? 'ignored'
      : settled(state, { ...payment, progress: 'reserved' }, signature, nowMs);

/** From now on money may move. */
export const settling =
  (owner: string, sent: Omit<SettlementAttempt, 'answer' | 'fee'>): Transition =>
  (state, nowMs) => {
    const { record, due } = state;
    if (record?.progress !== 'reserved' || record.owner !== owner) return 'lost';
    if (due.length > 0) return 'owed';
    const leasedUntilMs = nowMs + TIMES.leaseMs;
    return { ...state, record: { ...record, settlingSinceMs: nowMs, ...sent, leasedUntilMs, progress: 'settling' } };
  };

/** Releases a reservation: the payment is unused again. `isCalled`: whether the upstream was called. */
export const release =
  (owner: string, isCalled: boolean): Transition =>
  (state) => {
    const { record } = state;
    if (record?.progress !== 'reserved' || record.owner !== owner) return 'ignored';
    const payer = { ...state.payer, inFlight: without(state.payer.inFlight, record.key) };
    const last = isCalled ? -1 : payer.calls.findLastIndex((each) => each.key === record.key);
    const calls = last < 0 ? payer.calls : payer.calls.toSpliced(last, 1);
    return { ...state, record: undefined, payer: { ...payer, calls } };
  };
