import { ACCEPT_CLOCK, clockIn, READ_CLOCK } from '../stores/sql/books-clock.ts';
import { type ClockRow, type Database, type Dialect, type JournalKind, text } from '../stores/sql/database.ts';

type TextColumns<Column extends string> = Readonly<Record<Column, string>>;

/**
 * An entry of the journal. Its members have the names of the reports' columns. `time`: ISO 8601; `node`: the
 * process that appended it; `repair`: `repair` if it was appended later, from the chain, else empty.
 */
export interface ReadEntry
  extends TextColumns<'time' | 'cluster' | 'route' | 'wallet' | 'transaction' | 'request_id' | 'node' | 'repair'> {
  readonly id: number;
  readonly kind: JournalKind;
  readonly usd_micros: number;
  readonly fee_lamports: number;
  /** The same as `time`, in milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** The groupings of a report. */
export const GROUPINGS = ['route', 'wallet', 'day', 'cluster'] as const;
export type Grouping = (typeof GROUPINGS)[number];

/**
 * A payment with an unknown outcome that may have moved money. `state`: `settling`, `unresolved`, or `given up` when
 * the gateway has stopped looking it up. `transaction`: its signature, empty if unknown.
 */
export interface OpenPayment
  extends TextColumns<'since' | 'state' | 'cluster' | 'route' | 'wallet' | 'transaction' | 'request_id' | 'id'> {
  readonly usd_micros: number;
  readonly memo: string | null;
}

const MOST_AT_ONCE = 1_000;

const ENTRY = `e.id, e.at as time, e.kind, e.cluster, w.address as wallet, e.route, e.micro_usdc as usd_micros, e.fee_lamports,
  coalesce(e.signature, '') as "transaction", e.request_id, e.node,
  case when e.is_repair = 1 then 'repair' else '' end as repair
  from journal_entries e join wallets w on w.id = e.wallet_id`;

const groupOf = ({ dayOf }: Dialect): Readonly<Record<Grouping, string>> => ({
  route: 'e.route',
  wallet: 'w.address',
  day: dayOf('e.at'),
  cluster: 'e.cluster',
});

const sumOf = (kind: JournalKind, value: string): string =>
  `cast(sum(case when e.kind = '${kind}' then ${value} else 0 end) as bigint)`;

/** The sums of a group by their columns, with money in millionths of a dollar. */
const SUMS = {
  settlements: sumOf('settlement', '1'),
  refusals: sumOf('refusal', '1'),
  grants: sumOf('grant', '1'),
  debits: sumOf('debit', '1'),
  /** What was paid to the payee. */
  settled_usd_micros: sumOf('settlement', 'e.micro_usdc'),
  /** The part of the payments that became credit. */
  granted_usd_micros: sumOf('grant', 'e.micro_usdc'),
  /** What was bought from credit. */
  spent_usd_micros: sumOf('debit', 'e.micro_usdc'),
  fee_lamports: 'cast(sum(e.fee_lamports) as bigint)',
};
export const SUM_COLUMNS = Object.keys(SUMS) as (keyof typeof SUMS)[];

/** The sums of a group on one cluster. Clusters are separate, because devnet's money is free. */
export interface SalesGroup extends Readonly<Record<keyof typeof SUMS, number>> {
  readonly cluster: string;
  /** A route id, a wallet, a day (UTC) or the cluster; empty if unknown. */
  readonly group: string;
}

/** SQL for the sums by cluster and group, mainnet first, then the best sold. `groups`: the number of groups without the limit. */
const groupQuery = (dialect: Dialect, by: Grouping): string => `select e.cluster, ${groupOf(dialect)[by]} as "group",
  ${SUM_COLUMNS.map((column) => `${SUMS[column]} as ${column}`).join(', ')}, count(*) over () as groups
  from journal_entries e ${by === 'wallet' ? 'join wallets w on w.id = e.wallet_id' : ''} where e.at >= $1 group by 1, 2
  order by 1 desc, ${SUMS.settled_usd_micros} + ${SUMS.spent_usd_micros} desc limit $2`;

/** Returns the rows as this type. The queries name their columns after the type's members. */
const as = <T>(rows: readonly object[]): readonly T[] => rows as readonly T[];

const ascending = (one: string, other: string): number => Number(one > other) - Number(one < other);

/** Makes the reports about money. They do not delay requests. Each rejects while the database is unavailable. */
export class Books {
  readonly #database: Pick<Database, 'report' | 'dialect'>;

  constructor(database: Pick<Database, 'report' | 'dialect'>) {
    this.#database = database;
  }

  /**
   * Returns the sums since a time, mainnet first, then by the group's name or, with a limit, the best sold. `count`: the number of all
   * groups.
   */
  async groups(sinceMs: number, by: Grouping, limit?: number) {
    const values = [new Date(sinceMs).toISOString(), limit ?? Number.MAX_SAFE_INTEGER];
    const rows = await this.#database.report({ sql: groupQuery(this.#database.dialect, by), values });
    const groups = as<SalesGroup>(rows.map(({ groups: _, ...group }) => group));
    const byName = (one: SalesGroup, other: SalesGroup) =>
      ascending(other.cluster, one.cluster) || ascending(one.group, other.group);
    return { groups: limit === undefined ? groups.toSorted(byName) : groups, count: Number(rows[0]?.groups ?? 0) };
  }

  /** Reads the entries since a time, by id. */
  async *entries(sinceMs: number): AsyncGenerator<readonly ReadEntry[]> {
    let last = 0;
    for (;;) {
      const sql = `select ${ENTRY} where e.at >= $1 and e.id > $2 order by e.id limit ${MOST_AT_ONCE}`;
      const rows = await this.#database.report({ sql, values: [new Date(sinceMs).toISOString(), last] });
      if (rows.length === 0) return;
      yield as<ReadEntry>(rows.map((row) => ({ ...row, atMs: Date.parse(text(row.time)) })));
      last = Number(rows.at(-1)?.id);
    }
  }

  /** Returns the clocks as a gateway has last written them. `accept`: whether to accept the wall clock first. */
  async clock(accept: boolean): Promise<ClockRow> {
    if (accept) await this.#database.report(ACCEPT_CLOCK);
    return clockIn(await this.#database.report(READ_CLOCK));
  }

  /** Returns the time since which the journal is complete, in milliseconds; 0 if no entry was ever deleted. */
  async completeSinceMs(): Promise<number> {
    const [row] = await this.#database.report({ sql: 'select complete_since as at from books' });
    return row?.at == null ? 0 : Date.parse(text(row.at));
  }

  /** Whether credit has covered the payment with this key. */
  async isCovered(key: string): Promise<boolean> {
    const sql = `select 1 as is_covered from journal_entries where kind = 'debit' and key = $1`;
    return (await this.#database.report({ sql, values: [key] })).length > 0;
  }

  /** Returns the payments with an unknown outcome, oldest first. */
  async openPayments(): Promise<readonly OpenPayment[]> {
    const sql = `select o.key as id, o.cluster, o.wallet, o.route, o.micro_usdc as usd_micros, o.since,
  coalesce(o.signature, '') as "transaction", p.memo, p.request_id, case when p.search_ended_ms is null then o.state else 'given up' end as state from open_payments o join payments p on p.key = o.key order by o.since`;
    return as(await this.#database.report({ sql }));
  }

  /** Returns the wallets whose balance differs from the sum of their entries, including the opening entry. */
  async wrongBalances() {
    const signed = `cast(sum(case when kind = 'grant' then micro_usdc when kind = 'debit' then -micro_usdc else 0 end) as bigint)`;
    const sql = `select w.cluster, w.address as wallet, coalesce(j.balance, 0) as journal, w.granted_micro_usdc - w.spent_micro_usdc as found
  from wallets w left join (select wallet_id, cast(sum(balance) as bigint) as balance from (
    select wallet_id, ${signed} as balance from journal_entries group by wallet_id
    union all select wallet_id, granted_micro_usdc - spent_micro_usdc from openings) as sums group by wallet_id) j on j.wallet_id = w.id
  where w.granted_micro_usdc - w.spent_micro_usdc <> coalesce(j.balance, 0)`;
    return as<{ cluster: string; wallet: string; journal: number; found: number }>(
      await this.#database.report({ sql }),
    );
  }
}
