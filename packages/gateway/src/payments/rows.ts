import { type Cluster, clusterOfNetwork, NETWORKS } from '@asset-gateway/protocol';
import { only, type Row, type Statement, text, type Value } from '../stores/sql/database.ts';
import {
  type Due,
  NEW_PAYER,
  type NewPayment,
  PAYMENTS,
  type PayerRecord,
  type PaymentProgress,
  type PaymentRecord,
  type PaymentState,
} from './record.ts';

/** The payment whose state is read. */
export type Subject = Pick<NewPayment, 'key' | 'network' | 'payer' | 'requestHash'>;

/** The state of a payment as it was read, and the version that the next step must find. */
export interface StoredState extends PaymentState {
  /** Undefined if the wallet has no row yet. */
  readonly wallet: { readonly id: number; readonly version: string } | undefined;
  /** The wallet's mainnet payments, whatever the network of this payment. */
  readonly paidOnMainnet: NonNullable<PayerRecord['paid']>;
  /** Whether credit has covered this payment. */
  readonly isCovered: boolean;
  /** Lamports that the fee payer has spent within the hour, for all payers and for new ones. */
  readonly fees: { readonly all: number; readonly ofNewPayers: number };
}

const RECORD_COLUMNS = `p.key, p.request_hash, p.source, p.memo, p.price_usd, p.credit_micro_usdc, p.transaction_base64,
  p.requirement, p.owner, p.route, p.request_id, p.resource_url, p.state, p.leased_until_ms, p.signature, p.height, p.reason,
  p.settling_since_ms, p.resolved_at_ms, p.forget_at_ms, p.owed_until_ms, p.calls, p.fee_lamports`;

const isDue = `(state in ('settling', 'unresolved') or owed_until_ms > $5)`;
const feesOf = (which: string) =>
  `(select coalesce(sum(fee_lamports), 0) from payments where fee_payer = $6 and fee_until_ms > $5${which})`;

/** A subquery of its own: PostgreSQL would scan the whole table if the list of keys depended on the outer row. */
const THE_WALLET = '(select id from wallets where cluster = $1 and address = $2)';

/** Everything that decides about one payment: a row for each payment found, or one without a payment. */
const LOOK = `select w.id as wallet_id, w.version, w.in_flight, w.calls as wallet_calls, w.paid, m.paid as paid_on_mainnet,
  cast(${feesOf('')} as bigint) as fees, cast(${feesOf(' and fee_of_new_payer = 1')} as bigint) as fees_of_new_payers,
  (select count(*) from debits where id = $3) as covers, w.granted_micro_usdc - w.spent_micro_usdc as balance,
  (select min(key) from payments where wallet_id = w.id and credit_micro_usdc > 0 and key <> $3
    and state in ('reserved', 'settling', 'unresolved') and (leased_until_ms > $5 or settling_since_ms > $5 - ${PAYMENTS.inFlightMs})) as purchase_key,
  ${RECORD_COLUMNS}
  from (select 1 as one) as always
  left join wallets w on w.cluster = $1 and w.address = $2
  left join wallets m on m.cluster = 'mainnet' and m.address = $2
  left join payments p on p.key in (select $3 union
    select key from payments where wallet_id = ${THE_WALLET} and request_hash = $4 and ${isDue})`;

export const lookAt = ({ key, network, payer, requestHash }: Subject, nowMs: number, feePayer?: string): Statement => ({
  sql: LOOK,
  values: [clusterOfNetwork(network), payer, key, requestHash, Math.floor(nowMs), feePayer ?? null],
});

const WITH_WALLET = `select w.cluster, w.address, ${RECORD_COLUMNS} from payments p join wallets w on w.id = p.wallet_id`;

export const findByKey = (key: string): Statement => ({ sql: `${WITH_WALLET} where p.key = $1`, values: [key] });

export const findOpen = (nowMs: number, limit: number): Statement => ({
  sql: `${WITH_WALLET} where p.state in ('settling', 'unresolved') and (p.state = 'unresolved' or p.leased_until_ms <= $1)
  order by p.settling_since_ms limit $2`,
  values: [Math.floor(nowMs), limit],
});

const optional = <Name extends string, T>(name: Name, value: T | null | undefined) =>
  (value === null || value === undefined ? {} : { [name]: value }) as { [name in Name]?: T };

/** The record in a row of RECORD_COLUMNS. */
function recordIn(row: Row, network: string, payer: string): PaymentRecord | undefined {
  if (row.key === null) return undefined;
  const owed = row.state === 'settled' ? row.owed_until_ms !== null : row.state === 'refused' ? false : undefined;
  return {
    key: text(row.key),
    network,
    requestHash: text(row.request_hash),
    payer,
    source: text(row.source),
    memo: row.memo === null ? undefined : text(row.memo),
    priceUsd: text(row.price_usd),
    ...(row.credit_micro_usdc !== 0 && { creditMicros: Number(row.credit_micro_usdc) }),
    transaction: text(row.transaction_base64),
    requirement: text(row.requirement),
    owner: text(row.owner),
    route: text(row.route),
    requestId: text(row.request_id),
    feeLamports: Number(row.fee_lamports),
    ...optional('resourceUrl', row.resource_url as string | null),
    progress: row.state as PaymentProgress,
    ...optional('leasedUntilMs', row.leased_until_ms as number | null),
    ...optional('signature', row.signature as string | null),
    ...optional('height', row.height as number | null),
    ...optional('reason', row.reason as string | null),
    ...optional('settlingSinceMs', row.settling_since_ms as number | null),
    ...optional('resolvedAtMs', row.resolved_at_ms as number | null),
    ...optional('forgetAtMs', row.forget_at_ms as number | null),
    ...optional('owed', owed),
    ...(row.calls !== 0 && { calls: Number(row.calls) }),
  };
}

/** The record in a row that contains its wallet. */
export const recordOfRow = (row: Row): PaymentRecord | undefined =>
  recordIn(row, NETWORKS[row.cluster as Cluster], text(row.address));

function dueIn(row: Row): Due[] {
  if (row.state === 'settling' || row.state === 'unresolved') return [{ key: text(row.key) }];
  return row.owed_until_ms === null ? [] : [{ key: text(row.key), untilMs: Number(row.owed_until_ms) }];
}

/** The state that `lookAt` finds. */
export function stateOf(rows: readonly Row[], { key, network, payer, requestHash }: Subject): StoredState {
  const [row] = [only(rows)];
  const found = rows.find((each) => each.key === key);
  const list = <T>(json: Value | undefined): readonly T[] => (json ? JSON.parse(String(json)) : []);
  const ofRequest = rows.filter((each) => each.request_hash === requestHash);
  return {
    wallet: row.wallet_id === null ? undefined : { id: Number(row.wallet_id), version: text(row.version) },
    record: found && recordIn(found, network, payer),
    payer:
      row.wallet_id === null
        ? NEW_PAYER
        : { inFlight: list(row.in_flight), calls: list(row.wallet_calls), paid: list(row.paid) },
    // Payments that settled last come last.
    due: ofRequest.toSorted((one, other) => Number(one.resolved_at_ms) - Number(other.resolved_at_ms)).flatMap(dueIn),
    paidOnMainnet: list(row.paid_on_mainnet),
    balanceMicros: Number(row.balance),
    purchaseKey: row.purchase_key === null ? undefined : text(row.purchase_key),
    isCovered: Number(row.covers) > 0,
    fees: { all: Number(row.fees), ofNewPayers: Number(row.fees_of_new_payers) },
  };
}
