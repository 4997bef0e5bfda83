import { clusterOfNetwork, NETWORKS } from '@asset-gateway/protocol';
import { LIMITS } from '../limits.ts';
import { deleteCalls, INSERT_CALLS } from '../stores/sql/conditions.ts';
import {
  type AtomicWrite,
  append,
  type Dialect,
  insertion,
  type JournalEntry,
  type JournalKind,
  keepAnswer,
  POSTGRES,
  SQLITE,
  type SqlValue,
  type Statement,
  valuesIn,
} from '../stores/sql/database.ts';
import { TIMES } from '../times.ts';
import type { TransitionResult } from './machine.ts';
import { amountOf, type FeeCharge, isOpenPayment, mostSpentBefore, type PaymentRecord } from './record.ts';
import { CHANGING, LASTING, type StoredState, type Subject } from './rows.ts';

/** The columns that each step writes. */
const STEP_COLUMNS = [...Object.keys(CHANGING), 'leased_until_ms', 'calls', 'failed_on_chain', 'owed_until_ms'];
const NO_FEE = { fee_payer: null, fee_until_ms: null, fee_of_new_payer: 0 };
const INSERTED = [...STEP_COLUMNS, ...Object.keys(LASTING), 'requirement', 'micro_usdc', ...Object.keys(NO_FEE)];

/** Inserts a payment, or replaces an expired one with the same key. machine.ts refuses a key that has a record. */
const INSERT = insertion(
  'payments',
  INSERTED,
  ` on conflict (key) do update set ${INSERTED.map((name) => `${name} = excluded.${name}`).join(', ')}`,
);
const STEP = `update payments set ${STEP_COLUMNS.map((name, index) => `${name} = $${index + 2}`).join(', ')}`;
const NEXT = STEP_COLUMNS.length + 2;
const UPDATE = `${STEP} where key = $1 and {condition holds}`;
/** Updates a payment, and begins, keeps or ends the counting of its fee. */
const UPDATE_WITH_FEE = `${STEP},
  fee_payer = case when cast($${NEXT} as bigint) = 1 then coalesce($${NEXT + 1}, fee_payer) end,
  fee_until_ms = coalesce($${NEXT + 2}, fee_until_ms), fee_of_new_payer = coalesce($${NEXT + 3}, fee_of_new_payer)
  where key = $1 and {condition holds}`;

/** Returns what a step writes into its payment's row, in the order of `STEP_COLUMNS`. */
function valuesOfStep(record: PaymentRecord): SqlValue[] {
  const { progress, owed, calls = 0, hasFailedOnChain = false, leasedUntilMs = 0, resolvedAtMs = 0 } = record;
  return [
    ...valuesIn(record, CHANGING),
    progress === 'reserved' || progress === 'settling' ? leasedUntilMs : null,
    calls,
    Number(hasFailedOnChain),
    owed ? resolvedAtMs + TIMES.answerMs : null,
  ];
}

/**
 * Returns the values of the fee's columns after a step, or undefined if none changes: whether the fee counts, its fee payer, until when
 * it counts, and whether it counts against the limits of new payers. Null keeps a column.
 */
function feeChange(record: PaymentRecord, nowMs: number, fee: FeeCharge | undefined): SqlValue[] | undefined {
  // A fee begins to count before its payment is sent. It counts until there is proof that no fee was paid.
  const counts = isOpenPayment(record) || record.progress === 'settled' || record.hasFailedOnChain === true;
  const isKnown =
    record.progress === 'settled' && record.network === NETWORKS.mainnet && amountOf(record) >= LIMITS.knownPayerMicros;
  if (!fee && counts && !isKnown) return undefined;
  const ofNewPayer = fee ? Number(fee.isNewPayer) : null;
  return [Number(counts), fee?.feePayer ?? null, fee ? nowMs + TIMES.feeMs : null, isKnown ? 0 : ofNewPayer];
}

/** What a step writes besides the machine's decision, and who takes it. */
export interface StepDetails {
  /** The request that takes the step; undefined for one that any may take. */
  readonly owner?: string | undefined;
  readonly answer?: string | undefined;
  readonly fee?: FeeCharge | undefined;
  /** The kinds of journal entries that this payment already has. */
  readonly booked?: readonly JournalKind[] | undefined;
}

/** Returns the statement that changes the payment's own row. */
function rowChange({ subject, step: { before, after }, details, nowMs }: PendingStep): Statement {
  const { record } = after;
  if (!record) return { sql: 'delete from payments where key = $1 and {condition holds}', values: [subject.key] };
  const stepValues = valuesOfStep(record);
  if (!before.record) {
    const requirement = JSON.stringify(record.requirement);
    const lasting = [...valuesIn(record, LASTING), requirement, amountOf(record)];
    return INSERT([...stepValues, ...lasting, ...Object.values(NO_FEE)]);
  }
  const values = [subject.key, ...stepValues];
  const fee = feeChange(record, nowMs, details.fee);
  return fee ? { sql: UPDATE_WITH_FEE, values: [...values, ...fee] } : { sql: UPDATE, values };
}

/**
 * Returns the statement that changes the stored answer, if a step changes it. The answer of an open payment has no expiry. If the payment
 * does not settle, its answer is deleted.
 */
function answerChange({ subject, step: { before, after }, details, nowMs }: PendingStep): readonly Statement[] {
  const { key } = subject;
  const { record } = after;
  if (record && details.answer !== undefined) return [keepAnswer(key, details.answer, null)];
  if (!isOpenPayment(before.record) || isOpenPayment(record)) return [];
  if (record?.progress !== 'settled')
    return [{ sql: 'delete from answers where key = $1 and {condition holds}', values: [key] }];
  const sql = 'update answers set until_ms = $2 where key = $1 and {condition holds}';
  return [{ sql, values: [key, nowMs + TIMES.answerMs] }];
}

/**
 * Returns the statement that stores the upstream calls of a released or refused payment, which nothing has paid for. They count against the
 * payer, and against the payment if the client sends it again.
 */
function callsChange({
  subject: { key },
  state: { storedCalls },
  step: { after },
  nowMs,
}: PendingStep): readonly Statement[] {
  const { record } = after;
  const { calls = after.calls, progress = 'refused', settlingSinceMs = nowMs } = record ?? {};
  if (progress === 'settled' && storedCalls > 0) return [deleteCalls(key)];
  if (progress !== 'refused' || calls <= storedCalls) return [];
  return [INSERT_CALLS([key, calls - storedCalls, settlingSinceMs])];
}

/**
 * Returns the statement that renews a lease. It does not renew a settlement's lease that has lapsed, because another node may be sending
 * the payment.
 */
export const renewLease = (key: string, owner: string, nowMs: number): Statement => ({
  sql: `update payments set leased_until_ms = $3 where key = $1 and owner = $2
  and (state = 'reserved' or (state = 'settling' and leased_until_ms > $4)) and {in time} returning key`,
  values: [key, owner, nowMs + TIMES.leaseMs, nowMs],
});

const WALLET = ['version', 'paid', 'idle_since_ms'];
const ADDED = WALLET.map((name, index) => `${name} = $${index + 3}`).join(', ');

/** Inserts a wallet. Returns no row if another request has inserted it first. */
const NEW_WALLET = `insert into wallets (cluster, address, ${WALLET.join(', ')}, granted_micro_usdc)
  select $1, $2, $3, $4, $5, $6 where {in time} on conflict (cluster, address) do nothing
  returning id, granted_micro_usdc, spent_micro_usdc`;

const updateWallet = (
  condition = '',
): string => `update wallets set ${ADDED}, granted_micro_usdc = granted_micro_usdc + $6
  where id = $1 and version = $2${condition} and {in time} returning id, granted_micro_usdc, spent_micro_usdc`;
const UPDATE_WALLET = updateWallet();
/** Returns the SQL that begins a settlement. It changes no row if credit has covered this payment or if the fee budget does not suffice. */
const updateToSettle = ({ countedFees }: Dialect): string =>
  updateWallet(` and not exists (select 1 from debits where id = $7) and (cast($8 as bigint) is null or
  (${countedFees('$9', '$5', '0')} <= $8 and ($11 = 0 or ${countedFees('$9', '$5', '1')} <= $10)))`);
const UPDATES_TO_SETTLE = { sqlite: updateToSettle(SQLITE), postgres: updateToSettle(POSTGRES) };

/** Whether this step begins a settlement, so that money may move after it. */
export const beginsSettling = ({ before, after }: TransitionResult): boolean =>
  after.record?.progress === 'settling' && before.record?.progress === 'reserved';

/** A decided step that is not written yet. */
export interface PendingStep {
  readonly subject: Subject;
  /** The state from which the step was decided. */
  readonly state: StoredState;
  readonly step: TransitionResult;
  readonly details: StepDetails;
  readonly entries: readonly JournalEntry[];
  /** The wallet's next version. */
  readonly version: string;
  readonly nowMs: number;
  /** The time of its journal entries, in milliseconds by the wall clock. */
  readonly wallMs: number;
}

function feeValues(fee: FeeCharge): readonly SqlValue[] {
  const most = mostSpentBefore(fee);
  return [most.all, fee.feePayer, most.ofNewPayers, Number(fee.isNewPayer)];
}

/** The parameters of `updateToSettle` if a remote facilitator pays the fee. */
const NO_FEE_VALUES = [null, null, null, 0];

/** Returns the condition of a step: no other request has changed the wallet since this request read it. */
function walletUnchanged(
  { subject, state: { wallet }, step, details: { fee }, ...pending }: PendingStep,
  dialect: Dialect,
): Statement {
  const { entries, version, nowMs } = pending;
  let grantedMicros = 0;
  for (const { kind, micros } of entries) if (kind === 'grant') grantedMicros += micros;
  const state = [version, JSON.stringify(step.after.paid), nowMs, grantedMicros];
  if (!wallet) return { sql: NEW_WALLET, values: [clusterOfNetwork(subject.network), subject.payer, ...state] };
  const values: SqlValue[] = [wallet.id, wallet.version, ...state];
  if (!beginsSettling(step)) return { sql: UPDATE_WALLET, values };
  values.push(subject.key, ...(fee ? feeValues(fee) : NO_FEE_VALUES));
  return { sql: UPDATES_TO_SETTLE[dialect.name], values };
}

/**
 * Returns the journal entries of a step, without the kinds in `booked`. A settled payment has an entry for its settlement, which includes
 * the fee, and one for the credit that it grants. A payment that was refused after its verification has one entry.
 */
export function entriesOf({ before, after }: TransitionResult, { booked = [] }: StepDetails): readonly JournalEntry[] {
  const { record } = after;
  if (!record || record.progress === before.record?.progress) return [];
  const isSettled = record.progress === 'settled';
  if (!isSettled && record.progress !== 'refused') return [];
  const { key, network, payer: wallet, route, requestId, creditMicros, signature: transaction = '' } = record;
  const feeLamports = isSettled || record.hasFailedOnChain ? record.feeLamports : 0;
  const cluster = clusterOfNetwork(network);
  const micros = amountOf(record);
  const entry = { key, cluster, wallet, micros, feeLamports, transaction, route, requestId };
  if (!isSettled) return [{ ...entry, kind: 'refusal' }];
  // A bundle is granted only here, once its payment has settled, and `walletUnchanged` adds exactly these grants to the balance.
  const entries: JournalEntry[] = [];
  if (!booked.includes('settlement')) entries.push({ ...entry, kind: 'settlement' });
  if (creditMicros > 0 && !booked.includes('grant'))
    entries.push({ ...entry, kind: 'grant', micros: creditMicros, feeLamports: 0 });
  return entries;
}

/** Returns the statements of a step. A reservation need not survive a power cut, because no money has moved. */
export function statementsOf(pending: PendingStep, dialect: Dialect): AtomicWrite {
  const { before, after } = pending.step;
  const changes = [rowChange(pending), ...answerChange(pending), ...callsChange(pending)];
  for (const entry of pending.entries) changes.push(append(entry, pending.wallMs));
  const [from = 'reserved', to = 'reserved'] = [before.record?.progress, after.record?.progress];
  return { condition: walletUnchanged(pending, dialect), changes, isDurable: from !== 'reserved' || to !== 'reserved' };
}
