import { type Cluster, NETWORKS } from '@asset-gateway/protocol';
import type { Background, Repeated } from '../background.ts';
import { runAll } from '../closing.ts';
import type { HistoryRow } from '../payments/facilitator/chain.ts';
import { looksIssued } from '../payments/read/requirement.ts';
import { monotonicMs } from '../stores/clock.ts';
import { type Database, type SqlValue, text } from '../stores/sql/database.ts';
import { Recent } from '../tallies.ts';
import { appendMissing, historyOf, missingEntry, type Payee, paymentKeyBy, transferBy } from './payee-history.ts';

/** Dependencies of the watch. */
interface WatchDependencies {
  readonly database: Database;
  /** Opens the chains on the first call. */
  readonly payees: () => Promise<readonly Payee[]>;
  /** How often the chains are searched, in milliseconds. */
  readonly everyMs?: number | undefined;
  readonly background: Background;
}

const EVERY_MS = 10_000;
/** How long the position of a chain is reused while no payment is watched, in milliseconds. */
const IDLE_MS = 600_000;
/** How many chain slots before its debit a payment may have landed. At 400 ms a slot, this is longer than a memo is valid. */
const CHAIN_SLOTS_BEFORE = 1_500;
/** How many slots back the first search of a database begins. */
const CHAIN_SLOTS_AT_FIRST = 50_000;
/** How many blocks a payment is watched. This is ten times the life of its blockhash, because a node may lag behind. */
const WATCHED_BLOCKS = 1_500;
const MOST_AT_ONCE = 1_000;

/** SQL for the covered payments that may still land. `height`: the height of a final block when the payment was first seen. */
const watched = (condition: string, limit = MOST_AT_ONCE): string => `select d.id, d.route, d.request_id
  from debits d cross join wallets w where w.id = d.wallet_id and w.cluster = $1 and d.watch_from_ms is not null and ${condition}
  limit ${limit}`;
const ANY = watched('true', 1);
const THIS = watched('d.id = $2');
/** Returns the SQL that changes a batch of watched debits. */
const changing = (change: string, condition: string): string => `update debits set ${change}
  where id in (select id from (${watched(condition)}) as found) and watch_from_ms is not null and {in time} returning id`;
const ending = (condition: string): string => changing('watch_from_ms = null, height = null', condition);
const SEE = changing('height = $2', 'd.height is null');
const END_ALL = ending('true');
const END_DEAD = ending('d.height < $2');
const END_THIS = ending('d.id = $2');

const NOTE_CHAIN_SLOT = `insert into searches (cluster, slot) select $1, $2 where {in time}
  on conflict (cluster) do update set slot = excluded.slot returning slot as id`;

/**
 * Finds covered payments that someone has broadcast, and grants their amounts as credit. Each search compares the payee's new transactions
 * with the memos of all watched payments. It measures time by slots and block heights of the chain and not by this machine's clock. A
 * search begins some slots before the last search's slot, and a payment is watched for WATCHED_BLOCKS blocks.
 */
export class CoveredWatch {
  readonly #dependencies: WatchDependencies;
  readonly #searching: Repeated;
  /** When the position of each idle cluster was last stored, by the monotonic clock. */
  readonly #notedAtMs = new Map<Cluster, number>();
  /** The keys of the payments that were read from the chain, by signature. */
  readonly #keys = new Recent<string>(IDLE_MS);

  constructor(dependencies: WatchDependencies) {
    this.#dependencies = dependencies;
    const { background, everyMs = EVERY_MS } = dependencies;
    this.#searching = background.every('covered_payments', everyMs, () => this.#searchAll());
    void this.#searching.run();
  }

  /** Stops searching, and resolves when the running search has ended. */
  close(): Promise<void> {
    return this.#searching.close();
  }

  /** Searches each cluster. After a failure the next search begins at the same chain slot. */
  async #searchAll(): Promise<void> {
    const payees = await this.#dependencies.payees();
    const searches = (Object.keys(NETWORKS) as Cluster[]).map((cluster) => {
      const payee = payees.find((each) => each.cluster === cluster);
      // Without an RPC, only `sales verify` can find covered payments.
      return () => (payee ? this.#search(payee) : this.#change(END_ALL, [cluster]));
    });
    await runAll(searches, 'the searches have failed');
  }

  async #search(payee: Payee): Promise<void> {
    const { database } = this.#dependencies;
    const { cluster, chain } = payee;
    const [position] = await database.read({ sql: 'select slot from searches where cluster = $1', values: [cluster] });
    const isIdle = (await database.read({ sql: ANY, values: [cluster] })).length === 0;
    const isNoted = position !== undefined && monotonicMs() - (this.#notedAtMs.get(cluster) ?? -IDLE_MS) < IDLE_MS;
    if (isIdle && isNoted) return;
    // Read the block before the history, so that the history contains every transaction up to this block.
    const { height, chainSlot } = await chain.finalized();
    if (!isIdle) {
      await this.#change(SEE, [cluster, height]);
      await this.#compare(
        payee,
        chainSlot,
        Number(position?.slot ?? chainSlot - CHAIN_SLOTS_AT_FIRST) - CHAIN_SLOTS_BEFORE,
      );
      await this.#change(END_DEAD, [cluster, height - WATCHED_BLOCKS]);
    }
    await database.write({ condition: { sql: NOTE_CHAIN_SLOT, values: [cluster, chainSlot] } });
    this.#notedAtMs.set(cluster, monotonicMs());
  }

  /** Compares the payee's transactions from a chain slot on with the memos of all watched payments. */
  async #compare(payee: Payee, minChainSlot: number, fromChainSlot: number): Promise<void> {
    for await (const page of historyOf(payee, minChainSlot)) {
      const rows = page.filter(({ hasFailed, memos: [memo = ''] }) => !hasFailed && looksIssued(memo));
      await this.#grantLanded(payee, rows);
      if ((page.at(-1)?.chainSlot ?? 0) < fromChainSlot) return;
    }
  }

  async #grantLanded(payee: Payee, rows: readonly HistoryRow[]): Promise<void> {
    if (rows.length === 0) return;
    const { database } = this.#dependencies;
    const sql = `select distinct memo from debits where watch_from_ms is not null and memo in (${database.dialect.textsIn('$1')})`;
    const listed = JSON.stringify(rows.map(({ memos: [memo] }) => memo));
    const watchedMemos = new Set((await database.read({ sql, values: [listed] })).map(({ memo }) => text(memo)));
    for (const { signature, memos } of rows) {
      if (!watchedMemos.has(memos[0] ?? '')) continue;
      // Anyone can copy a memo, so compare the payment's key too.
      const values = [payee.cluster, await this.#keyOf(payee, signature)];
      const [payment] = await database.read({ sql: THIS, values });
      const transfer = payment && (await transferBy(payee, signature));
      if (!transfer) continue;
      const request = { route: text(payment.route), requestId: text(payment.request_id) };
      const entry = { ...(await missingEntry(transfer)), ...request };
      if ((await appendMissing(database, entry, entry.micros)) !== 'barred') await this.#change(END_THIS, values);
    }
  }

  async #keyOf(payee: Payee, signature: string): Promise<string> {
    const known = this.#keys.get(signature, monotonicMs());
    if (known !== undefined) return known;
    const key = (await paymentKeyBy(payee, signature)) ?? '';
    this.#keys.set(signature, key, monotonicMs());
    return key;
  }

  /** Changes watched payments in batches, until none is left to change. */
  async #change(sql: string, values: readonly SqlValue[]): Promise<void> {
    while (await this.#dependencies.database.write({ condition: { sql, values } }));
  }
}
