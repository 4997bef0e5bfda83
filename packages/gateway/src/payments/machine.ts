import { NETWORKS } from '@asset-gateway/protocol';
import type { CreditLimits } from '../credit/account.ts';
import {
  amountOf,
  callsOf,
  FAILED_ON_CHAIN,
  isOpen,
  type NewPayment,
  PAYMENTS,
  type PayerRecord,
  type PaymentRecord,
  type PaymentState,
  type Proof,
  type ReserveVerdict,
  readState,
  type SettlementAttempt,
  withPaid,
} from './record.ts';

/** An event of a payment. */
export type PaymentEvent =
  /** Counts the first upstream call, which follows. `credit`: the limits of a payment that brings credit. */
  | { readonly kind: 'reserved'; readonly payment: NewPayment; readonly credit?: CreditLimits | undefined }
  /** One more upstream call. */
  | { readonly kind: 'called' }
  | { readonly kind: 'settling'; readonly owner: string; readonly sent: Omit<SettlementAttempt, 'answer' | 'fee'> }
  | { readonly kind: 'unresolved'; readonly signature: string | undefined }
  /** A refusal by an owner counts only while the payment is that owner's: others may send it afterwards. */
  | { readonly kind: 'resolved'; readonly proof: Proof; readonly owner: string | undefined }
  | { readonly kind: 'adopted'; readonly payment: NewPayment; readonly signature: string }
  /** Nothing was sent: the payment is unused again. `isCalled`: whether the upstream was called. */
  | {
      readonly kind: 'withdrawn';
      readonly owner: string;
      readonly from: 'reserved' | 'settling';
      readonly isCalled: boolean;
    };

type Reserving = Extract<PaymentEvent, { kind: 'reserved' }>;

/** The result of an event. */
export interface Step {
  readonly before: PaymentState;
  readonly after: PaymentState;
  /** `ignored`, `lost` and refused reservations change nothing. */
  readonly verdict: ReserveVerdict | 'done' | 'ignored' | 'lost';
}

const leaseFrom = (nowMs: number) => ({ leasedUntilMs: nowMs + PAYMENTS.leaseMs });

const without = <T extends { readonly key: string }>(all: readonly T[], key: string): readonly T[] =>
  all.some((each) => each.key === key) ? all.filter((each) => each.key !== key) : all;

function withoutInFlight(payer: PayerRecord, key: string): PayerRecord {
  const inFlight = without(payer.inFlight, key);
  return inFlight === payer.inFlight ? payer : { ...payer, inFlight };
}

const withCall = (payer: PayerRecord, key: string, atMs: number): PayerRecord => ({
  ...payer,
  calls: [...payer.calls, { key, atMs }],
});

function withoutLastCall(payer: PayerRecord, key: string): PayerRecord {
  const last = payer.calls.findLastIndex((call) => call.key === key);
  return last < 0 ? payer : { ...payer, calls: payer.calls.toSpliced(last, 1) };
}

/** Why a payment cannot bring credit now. */
function creditRefusal(
  { balanceMicros, purchaseKey }: PaymentState,
  { payment, credit }: Reserving,
): ReserveVerdict | undefined {
  const { creditMicros = 0 } = payment;
  if (!credit || creditMicros === 0) return undefined;
  if (purchaseKey !== undefined) return 'under_way';
  if (credit.priceMicros !== undefined && balanceMicros >= credit.priceMicros) return 'covered';
  return balanceMicros + creditMicros > credit.limitMicros ? 'over_limit' : undefined;
}

function reserveRefusal({ record, payer, due }: PaymentState, key: string, nowMs: number): ReserveVerdict | undefined {
  if (record) return 'taken';
  if (due.length > 0) return 'owed';
  if (callsOf({ record, payer }, key) >= PAYMENTS.callsPerPayment) return 'exhausted';
  if (without(payer.inFlight, key).length >= PAYMENTS.inFlightPerPayer) return 'payer_busy';
  const recent = payer.calls.filter(({ atMs }) => nowMs - atMs < PAYMENTS.unsettledWindowMs);
  return recent.length >= PAYMENTS.unsettledCallsPerPayer ? 'payer_busy' : undefined;
}

function reserve(state: PaymentState, payment: NewPayment, nowMs: number): PaymentState {
  const payer = withCall(state.payer, payment.key, nowMs);
  const inFlight = [
    ...without(payer.inFlight, payment.key),
    { key: payment.key, untilMs: nowMs + PAYMENTS.inFlightMs },
  ];
  return {
    ...state,
    record: { ...payment, progress: 'reserved', ...leaseFrom(nowMs) },
    payer: { ...payer, inFlight },
  };
}

function call(state: PaymentState, record: PaymentRecord, nowMs: number): PaymentState {
  if (record.progress === 'settled') return { ...state, record: { ...record, calls: (record.calls ?? 0) + 1 } };
  return { ...state, payer: withCall(state.payer, record.key, nowMs) };
}

/** Only mainnet payments count: devnet's money is free. */
function withPayment(payer: PayerRecord, record: PaymentRecord, nowMs: number): PayerRecord {
  if (record.network !== NETWORKS.mainnet) return payer;
  return { ...payer, paid: withPaid(payer.paid ?? [], amountOf(record), nowMs) };
}

function settle(state: PaymentState, record: PaymentRecord, signature: string, nowMs: number): PaymentState {
  const { key } = record;
  const payer = withoutInFlight(state.payer, key);
  return {
    ...state,
    record: {
      ...record,
      progress: 'settled',
      signature,
      resolvedAtMs: nowMs,
      forgetAtMs: nowMs + PAYMENTS.recordMs,
      owed: true,
      calls: callsOf({ record, payer }, key),
    },
    payer: withPayment({ ...payer, calls: without(payer.calls, key) }, record, nowMs),
    due: [...without(state.due, key), { key, untilMs: nowMs + PAYMENTS.answerMs }],
  };
}

function refuse(state: PaymentState, record: PaymentRecord, reason: string, nowMs: number): PaymentState {
  return {
    ...state,
    record: {
      ...record,
      progress: 'refused',
      reason,
      resolvedAtMs: nowMs,
      // A paid fee counts for an hour. The record must last as long, or a new reservation would restart that hour.
      forgetAtMs: nowMs + (reason === FAILED_ON_CHAIN && record.feeLamports > 0 ? PAYMENTS.feeMs : PAYMENTS.refusedMs),
      owed: false,
    },
    payer: withoutInFlight(state.payer, record.key),
    due: without(state.due, record.key),
  };
}

/** Undefined if the proof changes nothing. */
function resolve(
  state: PaymentState,
  { proof, owner }: Extract<PaymentEvent, { kind: 'resolved' }>,
  nowMs: number,
): PaymentState | undefined {
  const { record } = state;
  if (!record || record.progress === 'settled') return undefined;
  if (proof.progress === 'settled') return settle(state, record, proof.signature, nowMs);
  const isTheirs = record.progress === 'settling' && record.owner === owner;
  return owner !== undefined && !isTheirs ? undefined : refuse(state, record, proof.reason, nowMs);
}

function settling(
  state: PaymentState,
  { owner, sent }: Extract<PaymentEvent, { kind: 'settling' }>,
  nowMs: number,
): PaymentState | 'owed' | 'lost' {
  const { record, due } = state;
  if (record?.progress !== 'reserved' || record.owner !== owner) return 'lost';
  if (due.length > 0) return 'owed';
  const next: PaymentRecord = { ...record, ...sent, ...leaseFrom(nowMs), progress: 'settling', settlingSinceMs: nowMs };
  return { ...state, record: next, due: [{ key: record.key }] };
}

function withdraw(
  state: PaymentState,
  { owner, from, isCalled }: Extract<PaymentEvent, { kind: 'withdrawn' }>,
): PaymentState | undefined {
  const { record, payer, due } = state;
  if (record?.progress !== from || record.owner !== owner) return undefined;
  const { key } = record;
  const left = withoutInFlight(payer, key);
  return { ...state, record: undefined, payer: isCalled ? left : withoutLastCall(left, key), due: without(due, key) };
}

function unresolved(state: PaymentState, signature: string | undefined): PaymentState | undefined {
  const { record, payer } = state;
  if (!isOpen(record)) return undefined;
  const next: PaymentRecord = { ...record, progress: 'unresolved', ...(signature !== undefined && { signature }) };
  return { ...state, record: next, payer: withoutInFlight(payer, record.key) };
}

/** The state after an event, or the verdict of one that changes nothing. */
function after(state: PaymentState, event: PaymentEvent, nowMs: number): PaymentState | Step['verdict'] {
  const { record } = state;
  switch (event.kind) {
    case 'reserved':
      return (
        reserveRefusal(state, event.payment.key, nowMs) ??
        creditRefusal(state, event) ??
        reserve(state, event.payment, nowMs)
      );
    case 'called':
      return record ? call(state, record, nowMs) : 'ignored';
    case 'settling':
      return settling(state, event, nowMs);
    case 'unresolved':
      return unresolved(state, event.signature) ?? 'ignored';
    case 'resolved':
      return resolve(state, event, nowMs) ?? 'ignored';
    case 'adopted':
      if (record?.progress === 'settled') return 'ignored';
      return settle(state, { ...event.payment, progress: 'reserved' }, event.signature, nowMs);
    case 'withdrawn':
      return withdraw(state, event) ?? 'ignored';
  }
}

/** Applies an event to a stored state. */
export function step(stored: PaymentState, event: PaymentEvent, nowMs: number): Step {
  const before = readState(stored, nowMs);
  const next = after(before, event, nowMs);
  if (typeof next === 'string') return { before, after: before, verdict: next };
  return { before, after: next, verdict: event.kind === 'reserved' ? 'reserved' : 'done' };
}
