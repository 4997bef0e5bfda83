import type { Step } from './machine.ts';
import { PAYMENTS } from './record.ts';
import { type Due, type HeldRecord, isOpen, NEW_PAYER, type PayerRecord, type PaymentState } from './state.ts';
import type { Change, Stored } from './store/port.ts';

/** Whose state it is. */
export interface Subject {
  readonly key: string;
  /** CAIP-2. */
  readonly network: string;
  readonly payer: string;
  readonly requestHash: string;
}

/** The documents that a payment's state is kept in. */
export interface Documents {
  readonly record: Stored;
  readonly payer: Stored;
  readonly due: Stored;
}

export const recordName = (key: string): string => `record:${key}`;
export const payerName = (network: string, payer: string): string => `payer:${network}:${payer}`;
export const dueName = (payer: string, requestHash: string): string => `due:${payer}:${requestHash}`;
/** Which payment a transaction of the chain has settled, by its signature. */
export const signatureName = (signature: string): string => `signature:${signature}`;

/** The names of the documents of a state, in the order that `documentsOf` takes them. */
export const namesOf = ({ key, network, payer, requestHash }: Subject): string[] => [
  recordName(key),
  payerName(network, payer),
  dueName(payer, requestHash),
];

export function documentsOf([record, payer, due]: readonly Stored[]): Documents {
  if (!record || !payer || !due) throw new Error('the store has left documents out');
  return { record, payer, due };
}

export const stateIn = ({ record, payer, due }: Documents): PaymentState => ({
  record: record.value as HeldRecord | undefined,
  payer: (payer.value as PayerRecord | undefined) ?? NEW_PAYER,
  due: (due.value as readonly Due[] | undefined) ?? [],
});

/** How long a record is kept: the unresolved for ever, and what is only reserved as long as its process gives signs of life. */
function recordMs(record: HeldRecord | undefined, leaseMs: number | undefined): number | undefined {
  if (record?.progress === 'reserved') return leaseMs;
  return { settled: PAYMENTS.recordMs, refused: PAYMENTS.refusedMs, settling: undefined, unresolved: undefined }[
    record?.progress ?? 'settling'
  ];
}

const forgotten = (forgetMs: number | undefined) => (forgetMs === undefined ? {} : { forgetMs });

/** What is only reserved need not outlive the process: nothing has moved. */
const isLasting = (record: HeldRecord | undefined): boolean => record !== undefined && record.progress !== 'reserved';

function recordChange(was: Stored, { before, after }: Step, leaseMs: number | undefined): Change {
  return {
    was,
    value: after.record,
    isLasting: after.record !== before.record && (isLasting(before.record) || isLasting(after.record)),
    ...forgotten(recordMs(after.record, leaseMs)),
  };
}

function payerChange(was: Stored, { before, after }: Step): Change {
  const { paid } = after.payer;
  return {
    was,
    value: after.payer,
    isLasting: paid !== before.payer.paid,
    forgetMs: paid === undefined ? PAYMENTS.answerMs : PAYMENTS.payerMs,
  };
}

function dueChange(was: Stored, { after }: Step): Change {
  const { due } = after;
  const hasOpen = due.some(({ untilMs }) => untilMs === undefined);
  const value = due.length === 0 ? undefined : due;
  return { was, value, isLasting: false, ...forgotten(hasOpen ? undefined : PAYMENTS.answerMs) };
}

/** How a step is to be written: over what has changed, and past nothing that it was decided by. */
export function changesOf(documents: Documents, step: Step, leaseMs: number | undefined): Change[] {
  const { before, after, verdict } = step;
  const isReserved = verdict === 'reserved';
  return [
    recordChange(documents.record, step, leaseMs),
    ...(isReserved || after.payer !== before.payer ? [payerChange(documents.payer, step)] : []),
    ...(isReserved || after.due !== before.due ? [dueChange(documents.due, step)] : []),
  ];
}

/** From when on a payment's outcome may have to be asked for: when its process is not known to live any more. */
export function openFrom(record: HeldRecord | undefined, nowMs: number): number | undefined {
  if (!isOpen(record)) return undefined;
  return record.progress === 'unresolved' ? nowMs : (record.leasedUntilMs ?? Number.POSITIVE_INFINITY);
}
