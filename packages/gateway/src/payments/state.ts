import { PAYMENTS, type PaymentRecord } from './record.ts';

/** A record, and who holds it. */
export interface HeldRecord extends PaymentRecord {
  /** The process that has reserved it or is settling it, */
  readonly node?: string;
  /** and until when it stays that one's without a sign of life; where there is one process only, for as long as that lives. */
  readonly leasedUntilMs?: number;
  /** Calls to the upstream that were made for it, counted here once it has settled. */
  readonly calls?: number;
}

/** What is remembered of a payer beside its payments. */
export interface PayerRecord {
  /** Payments between verification and settlement, whose they are, and until when each counts at the most. */
  readonly inFlight: readonly { readonly key: string; readonly node: string; readonly untilMs: number }[];
  /** Upstream calls that no settlement has followed. */
  readonly calls: readonly { readonly key: string; readonly atMs: number }[];
  /** What has settled on mainnet in the last 30 days, as far as it takes to make a known payer: the oldest first. */
  readonly paid?: readonly Paid[];
}

/** What a payer has paid on mainnet within a day. */
export interface Paid {
  /** When the first payment of them settled. */
  readonly atMs: number;
  readonly micros: number;
}

/** A payment of a payer for a request whose outcome is open or, until some time, whose answer is owed. */
export interface Due {
  readonly key: string;
  readonly untilMs?: number;
}

/** Everything that decides what may become of one payment. A record that is not there has never been, or is over. */
export interface PaymentState {
  readonly record: HeldRecord | undefined;
  readonly payer: PayerRecord;
  /** What its payer is due for its request. */
  readonly due: readonly Due[];
}

/** When and where a step is made. */
export interface Moment {
  readonly nowMs: number;
  /** This process. */
  readonly node: string;
  /** How long a payment stays a process's without a sign of life; nothing where there is one process only. */
  readonly leaseMs: number | undefined;
}

export const NEW_PAYER: PayerRecord = { inFlight: [], calls: [] };

/** Whether money may have moved and it is not known where to. */
export const isOpen = (record: PaymentRecord | undefined): record is HeldRecord =>
  record?.progress === 'settling' || record?.progress === 'unresolved';

/** A record as it reads now: one whose process has died is free again, or its outcome is not known. */
export function readRecord(record: HeldRecord | undefined, moment: Moment): HeldRecord | undefined {
  if (!record || (record.forgetAtMs ?? Number.POSITIVE_INFINITY) < moment.nowMs) return undefined;
  const { node, leasedUntilMs, progress } = record;
  if (progress !== 'reserved' && progress !== 'settling') return record;
  const isHeld = leasedUntilMs === undefined ? node === moment.node : leasedUntilMs > moment.nowMs;
  if (isHeld) return record;
  return progress === 'settling' ? { ...record, progress: 'unresolved' } : undefined;
}

/** What is due now. */
export const readDue = (due: readonly Due[], nowMs: number): readonly Due[] =>
  due.filter(({ untilMs }) => (untilMs ?? Number.POSITIVE_INFINITY) > nowMs);

function readPayer(payer: PayerRecord, { nowMs, node, leaseMs }: Moment): PayerRecord {
  const isAlive = (of: string) => leaseMs !== undefined || of === node;
  return {
    ...payer,
    inFlight: payer.inFlight.filter((each) => each.untilMs > nowMs && isAlive(each.node)),
    calls: payer.calls.filter(({ atMs }) => nowMs - atMs < PAYMENTS.answerMs),
  };
}

/** A state as it reads now: what has ended by itself is no more. */
export const readState = (stored: PaymentState, moment: Moment): PaymentState => ({
  record: readRecord(stored.record, moment),
  payer: readPayer(stored.payer, moment),
  due: readDue(stored.due, moment.nowMs),
});

/** Which payment is due of several: one whose outcome is open, or else the last that was settled. */
export const dueOf = (due: readonly Due[]): Due | undefined =>
  due.find(({ untilMs }) => untilMs === undefined) ?? due.at(-1);

/** How many calls to the upstream were made for a payment. */
export const callsOf = ({ record, payer }: Pick<PaymentState, 'record' | 'payer'>, key: string): number =>
  (record?.calls ?? 0) + payer.calls.filter((call) => call.key === key).length;

const DAY_MS = 86_400_000;

const recent = (paid: readonly Paid[], nowMs: number): readonly Paid[] =>
  paid.filter(({ atMs }) => nowMs - atMs < PAYMENTS.payerMs);

const isEnough = (paid: readonly Paid[]): boolean =>
  paid.reduce((sum, { micros }) => sum + micros, 0) >= PAYMENTS.knownPayerMicros;

/** Notes a payment on mainnet. What is too old, and what is not needed beside later payments, is left out. */
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

/** Whether a payer's mainnet payments of the last 30 days come to what makes a known payer. */
export const isKnownPayer = ({ paid = [] }: PayerRecord, nowMs: number): boolean => isEnough(recent(paid, nowMs));
