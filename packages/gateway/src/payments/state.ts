import { PAYMENTS, type PaymentRecord } from './record.ts';

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
