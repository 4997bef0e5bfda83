import { type Clock, FollowedClock, monotonicMs } from '../clock.ts';
import { advance, CLOCK_COLUMNS, clockIn, wallOf, writeClock } from './books-clock.ts';
import {
  type AtomicWrite,
  bytesOf,
  type ClockRow,
  type Database,
  POSTGRES,
  type SqlRow,
  type SqlValue,
  type Statement,
  valuesOf,
} from './database.ts';
import {
  CONNECTION_MS,
  databaseUrls,
  isLate,
  isOfConnection,
  loadServers,
  namedStatement,
  type PostgresServer,
  type Query,
  queryMs,
  writeQuery,
} from './postgres-server.ts';

export interface PostgresOptions {
  /** The URL of the database. It may name several hosts, separated by commas, which are tried in turn. */
  readonly url: string;
  /** Replaces the books' clock and the wall clock, for tests. */
  readonly clock?: Clock | undefined;
  /** Changes the server's time of day, for tests. */
  readonly turned?: Clock | undefined;
}

const BEAT_MS = 400;
/**
 * After this many consecutive late heartbeats the server counts as lost. A single one may only mean that the machine is busy. So a stopped
 * server is noticed within a second.
 */
const LATE_BEATS = 2;
/** Writes with more bytes are sent one at a time, so that small writes do not share the network with several large ones. */
const LARGE_BYTES = 256 * 1024;

const READ_CLOCKS =
  namedStatement(`select ${CLOCK_COLUMNS}, cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as server_ms
  from clock where id = 1`);

/**
 * A PostgreSQL database, for any number of gateways. While the server is unavailable, requests reject at once, and
 * heartbeats try each host in turn.
 */
export class PostgresDatabase implements Database {
  readonly dialect = POSTGRES;
  readonly #newServer: () => PostgresServer;
  readonly #options: PostgresOptions;
  readonly #clock = new FollowedClock();
  #clocks: ClockRow | undefined;
  readonly #serverClock = new FollowedClock();
  readonly #queries = new Map<string, Query>();
  #server: PostgresServer;
  /** The timer of the next heartbeat; undefined while one is in progress. */
  #beat: NodeJS.Timeout | undefined;
  #isReady = false;
  /** Whether the present outage has been logged. */
  #isLost = false;
  #isMigrated = false;
  #late = 0;
  #large: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  #notice: (message: string) => void = () => undefined;

  private constructor(newServer: () => PostgresServer, options: PostgresOptions) {
    this.#newServer = newServer;
    this.#server = newServer();
    this.#options = options;
  }

  /** Loads the client library. Connects nothing; `connect` does. */
  static async load(options: PostgresOptions): Promise<PostgresDatabase> {
    return new PostgresDatabase(await loadServers(databaseUrls(options.url)), options);
  }

  /** Connects and migrates the schema. Retries while the server does not answer. Rejects with an error that the server reports. */
  async connect(notice: (message: string) => void = () => undefined): Promise<void> {
    this.#notice = notice;
    const hosts = databaseUrls(this.#options.url).length;
    for (let host = 1; host <= hosts && !this.#isReady; host++) {
      await this.#follow().catch((error) => {
        if (!isOfConnection(error)) throw error;
        this.#leaveServer();
        if (host === hosts) this.#sayLost(error);
      });
    }
    this.#followIn(BEAT_MS);
  }

  now(): number {
    return this.#options.clock?.() ?? this.#clock.now();
  }

  wallAt(nowMs: number): number {
    return this.#clocks && !this.#options.clock ? wallOf(nowMs, this.#clocks) : nowMs;
  }

  async clock(): Promise<ClockRow> {
    if (!this.#clocks) throw new Error('PostgreSQL has not answered yet');
    return this.#clocks;
  }

  isReady(): boolean {
    return this.#isReady;
  }

  read({ sql, values = [], bytes = 0 }: Statement): Promise<readonly SqlRow[]> {
    return this.#ask(this.#query(sql, namedStatement), values, bytes);
  }

  report({ sql, values = [] }: Statement): Promise<readonly SqlRow[]> {
    return this.#server.report(sql, values);
  }

  async write(write: AtomicWrite): Promise<SqlRow | undefined> {
    const statements = [write.condition, ...(write.changes ?? [])];
    const query = this.#query(statements.map(({ sql }) => sql).join(';'), () => writeQuery(write));
    const values = valuesOf(write);
    const bytes = bytesOf(values);
    // Each write has a deadline, because a suspended server executes old statements when it resumes.
    const send = async () => {
      const deadlineMs = this.#serverClock.now() + CONNECTION_MS + queryMs(bytes);
      const [row] = await this.#ask(query, [...values, Math.ceil(deadlineMs)], bytes);
      return row;
    };
    if (bytes < LARGE_BYTES) return send();
    const sent = this.#large.then(send);
    this.#large = sent.catch(() => undefined);
    return sent;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#beat);
    await this.#server.close();
  }

  #query(key: string, queryFrom: (key: string) => Query): Query {
    const query = this.#queries.get(key) ?? queryFrom(key);
    this.#queries.set(key, query);
    return query;
  }

  /** Sends a statement. If it fails or is late, only its own request fails; the heartbeat alone decides whether the server is available. */
  async #ask(query: Query, values: readonly SqlValue[], bytes: number): Promise<readonly SqlRow[]> {
    if (!this.#isReady) throw new Error('PostgreSQL does not answer');
    try {
      return await this.#server.ask(query, values, queryMs(bytes));
    } catch (error) {
      if (isOfConnection(error) && !isLate(error) && this.#beat) this.#followIn(0);
      throw error;
    }
  }

  #sayLost(error: unknown): void {
    this.#isLost = true;
    this.#notice(`PostgreSQL does not answer (${(error as Error).message}); paid requests are refused until it does`);
  }

  #followIn(milliseconds: number): void {
    clearTimeout(this.#beat);
    if (!this.#isClosed) this.#beat = setTimeout(() => void this.#keepFollowing(), milliseconds).unref();
  }

  /** Reads the server's clock. If the server does not answer, switches to the next host. Never rejects. */
  async #keepFollowing(): Promise<void> {
    this.#beat = undefined;
    const error = await this.#follow().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    this.#late = error && isLate(error) ? this.#late + 1 : 0;
    if (error && (!this.#isReady || !isLate(error) || this.#late >= LATE_BEATS)) {
      if (this.#isReady) this.#sayLost(error);
      this.#isReady = false;
      this.#leaveServer();
    }
    this.#followIn(error && this.#isReady ? 0 : BEAT_MS);
  }

  /** Switches to the next host. */
  #leaveServer(): void {
    const left = this.#server;
    this.#server = this.#newServer();
    left.close().catch(() => undefined);
  }

  async #follow(): Promise<void> {
    if (!this.#isMigrated) await this.#server.migrate();
    this.#isMigrated = true;
    const askedAtMs = monotonicMs();
    const expectedMs = this.#clock.isFollowing ? this.#clock.now() : undefined;
    const rows = await this.#server.beat(READ_CLOCKS, []);
    const last = clockIn(rows);
    const serverMs = Number(rows[0]?.server_ms);
    const clocks = advance(last, this.#options.turned?.() ?? serverMs, expectedMs);
    this.#clock.follow(clocks.nowMs, askedAtMs);
    this.#serverClock.follow(serverMs, askedAtMs);
    // The write fails on a standby, or if another node has written the clock first.
    const { sql, values = [] } = writeClock(clocks, last);
    await this.#server.beat(this.#query(sql, namedStatement), values);
    this.#clocks = clocks;
    if (this.#isLost) this.#notice('PostgreSQL answers again');
    this.#isLost = false;
    this.#isReady = true;
  }
}
