import { clusterOfNetwork, NETWORKS } from '@asset-gateway/protocol';
import {
  type Dialect,
  dropAnswer,
  endAnswer,
  type JournalEntry,
  type JournalKind,
  keepAnswer,
  POSTGRES,
  SQLITE,
  type Statement,
  type Value,
} from '../stores/sql/database.ts';
import type { Step } from './machine.ts';
import { amountOf, FAILED_ON_CHAIN, type FeeCharge, isOpen, PAYMENTS, type PaymentRecord } from './record.ts';
import type { StoredState } from './rows.ts';

type Columns = Readonly<Record<string, Value>>;

/** A fee counts from before its payment is sent until there is proof that it was not paid. */
const isFeePaid = ({ progress, reason }: PaymentRecord): boolean =>
  progress === 'settling' || progress === 'unresolved' || progress === 'settled' || reason === FAILED_ON_CHAIN;

/** The columns that a step may change. */
function changing(record: PaymentRecord, nowMs: number, fee: FeeCharge | undefined): Columns {
  const { progress, owed, resolvedAtMs = 0 } = record;
  const isKnown =
    progress === 'settled' && record.network === NETWORKS.mainnet && amountOf(record) >= PAYMENTS.knownPayerMicros;
  return {
    owner: record.owner,
    state: progress,
    leased_until_ms: progress === 'reserved' || progress === 'settling' ? Math.floor(record.leasedUntilMs ?? 0) : null,
    signature: record.signature ?? null,
    height: record.height ?? null,
    reason: record.reason ?? null,
    settling_since_ms: record.settlingSinceMs ?? null,
    resolved_at_ms: record.resolvedAtMs ?? null,
    forget_at_ms: record.forgetAtMs ?? null,
    owed_until_ms: owed ? resolvedAtMs + PAYMENTS.answerMs : null,
    calls: record.calls ?? 0,
    ...(fee && {
      fee_payer: fee.feePayer,
      fee_until_ms: nowMs + PAYMENTS.feeMs,
      fee_of_new_payer: Number(fee.isNewPayer),
    }),
    ...(!isFeePaid(record) && { fee_payer: null }),
    ...(isKnown && { fee_of_new_payer: 0 }),
  };
}

/** The columns that are written once. */
const lasting = (record: PaymentRecord): Columns => ({
  key: record.key,
  request_hash: record.requestHash,
  source: record.source,
  memo: record.memo ?? null,
  price_usd: record.priceUsd,
  micro_usdc: amountOf(record),
  credit_micro_usdc: record.creditMicros ?? 0,
  transaction_base64: record.transaction,
  requirement: record.requirement,
  route: record.route,
  request_id: record.requestId,
  resource_url: record.resourceUrl ?? null,
  fee_lamports: record.feeLamports,
});

/** Inserts a payment. It replaces a forgotten one with the same key; machine.ts refuses a key that has a record. */
function insertion(columns: Columns): Statement {
  const names = Object.keys(columns);
  const places = names.map((_, index) => `$${index + 1}`);
  const others = names.filter((name) => name !== 'key').map((name) => `${name} = excluded.${name}`);
  return {
    sql: `insert into payments (wallet_id, ${names.join(', ')}) select {guard.id}, ${places.join(', ')} where {guarded}
    on conflict (key) do update set ${others.join(', ')}`,
    values: Object.values(columns),
  };
}

function update(key: string, columns: Columns): Statement {
  const changes = Object.keys(columns).map((name, index) => `${name} = $${index + 2}`);
  return {
    sql: `update payments set ${changes.join(', ')} where key = $1 and {guarded}`,
    values: [key, ...Object.values(columns)],
  };
}

const FORGOTTEN = { fee_payer: null, fee_until_ms: null, fee_of_new_payer: 0 };

/** What a step writes in addition to the machine's decision. */
export interface StepDetails {
  readonly answer?: string | undefined;
  readonly fee?: FeeCharge | undefined;
  /** The kinds of entries that the journal already has for this payment. */
  readonly booked?: readonly JournalKind[] | undefined;
}

/** The change of the payment's own row. */
function rowChange({ before, after }: Step, fee: FeeCharge | undefined, nowMs: number): readonly Statement[] {
  const { record } = after;
  if (record)
    return [
      before.record
        ? update(record.key, changing(record, nowMs, fee))
        : insertion({ ...FORGOTTEN, ...lasting(record), ...changing(record, nowMs, fee) }),
    ];
  const { key } = before.record ?? {};
  return key === undefined ? [] : [{ sql: 'delete from payments where key = $1 and {guarded}', values: [key] }];
}

/** The change of the stored answer: it has no expiry while the payment is open, and is dropped unless it settles. */
function answerChange({ before, after }: Step, answer: string | undefined, nowMs: number): readonly Statement[] {
  const { record } = after;
  const isSettled = record?.progress === 'settled';
  if (record && answer !== undefined) return [keepAnswer({ key: record.key, answer, untilMs: null })];
  if (!isOpen(before.record) || isOpen(record)) return [];
  const { key } = before.record;
  return [isSettled ? endAnswer(key, nowMs + PAYMENTS.answerMs) : dropAnswer(key)];
}

/** What a step writes in addition to its guard. */
export const paymentChange = (step: Step, { answer, fee }: StepDetails, nowMs: number): readonly Statement[] => [
  ...rowChange(step, fee, nowMs),
  ...answerChange(step, answer, nowMs),
];

/** Notes that the answer has reached the payer. */
export const noteDelivered = (key: string): Statement => ({
  sql: 'update payments set owed_until_ms = null where key = $1 and owed_until_ms is not null and {in time} returning key',
  values: [key],
});

export const renewLease = (key: string, owner: string, untilMs: number): Statement => ({
  sql: `update payments set leased_until_ms = $3 where key = $1 and owner = $2 and state in ('reserved', 'settling') and {in time}
  returning key`,
  values: [key, owner, Math.floor(untilMs)],
});

const isJustSettled = ({ before, after }: Step): boolean =>
  after.record?.progress === 'settled' && before.record?.progress !== 'settled';

/** The change of the wallet's row: the payer's limits, and the credit of a settlement. */
interface WalletChange {
  readonly step: Step;
  readonly network: string;
  readonly payer: string;
  readonly version: string;
  readonly nowMs: number;
  readonly dialect: Dialect;
}

const WALLET = ['version', 'in_flight', 'calls', 'paid', 'idle_since_ms'];
const ADDED = WALLET.map((name, index) => `${name} = $${index + 3}`).join(', ');

/** Inserts a wallet. It returns no row if another request was quicker. */
const NEW_WALLET = `insert into wallets (cluster, address, ${WALLET.join(', ')}, granted_micro_usdc)
  select $1, $2, $3, $4, $5, $6, $7, $8 where {in time} on conflict (cluster, address) do nothing
  returning id, granted_micro_usdc, spent_micro_usdc`;

const feeLimits = ({ countedFees }: Dialect): string => `(cast($10 as bigint) is null or
  (${countedFees('$11', '$7', '0')} <= $10 and ($13 = 0 or ${countedFees('$11', '$7', '1')} <= $12)))`;
const knownWallet = (
  guard: string,
): string => `update wallets set ${ADDED}, granted_micro_usdc = granted_micro_usdc + $8
  where id = $1 and version = $2${guard} and {in time} returning id, granted_micro_usdc, spent_micro_usdc`;
const UPDATE_WALLET = knownWallet('');
/** A settlement also requires that credit has not covered this payment and that the fee budget suffices. */
const updateWalletToSettle = (dialect: Dialect): string =>
  knownWallet(` and not exists (select 1 from debits where id = $9) and ${feeLimits(dialect)}`);
const UPDATES_TO_SETTLE = { sqlite: updateWalletToSettle(SQLITE), postgres: updateWalletToSettle(POSTGRES) };

/** How much the fee payer may have spent before this fee. */
const leftOf = ({ limit, lamports }: FeeCharge, share = 1): number => Math.floor(limit * share) - lamports;

/** The guard of a step: the wallet has not changed since it was read. */
export function walletGuard(
  change: WalletChange,
  wallet: StoredState['wallet'],
  { fee, booked }: StepDetails,
): Statement {
  const { step, network, payer, version, nowMs } = change;
  const { record } = step.after;
  const { inFlight, calls, paid = [] } = step.after.payer;
  const state = [version, JSON.stringify(inFlight), JSON.stringify(calls), JSON.stringify(paid), Math.floor(nowMs)];
  const granted = isJustSettled(step) && !booked?.includes('grant') ? (record?.creditMicros ?? 0) : 0;
  if (!wallet) return { sql: NEW_WALLET, values: [clusterOfNetwork(network), payer, ...state, granted] };
  const values = [wallet.id, wallet.version, ...state, granted];
  const isSettling = record?.progress === 'settling' && step.before.record?.progress === 'reserved';
  if (!isSettling) return { sql: UPDATE_WALLET, values };
  const fees = fee
    ? [leftOf(fee), fee.feePayer, leftOf(fee, PAYMENTS.newPayersShare), Number(fee.isNewPayer)]
    : [null, null, null, 0];
  return { sql: UPDATES_TO_SETTLE[change.dialect.name], values: [...values, record.key, ...fees] };
}

function entryOf(record: PaymentRecord, kind: 'settlement' | 'refusal'): JournalEntry {
  const { key, network, payer: wallet, route, requestId, signature: transaction = '' } = record;
  const isOnChain = kind === 'settlement' || record.reason === FAILED_ON_CHAIN;
  const feeLamports = isOnChain ? record.feeLamports : 0;
  return {
    kind,
    key,
    cluster: clusterOfNetwork(network),
    wallet,
    micros: amountOf(record),
    feeLamports,
    transaction,
    route,
    requestId,
  };
}

/**
 * The journal entries of a step that the journal does not have yet: the settlement of a payment and the grant of its credit, or its
 * refusal after verification. The settlement carries the fee of both.
 */
export function entriesOf({ before, after }: Step, { booked = [] }: StepDetails): readonly JournalEntry[] {
  const { record } = after;
  if (!record || record.progress === before.record?.progress) return [];
  if (record.progress === 'refused') return [entryOf(record, 'refusal')];
  if (record.progress !== 'settled') return [];
  const settlement = entryOf(record, 'settlement');
  const { creditMicros = 0 } = record;
  const grant = { ...settlement, kind: 'grant', micros: creditMicros, feeLamports: 0 } as const;
  const entries: readonly JournalEntry[] = creditMicros === 0 ? [settlement] : [settlement, grant];
  return entries.filter(({ kind }) => !booked.includes(kind));
}
