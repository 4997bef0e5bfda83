import { NETWORKS } from '@asset-gateway/protocol';
import {
  amountOf,
  type NewPayment,
  PAYMENTS,
  type Proof,
  type ReserveVerdict,
  type SettlementAttempt,
} from './record.ts';
import {
  callsOf,
  type HeldRecord,
  isOpen,
  type Moment,
  type PayerRecord,
  type PaymentState,
  readState,
  withPaid,
} from './state.ts';

/** What happens to a payment. */
export type PaymentEvent =
  | { readonly kind: 'reserved'; readonly payment: NewPayment }
  | { readonly kind: 'called' }
  | { readonly kind: 'settling'; readonly owner: string; readonly sent: Omit<SettlementAttempt, 'answer'> }
  | { readonly kind: 'unresolved'; readonly signature: string | undefined }
  /** A refusal that is this owner's own word counts only while the payment is this owner's: after that others may send it. */
  | { readonly kind: 'resolved'; readonly proof: Proof; readonly owner: string | undefined }
  | { readonly kind: 'adopted'; readonly payment: NewPayment; readonly signature: string }
  /** Nothing was sent: what this owner has reserved, or is settling, is as if it had never been. */
  | { readonly kind: 'withdrawn'; readonly owner: string; readonly from: 'reserved' | 'settling' }
  | { readonly kind: 'delivered' }
  | { readonly kind: 'renewed'; readonly owner: string };

/** What became of it. */
export interface Step {
  /** What the state was at this moment, */
  readonly before: PaymentState;
  /** and what it is then: its members are the same ones where nothing has changed. */
  readonly after: PaymentState;
  /** What the asker is told: `ignored` and `lost` change nothing, and no more does a reservation that is refused. */
  readonly verdict: ReserveVerdict | 'done' | 'ignored' | 'lost';
}

const leased = ({ nowMs, node, leaseMs }: Moment) => ({
  node,
  ...(leaseMs !== undefined && { leasedUntilMs: nowMs + leaseMs }),
});

const without = <T extends { readonly key: string }>(all: readonly T[], key: string): readonly T[] =>
  all.some((each) => each.key === key) ? all.filter((each) => each.key !== key) : all;

function leave(payer: PayerRecord, key: string): PayerRecord {
  const inFlight = without(payer.inFlight, key);
  return inFlight === payer.inFlight ? payer : { ...payer, inFlight };
}

function whyNotReserved({ record, payer, due }: PaymentState, key: string, nowMs: number): ReserveVerdict | undefined {
  if (record) return 'taken';
  if (due.length > 0) return 'owed';
  if (callsOf({ record, payer }, key) >= PAYMENTS.callsPerPayment) return 'exhausted';
  if (without(payer.inFlight, key).length >= PAYMENTS.inFlightPerPayer) return 'payer_busy';
  const recent = payer.calls.filter(({ atMs }) => nowMs - atMs < PAYMENTS.unsettledWindowMs);
  return recent.length >= PAYMENTS.unsettledCallsPerPayer ? 'payer_busy' : undefined;
}

function reserve(state: PaymentState, payment: NewPayment, moment: Moment): PaymentState {
  const { payer } = state;
  const untilMs = moment.nowMs + PAYMENTS.inFlightMs;
  const inFlight = [...without(payer.inFlight, payment.key), { key: payment.key, node: moment.node, untilMs }];
  return {
    ...state,
    record: { ...payment, progress: 'reserved', ...leased(moment) },
    payer: { ...payer, inFlight },
  };
}

function call(state: PaymentState, record: HeldRecord, nowMs: number): PaymentState {
  if (record.progress === 'settled') return { ...state, record: { ...record, calls: (record.calls ?? 0) + 1 } };
  const calls = [...state.payer.calls, { key: record.key, atMs: nowMs }];
  return { ...state, payer: { ...state.payer, calls } };
}

/** Only what is worth something makes a payer known: anybody has devnet's money. */
function withPayment(payer: PayerRecord, record: HeldRecord, nowMs: number): PayerRecord {
  if (record.network !== NETWORKS.mainnet) return payer;
  return { ...payer, paid: withPaid(payer.paid ?? [], amountOf(record), nowMs) };
}

function settle(state: PaymentState, record: HeldRecord, signature: string, nowMs: number): PaymentState {
  const { key } = record;
  const payer = leave(state.payer, key);
  return {
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

function refuse(state: PaymentState, record: HeldRecord, reason: string, nowMs: number): PaymentState {
  return {
    record: {
      ...record,
      progress: 'refused',
      reason,
      resolvedAtMs: nowMs,
      forgetAtMs: nowMs + PAYMENTS.refusedMs,
      owed: false,
    },
    payer: leave(state.payer, record.key),
    due: without(state.due, record.key),
  };
}

/** Nothing for a proof that changes nothing. */
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
  moment: Moment,
): PaymentState | 'owed' | 'lost' {
  const { record, due } = state;
  if (record?.progress !== 'reserved' || record.owner !== owner) return 'lost';
  if (due.length > 0) return 'owed';
  const settlingSinceMs = moment.nowMs;
  const next: HeldRecord = { ...record, ...sent, ...leased(moment), progress: 'settling', settlingSinceMs };
  return { ...state, record: next, due: [{ key: record.key }] };
}

function withdraw(state: PaymentState, owner: string, from: 'reserved' | 'settling'): PaymentState | undefined {
  const { record, payer, due } = state;
  if (record?.progress !== from || record.owner !== owner) return undefined;
  return { record: undefined, payer: leave(payer, record.key), due: without(due, record.key) };
}

function unresolved(state: PaymentState, signature: string | undefined): PaymentState | undefined {
  const { record, payer } = state;
  if (!isOpen(record)) return undefined;
  const next: HeldRecord = { ...record, progress: 'unresolved', ...(signature !== undefined && { signature }) };
  return { ...state, record: next, payer: leave(payer, record.key) };
}

function renew(state: PaymentState, owner: string, moment: Moment): PaymentState | 'lost' {
  const { record } = state;
  const isHeld = record?.progress === 'reserved' || record?.progress === 'settling';
  return isHeld && record.owner === owner ? { ...state, record: { ...record, ...leased(moment) } } : 'lost';
}

/** The state after an event, or why there is none. */
function after(state: PaymentState, event: PaymentEvent, moment: Moment): PaymentState | Step['verdict'] {
  const { record, due } = state;
  const { nowMs } = moment;
  switch (event.kind) {
    case 'reserved':
      return whyNotReserved(state, event.payment.key, nowMs) ?? reserve(state, event.payment, moment);
    case 'called':
      return record ? call(state, record, nowMs) : 'ignored';
    case 'settling':
      return settling(state, event, moment);
    case 'unresolved':
      return unresolved(state, event.signature) ?? 'ignored';
    case 'resolved':
      return resolve(state, event, nowMs) ?? 'ignored';
    case 'adopted':
      if (record?.progress === 'settled') return 'ignored';
      return settle(state, { ...event.payment, progress: 'reserved' }, event.signature, nowMs);
    case 'withdrawn':
      return withdraw(state, event.owner, event.from) ?? 'ignored';
    case 'delivered':
      if (!record?.owed) return 'ignored';
      return { ...state, record: { ...record, owed: false }, due: without(due, record.key) };
    case 'renewed':
      return renew(state, event.owner, moment);
  }
}

/** One step of a payment: what it was, what happens, when; what it is then. */
export function step(stored: PaymentState, event: PaymentEvent, moment: Moment): Step {
  const before = readState(stored, moment);
  const next = after(before, event, moment);
  if (typeof next === 'string') return { before, after: before, verdict: next };
  return { before, after: next, verdict: event.kind === 'reserved' ? 'reserved' : 'done' };
}
